"""The interface for reporting the progress of a campaign."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished:
    """A run ended and its part is stored."""

    run_id: str
    status: str
    wall_s: float


class Progress(Protocol):
    """Interface of progress reports. Methods are called in the thread of the campaign."""

    def all_again(self, folder: str, why: str) -> None:
        """Report why existing results are not used and all runs are repeated."""
        ...

    def made_again(self, file: str) -> None:
        """Report that a removed results file is recreated."""
        ...

    def began(self, *, total: int, finished_before: int) -> None:
        """Report the number of runs, and how many were finished before."""
        ...

    def run_finished(self, run: RunFinished) -> None:
        """Report that one more run has finished."""
        ...

    def stopping(self) -> None:
        """Report that the current runs are being stopped."""
        ...

    def writing_tables(self, *, rows: int) -> None:
        """Report that the tables are being written."""
        ...

    def row_written(self) -> None:
        """Report that one more run is in the tables."""
        ...

    def judging(self, *, universes: int) -> None:
        """Report that claims are judged in this number of universes."""
        ...

    def universe_judged(self) -> None:
        """Report that a claim is judged in one more universe."""
        ...


class Silence:
    """Progress that reports nothing."""

    def all_again(self, folder: str, why: str) -> None:
        """Do nothing."""

    def made_again(self, file: str) -> None:
        """Do nothing."""

    def began(self, *, total: int, finished_before: int) -> None:
        """Do nothing."""

    def run_finished(self, run: RunFinished) -> None:
        """Do nothing."""

    def stopping(self) -> None:
        """Do nothing."""

    def writing_tables(self, *, rows: int) -> None:
        """Do nothing."""

    def row_written(self) -> None:
        """Do nothing."""

    def judging(self, *, universes: int) -> None:
        """Do nothing."""

    def universe_judged(self) -> None:
        """Do nothing."""
