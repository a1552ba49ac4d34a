"""What must not be interrupted between doing something and writing down that it is to be undone."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_ASK_TO_END = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def postponed_signals() -> Iterator[None]:
    """Hold back Ctrl-C, SIGTERM and SIGHUP, and handle them when the block has ended.

    Without it, a signal between the start of a process and the note that it must be ended leaves
    that process behind. Children do not inherit this, as they would a blocked signal. In another
    thread than the main one nothing is done: signals do not interrupt those.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        arrived.append(number)

    before = {}
    for number in _ASK_TO_END:
        # What is ignored stays so, for the children, too; so does what is not Python's.
        if callable(signal.getsignal(number)):
            before[number] = signal.signal(number, note)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for heard in dict.fromkeys(arrived):
            signal.raise_signal(heard)
