"""The progress of a campaign, drawn on standard error if that is a terminal."""

import sys
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Self

from lasthop.cli.output import complain
from lasthop.running.progress import RunFinished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress, TaskID


class TerminalProgress:
    """A progress bar with the remaining time, shown only in a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        visible = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._bar = _bar() if visible else None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        """Begin to draw."""
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()

    def all_again(self, folder: str, why: str) -> None:
        """Print in one line why all runs are repeated."""
        if not self._quiet:
            complain(f"{folder}: {why}; all is run again")

    def made_again(self, file: str) -> None:
        """Print in one line, also with --quiet, that a removed result is made again."""
        complain(f"{file}: is gone; what it held is made again")

    def began(self, *, total: int, finished_before: int) -> None:
        """Report the number of runs, and how many were finished before."""
        self._next("running", total=total, completed=finished_before)

    def run_finished(self, run: RunFinished) -> None:  # noqa: ARG002
        """Report that one more run has finished."""
        self._advance()

    def stopping(self) -> None:
        """Report that the current runs are being stopped."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description="stopping, Ctrl-C again leaves at once")

    def writing_tables(self, *, rows: int) -> None:
        """Report that the tables are being written."""
        self._next("writing tables", total=rows)

    def row_written(self) -> None:
        """Report that one more run is in the tables."""
        self._advance()

    def judging(self, *, universes: int) -> None:
        """Report that claims are judged in this number of universes."""
        self._next("judging universes", total=universes)

    def universe_judged(self) -> None:
        """Report that a claim is judged in one more universe."""
        self._advance()

    def _next(self, description: str, *, total: int, completed: int = 0) -> None:
        if self._bar is None:
            return
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(description, total=total, completed=completed)

    def _advance(self) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task)


@contextmanager
def counted(description: str, *, total: int) -> "Iterator[Callable[[int], object]]":
    """Draw a bar. The returned function sets the number of finished runs."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    with _bar() as bar:
        task = bar.add_task(description, total=total)
        yield lambda done: bar.update(task, completed=done)


def _bar() -> "Progress":
    # Imported where somebody looks.
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("remaining"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
