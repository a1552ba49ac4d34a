"""Work in another network namespace. Sockets opened there stay in it."""

from __future__ import annotations

import ctypes
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_T = TypeVar("_T")

_CLONE_NEWNET = 0x40000000  # linux/sched.h


def inside(namespace: Path, work: Callable[[], _T]) -> _T:
    """Call a function in a namespace, with its result or exception.

    Parameters
    ----------
    namespace
        The file of the network namespace.
    work
        What to do: open a socket or a device, talk to somebody.

    Raises
    ------
    OSError
        If the kernel refuses.
    """

    def enter_and_work() -> _T:
        _enter(namespace)
        return work()

    # A thread has a namespace of its own, so the rest of the process stays where it is.
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(enter_and_work).result()


def new_network() -> int:
    """Make an unnamed network namespace that lives as long as its descriptor.

    Raises
    ------
    OSError
        If the kernel refuses.
    """

    def make_and_open() -> int:
        if _libc().unshare(_CLONE_NEWNET):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)

    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(make_and_open).result()


def _enter(namespace: Path) -> None:
    with namespace.open("rb") as file:
        if _libc().setns(file.fileno(), _CLONE_NEWNET):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(namespace))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
