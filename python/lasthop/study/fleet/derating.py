"""What a cell gives at a temperature: a table of the user's own, as a mapping or a CSV file."""

from __future__ import annotations

import csv
import io
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo

from lasthop.errors import EnvironmentFailure, StudyError, UsageError
from lasthop.study.fields.form import quantity_schema
from lasthop.study.fields.quantity import (
    CURRENT,
    FRACTION,
    TEMPERATURE,
    format_quantity,
    parse,
)
from lasthop.study.fields.survey import FOLDER
from lasthop.study.fields.written import Written
from lasthop.study.text.beside import file_beside
from lasthop.study.text.faults import Fault, show
from lasthop.study.text.source import read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MAXIMUM_ROWS = 1000
_COLUMNS = ("temperature_c", "capacity", "max_pulse_ma")
_ABSOLUTE_ZERO = -273.15


@dataclass(frozen=True, slots=True)
class DeratingRow:
    """What a cell gives at one temperature.

    Parameters
    ----------
    capacity
        Share of the nominal capacity.
    max_pulse
        Largest pulse in A, None where the table does not tell it.
    """

    celsius: float
    capacity: float
    max_pulse: float | None = None


@dataclass(frozen=True, slots=True)
class Derating:
    """A table over temperature, from the coldest to the warmest.

    Examples
    --------
    >>> table = Derating((DeratingRow(-20, 0.5), DeratingRow(20, 1.0)))
    >>> table.at(0).capacity
    0.75
    """

    rows: tuple[DeratingRow, ...]

    def at(self, celsius: float) -> DeratingRow:
        """Give the row of a temperature, on a straight line between two rows.

        Raises
        ------
        Fault
            If it lies outside of the table, which is never extrapolated.
        """
        first, last = self.rows[0].celsius, self.rows[-1].celsius
        if not first <= celsius <= last:
            here, low, high = (_degrees(one) for one in (celsius, first, last))
            raise Fault(
                f"the derating table has no value for {here}",
                hint=f"write a temperature from {low} to {high}, or add a row to the table",
            )
        above = bisect_left(self.rows, celsius, key=lambda row: row.celsius)
        right = self.rows[above]
        if right.celsius == celsius:
            return right
        left = self.rows[above - 1]
        part = (celsius - left.celsius) / (right.celsius - left.celsius)
        pulses = (left.max_pulse, right.max_pulse)
        return DeratingRow(
            celsius,
            _between(left.capacity, right.capacity, part),
            None if None in pulses else _between(*pulses, part),  # type: ignore[arg-type]
        )


def _between(left: float, right: float, part: float) -> float:
    return left + (right - left) * part


def _degrees(celsius: float) -> str:
    return format_quantity(celsius, TEMPERATURE)


@dataclass(frozen=True, slots=True)
class TableOf(Written):
    """Marks a mapping of temperatures to capacities, or the name of a CSV file."""

    def read(self, value: object) -> Derating | str:
        """Read the mapping; the file is read once its folder is known."""
        if isinstance(value, str) and value.endswith(".csv"):
            return value
        if not isinstance(value, dict) or not value:
            hint = 'write "{-20 C: 60 %, 20 C: 100 %}", or the name of a CSV file'
            raise Fault(f"{show(value)} is not a derating table", hint=hint)
        rows = []
        for key, share in value.items():
            try:
                rows.append(_row(str(key), share))
            except Fault as fault:
                raise fault.within((key,)) from None
        return _table(rows)

    def described(self) -> dict[str, Any]:
        """Describe the mapping and the file."""
        mapping = {
            "type": "object",
            "minProperties": 1,
            "propertyNames": quantity_schema(TEMPERATURE, "-20 C"),
            "additionalProperties": quantity_schema(FRACTION, "60 %"),
        }
        return {"anyOf": [mapping, {"type": "string", "pattern": r"\.csv$"}]}


def _row(temperature: str, share: object, pulse: str | None = None) -> DeratingRow:
    celsius = float(parse(temperature, TEMPERATURE, example="-20 C"))
    if celsius < _ABSOLUTE_ZERO:
        raise Fault(f"{show(temperature)} is below absolute zero", hint='write "-20 C"')
    capacity = float(parse(share, FRACTION, example="60 %"))
    if capacity == 0:
        raise Fault("a cell that gives 0 % is empty", hint="remove the row")
    if pulse is None:
        return DeratingRow(celsius, capacity)
    return DeratingRow(celsius, capacity, float(parse(pulse, CURRENT, example="200 mA")))


def _table(rows: Iterable[DeratingRow]) -> Derating:
    ordered = sorted(rows, key=lambda row: row.celsius)
    for before, after in pairwise(ordered):
        if before.celsius == after.celsius:
            what = f"{_degrees(after.celsius)} is in the derating table twice"
            raise Fault(what, hint="remove one of the rows")
    return Derating(tuple(ordered))


def _read(written: Derating | str, info: ValidationInfo) -> Derating:
    if isinstance(written, Derating):
        return written
    context: Mapping[str, Path] = info.context or {}
    return _of_file(file_beside(context.get(FOLDER, Path()), written))


def _of_file(path: Path) -> Derating:
    try:
        text = read_file(path, maximum_bytes=64 * 1024)
        header, *lines = list(csv.reader(io.StringIO(text)))
    except StudyError as error:
        raise Fault(f"{path.name}: {error.what}", hint=error.hint) from None
    except (UsageError, EnvironmentFailure):
        hint = "write the name of a CSV file in the folder of the study"
        raise Fault(f"the file {show(path.name)} cannot be read", hint=hint) from None
    except (csv.Error, ValueError):
        hint = 'write "temperature_c,capacity" and rows such as "-20,60 %"'
        raise Fault(f"{path.name}: the file is not a table", hint=hint) from None
    columns = [cell.strip() for cell in header]
    if columns not in ([*_COLUMNS[:2]], [*_COLUMNS]):
        hint = f'write "{",".join(_COLUMNS[:2])}", or "{",".join(_COLUMNS)}"'
        raise Fault(f"{path.name}:1: {show(text.splitlines()[0])} is not the header", hint=hint)
    rows = [_row_of(path.name, number, line, len(columns)) for number, line in _written(lines)]
    if not rows or len(rows) > MAXIMUM_ROWS:
        hint = f'write 1 to {MAXIMUM_ROWS} rows such as "-20,60 %"'
        raise Fault(f"{path.name}: the table has {len(rows)} rows", hint=hint)
    try:
        return _table(rows)
    except Fault as fault:
        raise Fault(f"{path.name}: {fault.what}", hint=fault.hint) from None


def _written(lines: Sequence[list[str]]) -> Iterable[tuple[int, list[str]]]:
    return ((number, line) for number, line in enumerate(lines, start=2) if line)


def _row_of(name: str, number: int, line: list[str], cells: int) -> DeratingRow:
    if len(line) != cells:
        what = f"{name}:{number}: {len(line)} cells under a header of {cells}"
        raise Fault(what, hint="give each row a cell for each column")
    try:
        celsius, capacity, *pulse = (cell.strip() for cell in line)
        return _row(f"{celsius} C", capacity, f"{pulse[0]} mA" if pulse else None)
    except Fault as fault:
        raise Fault(f"{name}:{number}: {fault.what}", hint=fault.hint) from None


DeratingTable = Annotated[
    Any, TableOf(), AfterValidator(_read), Field(examples=["{-20 C: 60 %, 20 C: 100 %}"])
]
"""A derating table as a study writes it."""
