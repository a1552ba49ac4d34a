"""The program behind the link. It has the terminal, and its exit status is the command's."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.testbed import end, postponed_signals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lasthop.emulator.laboratory import Laboratory

_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
_ENDS_BY_SIGNAL = 128
"""As shells have it: the status of what a signal has ended is that much above its number."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program with its arguments, found on the PATH."""

    command: tuple[str, ...]

    @classmethod
    def find(cls, written: list[str]) -> Program:
        """Find the program on the PATH.

        Raises
        ------
        ProgramMissingError
            If there is none, or it is not one.
        """
        if not written or not written[0]:
            raise UsageError(
                "the command is missing; write for example lasthop link -- ping '{host}'"
            )
        if shutil.which(written[0]) is None:
            raise ProgramMissingError(written[0], exists=os.path.exists(written[0]))  # noqa: PTH110
        return cls(tuple(written))

    def run(self, laboratory: Laboratory) -> int:
        """Run it at the near end, and give its status."""
        command = laboratory.addressed(self.command)
        with contextlib.ExitStack() as stack:
            with postponed_signals():
                process = subprocess.Popen(
                    laboratory.near_command(command), env=laboratory.environment(), text=True
                )
                stack.callback(end, process)
            with _forwarding_signals(process):
                status = process.wait()
        return status if status >= 0 else _ENDS_BY_SIGNAL - status


class ProgramMissingError(EnvironmentFailure):
    """The program does not exist. The exit codes are those of shells."""

    def __init__(self, name: str, *, exists: bool) -> None:
        what = "is not an executable program" if exists else "there is no such program"
        super().__init__(f"{name}: {what}; install it, or write its path")
        self.exit_code = 126 if exists else 127


@contextlib.contextmanager
def _forwarding_signals(process: subprocess.Popen[str]) -> Iterator[None]:
    """Hand on what is sent to this process alone; Ctrl-C reaches the program by itself."""

    def forward(number: int, _: Any) -> None:  # noqa: ANN401  a frame
        if number != signal.SIGINT or not _is_in_foreground():
            process.send_signal(number)

    before = {number: signal.signal(number, forward) for number in _FORWARDED}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_in_foreground() -> bool:
    """Whether the keys of a terminal reach this process, and with it the program."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
