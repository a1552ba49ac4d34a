"""Signals that end a server or a client in good order."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from lasthop import _native

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stopped_by_signals() -> Iterator[_native.Stopper]:
    """Give what ends a server or a client when Ctrl-C is pressed or the process is to end."""
    stopper = _native.Stopper()
    handlers = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}
    # The signal writes its number there, whatever the interpreter is about.
    before = signal.set_wakeup_fd(stopper.descriptor, warn_on_full_buffer=False)
    try:
        yield stopper
    finally:
        signal.set_wakeup_fd(before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
