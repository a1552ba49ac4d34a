"""The columns of `runs.parquet` that the referee reads."""

from dataclasses import dataclass, fields

OVERLOAD = "overload"
REPEATED_RUN = "repeated_run"

REASONS = frozenset({OVERLOAD, REPEATED_RUN})
"""Reasons for invalid runs that the referee may set and withdraw."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in one part with the columns that the referee reads."""

    part: str
    case_id: str
    run_id: str
    stack: str
    repetition: int
    status: str
    reason: str | None
    uncarried_ratio: float | None
    packets_up_offered: int | None
    packets_down_offered: int | None
    packets_up_delivered: int | None
    packets_down_delivered: int | None
    trace_hash: str | None

    @property
    def completed(self) -> bool:
        """Return whether the run itself completed, before the referee's judgement."""
        return self.status == "completed" or self.reason in REASONS


COLUMNS = tuple(field.name for field in fields(RunRow))
