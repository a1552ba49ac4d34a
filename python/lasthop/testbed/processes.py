"""Finds processes by their namespace, and ends them."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

from lasthop.testbed.tag import VARIABLE, Tag

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SECONDS_TO_END = 5.0


def processes_in(namespace: Path) -> list[int]:
    """Give the processes in a network namespace, but not this one.

    Parameters
    ----------
    namespace
        The file of the network namespace.
    """
    wanted = namespace.stat()
    found = []
    for pid in _others():
        with contextlib.suppress(OSError):  # it has ended, or is somebody else's
            its = Path(f"/proc/{pid}/ns/net").stat()
            if (its.st_dev, its.st_ino) == (wanted.st_dev, wanted.st_ino):
                found.append(pid)
    return found


def tagged_processes() -> Iterator[tuple[int, Tag]]:
    """Return the processes that were started in a namespace, with their starter.

    Those that are in the network namespace of this process are none, whatever they say.
    """
    home = Path("/proc/self/ns/net").stat().st_ino
    for pid in _others():
        with contextlib.suppress(OSError):  # it has ended, or is somebody else's
            written = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            prefix = f"{VARIABLE}=".encode()
            own = next((one for one in written if one.startswith(prefix)), b"")
            tag = Tag.read(own.removeprefix(prefix).decode("utf-8", "replace"))
            if tag is not None and Path(f"/proc/{pid}/ns/net").stat().st_ino != home:
                yield pid, tag


def end_processes(pids: Iterable[int]) -> None:
    """End processes: ask each of them, and after 5 s no longer ask."""
    handles = []
    for pid in pids:
        with contextlib.suppress(OSError):
            handles.append(os.pidfd_open(pid))
    try:
        for number in (signal.SIGTERM, signal.SIGKILL):
            _signal(handles, number)
            if _have_ended(handles):
                return
    finally:
        for handle in handles:
            os.close(handle)


def _signal(handles: Iterable[int], number: signal.Signals) -> None:
    for handle in handles:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            signal.pidfd_send_signal(handle, number)
            # One that is stopped would not hear of it.
            signal.pidfd_send_signal(handle, signal.SIGCONT)


def _have_ended(handles: Iterable[int]) -> bool:
    """Wait until all have ended, even if nobody has asked them how."""
    until = time.monotonic() + _SECONDS_TO_END
    running = set(handles)
    while running and (left_s := until - time.monotonic()) > 0:
        ended, _, _ = select.select(running, [], [], left_s)
        running -= set(ended)
    return not running


def _others() -> Iterator[int]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and int(folder.name) != os.getpid():
            yield int(folder.name)
