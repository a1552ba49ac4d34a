"""Signals that stop a server or a client gracefully."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lasthop import _native

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stopped_by_signals() -> Iterator[_native.Stopper]:
    """Yield a stopper that Ctrl-C or a termination signal triggers."""
    stopper = _native.Stopper()
    # The signal writes its number there, whatever the interpreter is about. A signal that came
    # after the handlers and before this would be lost.
    before = signal.set_wakeup_fd(stopper.descriptor, warn_on_full_buffer=False)
    handlers = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}
    try:
        yield stopper
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(before)
