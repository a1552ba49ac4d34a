"""Signal handling: the first Ctrl-C stops gracefully, the second one immediately."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

from lasthop.errors import Interrupted

_SHOW_CURSOR = "\x1b[?25h"


class Interrupts:
    """Catches SIGINT and SIGTERM in the main thread while the context is active.

    Everything a campaign writes is renamed into place when whole, so that leaving at once, at
    the second signal, harms nothing.
    """

    def __init__(self, on_first: Callable[[], None]) -> None:
        self.requested = False
        self._on_first = on_first
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        """Install the signal handlers if this is the main thread."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore the previous signal handlers."""
        for number, previous in self._previous.items():
            signal.signal(number, previous)

    def check(self) -> None:
        """Raise `Interrupted` if a signal arrived."""
        if self.requested:
            raise Interrupted("interrupted")

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if self.requested:
            if sys.stderr.isatty():
                os.write(sys.stderr.fileno(), _SHOW_CURSOR.encode())
            os._exit(Interrupted.exit_code)
        self.requested = True
        self._on_first()
