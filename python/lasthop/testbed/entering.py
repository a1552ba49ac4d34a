"""Work in another network namespace: what is opened there belongs to it for good."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_T = TypeVar("_T")

_CLONE_NEWNET = 0x40000000  # linux/sched.h


def inside(namespace: Path, work: Callable[[], _T]) -> _T:
    """Do something in a namespace, and return what it returned.

    Parameters
    ----------
    namespace
        The file of the network namespace.
    work
        What to do: open a socket or a device.

    Raises
    ------
    OSError
        If the kernel refuses, there or on the way.
    """
    results: list[_T] = []
    errors: list[OSError] = []

    # A thread has a namespace of its own, so the rest of the process stays where it is.
    def enter_and_work() -> None:
        try:
            _enter(namespace)
            results.append(work())
        except OSError as error:
            errors.append(error)

    thread = threading.Thread(target=enter_and_work)
    thread.start()
    thread.join()
    for error in errors:
        raise error
    return results[0]


def _enter(namespace: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    with namespace.open("rb") as file:
        if libc.setns(file.fileno(), _CLONE_NEWNET):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(namespace))
