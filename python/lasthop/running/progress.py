"""What a campaign tells whoever watches it."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished:
    """A run ended and is safe on disk."""

    run_id: str
    status: str
    wall_s: float


class Progress(Protocol):
    """Follows a campaign; called from the thread that started it."""

    def all_again(self, folder: str, why: str) -> None:
        """Say why the results in a folder do not count, so that all is run again."""
        ...

    def made_again(self, file: str) -> None:
        """Say that somebody removed a file of the results, which is made again."""
        ...

    def began(self, *, total: int, finished_before: int) -> None:
        """Say how many runs there are, and how many an earlier campaign had finished."""
        ...

    def run_finished(self, run: RunFinished) -> None:
        """Say that one more run is done."""
        ...

    def stopping(self) -> None:
        """Say that the running runs are being stopped."""
        ...

    def writing_tables(self, *, rows: int) -> None:
        """Say that the tables are being written."""
        ...

    def row_written(self) -> None:
        """Say that one more run is in the tables."""
        ...

    def judging(self, *, universes: int) -> None:
        """Say that claims are being judged in so many universes of a multiverse."""
        ...

    def universe_judged(self) -> None:
        """Say that a claim is judged in one more universe."""
        ...


class Silence:
    """Nobody watches."""

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
