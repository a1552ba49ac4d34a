"""The columns of the answer's tables: delivery, latency and cost of each stack."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lasthop.answer.projection import SHOWN
from lasthop.answer.quantities import format_quantity
from lasthop.measures import Measure, column_of
from lasthop.outcome.answer_row import AnswerRow
from lasthop.referee.row import OVERLOAD
from lasthop.study.expressions import parse_expression

_NOT_REACHED = "not reached"


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """A column of a table of stacks.

    Attributes
    ----------
    heading
        Text of the column's head.
    write
        Function that formats a row's cell.
    is_number
        Whether its cells are quantities.
    """

    heading: str
    write: Callable[[AnswerRow], str]
    is_number: bool = True


def answer_columns(
    rows: Iterable[AnswerRow], aim: str | None, required: Sequence[str] = ()
) -> tuple[AnswerColumn, ...]:
    """Return the columns for these rows. The battery column needs a device with a battery.

    Parameters
    ----------
    rows
        The rows of all tables that are shown together.
    aim
        The objective's column, if no other column shows it.
    required
        The requirements of the study. Each has a column, under its letter.
    """
    rows = tuple(rows)
    lives = any(row.battery_years is not None for row in rows)
    battery = AnswerColumn("battery", lambda row: _written(row.battery_years, "years"))
    return (
        AnswerColumn("", lambda row: "" if row.rank is None else str(row.rank), is_number=False),
        AnswerColumn("stack", lambda row: row.stack, is_number=False),
        *(() if aim is None else (_aim(column_of(aim)),)),
        AnswerColumn("delivery", lambda row: _written(row.delivery_ratio, "fraction")),
        AnswerColumn("p50", lambda row: _waiting(row, row.latency_p50_ms, _NOT_REACHED)),
        AnswerColumn("p95", lambda row: _waiting(row, row.latency_p95_ms, _NOT_REACHED)),
        AnswerColumn("bytes a run", lambda row: _written(row.wire_bytes, "B")),
        *((battery,) if lives else ()),
        *(_required(letter, one) for letter, one in lettered(required)),
        AnswerColumn("verdict", lambda row: row.standing, is_number=False),
    )


def lettered(required: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Pair each requirement with the letter of its column: ``(a)``."""
    return (
        (f"({chr(ord('a') + place % 26) * (place // 26 + 1)})", one)
        for place, one in enumerate(required)
    )


def _required(letter: str, requirement: str) -> AnswerColumn:
    def write(row: AnswerRow) -> str:
        met = row.requirements.get(requirement, "")
        figure = row.missed.get(requirement, "")
        return f"{met}: {figure}" if figure and not is_shown else met

    expression = parse_expression(requirement)
    is_shown = expression.comparison.columns[0] in SHOWN and not expression.where
    return AnswerColumn(letter, write, is_number=False)


def _aim(measure: Measure) -> AnswerColumn:
    def write(row: AnswerRow) -> str:
        if measure.is_waiting:
            return _waiting(row, row.aim, measure.missing, measure.unit)
        return _written(row.aim, measure.unit, missing=_where_it_ran(row, measure.missing))

    return AnswerColumn(measure.short_name, write)


def _written(value: float | None, unit: str, missing: str = "") -> str:
    return format_quantity(value, unit, missing=missing)


def _waiting(row: AnswerRow, value: float | None, missing: str, unit: str = "ms") -> str:
    missing = OVERLOAD if row.overload else _where_it_ran(row, missing)
    return _written(value, unit, missing=missing)


def _where_it_ran(row: AnswerRow, missing: str) -> str:
    return "" if row.delivery_ratio is None else missing
