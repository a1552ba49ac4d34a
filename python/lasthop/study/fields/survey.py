"""Reads a survey of a fleet as CSV: coupling loss, RSRP or coverage level of real devices."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, Discriminator, Field, ValidationInfo

from lasthop.errors import EnvironmentFailure, StudyError, UsageError
from lasthop.study.fields.form import Form, Quantity
from lasthop.study.fields.quantity import DECIBEL, FRACTION, POWER_LEVEL, format_quantity, parse
from lasthop.study.fields.shares import MAXIMUM_STRATA, Share, Shares
from lasthop.study.text.beside import file_beside
from lasthop.study.text.faults import Fault, nearest, show
from lasthop.study.text.source import read_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

MAXIMUM_FILE_BYTES = 64 * 1024 * 1024
DEFAULT_STEP_DB = 5.0
_SHARE_DIGITS = Decimal("0.000001")
_VALUES = ("coupling_loss_db", "rsrp_dbm", "coverage_level")
_WEIGHTS = ("devices", "share")
_IGNORED = ("device",)
_LEVELS = 3


_Loss = Annotated[float, Quantity(DECIBEL, "144 dB", minimum=-400)]
_Power = Annotated[float, Quantity(POWER_LEVEL, "29 dBm", minimum=-200)]


class Survey(Form):
    """Coupling losses of a real fleet, from a CSV file with a line for each device."""

    from_: str = Field(alias="from", examples=["survey.csv"])
    """CSV file in the folder of the study. One column is `coupling_loss_db`, `rsrp_dbm` or
    `coverage_level` (0, 1, 2). A column `devices` or `share` gives the number or the share of
    devices of a line, and `device` may name a device."""
    step: _Loss = Field(default=DEFAULT_STEP_DB, examples=["5 dB"])
    """Width of a stratum. The coupling loss of a stratum is a multiple of it."""
    nrs_power: _Power | None = Field(default=None, examples=["29 dBm"])
    """Power of the surveyed cell on one tone of its reference signal (`nrs-Power` of its SIB2-NB).
    RSRP is this power less the coupling loss."""
    levels: list[_Loss] | None = Field(
        default=None, min_length=1, max_length=_LEVELS, examples=["[130 dB, 149 dB, 159 dB]"]
    )
    """Coupling loss that stands for each coverage level, level 0 first."""

    def read(self, folder: Path) -> Shares:
        """Read the survey file from the folder of the study."""
        step_db = self.step
        if step_db <= 0:
            raise Fault("a stratum has no width", hint='write "step: 5 dB"', location=("step",))
        try:
            rows = _Rows.read(file_beside(folder, self.from_))
            to_loss = self._reader(rows)
            return rows.shares(to_loss, step_db)
        except Fault as fault:
            raise fault if fault.location else fault.within(("from",)) from None

    def _reader(self, rows: _Rows) -> Callable[[str], float]:
        """Return a function that converts a cell of the file to a coupling loss."""
        needs = {"rsrp_dbm": "nrs_power", "coverage_level": "levels"}.get(rows.column)
        for key, value, example in (
            ("nrs_power", self.nrs_power, "29 dBm"),
            ("levels", self.levels, "[130 dB, 149 dB, 159 dB]"),
        ):
            if key == needs and value is None:
                what = f'{rows.name} has a column "{rows.column}", and the key "{key}" is missing'
                raise Fault(what, hint=f'write "{key}: {example}"')
            if key != needs and value is not None:
                what = f'"{key}" has no effect, because {rows.name} has a column "{rows.column}"'
                raise Fault(what, hint="remove it", location=(key,), at_key=True)
        if self.nrs_power is not None:
            power = self.nrs_power
            return lambda cell: power - _number(cell, "dBm")
        if self.levels is not None:
            levels = self.levels
            return lambda cell: _level(cell, levels)
        return lambda cell: _number(cell, "dB")


def _read(survey: Survey, info: ValidationInfo) -> Shares:
    """Read the survey file from the study's folder, which the validation context contains."""
    context: Mapping[str, Path] = info.context or {}
    return survey.read(context.get(FOLDER, Path()))


def _shape(value: object) -> str:
    if not isinstance(value, dict):
        return "<value>"
    return "<survey>" if "from" in value else "<mapping>"


FOLDER = "folder"
"""Key of the validation context: the folder of the study."""
SurveyedShares = Annotated[Survey, AfterValidator(_read)]
"""Shares of strata that are read from a survey file."""
SCALAR_SHARES_OR_SURVEY = Discriminator(_shape)
"""Selects one of: a single value, shares in a mapping, a survey file."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """Lines of a survey file, each with number, value and weight."""

    name: str
    column: str
    weight: str | None
    lines: tuple[tuple[int, str, str], ...]

    @classmethod
    def read(cls, path: Path) -> _Rows:
        """Read a file and check its header."""
        try:
            text = read_file(path, maximum_bytes=MAXIMUM_FILE_BYTES)
        except StudyError as error:
            raise Fault(f"{path.name}: {error.what}", hint=error.hint) from None
        except (UsageError, EnvironmentFailure):
            what = f"the file {show(path.name)} cannot be read"
            hint = "write the name of a CSV file in the folder of the study"
            raise Fault(what, hint=hint) from None
        try:
            header, *lines = list(csv.reader(io.StringIO(text)))
        except csv.Error as error:
            hint = 'write rows such as "coupling_loss_db,devices" and "144,20"'
            raise Fault(f"{path.name}: {error}", hint=hint) from None
        except ValueError:
            what = "the header is missing"
            raise _at(path.name, 1, what, 'write "coupling_loss_db,devices"') from None
        columns = [cell.strip() for cell in header]
        _check_columns(path.name, columns)
        value = next(columns.index(name) for name in _VALUES if name in columns)
        weight = next((columns.index(name) for name in _WEIGHTS if name in columns), None)
        found = []
        for number, line in enumerate(lines, start=2):
            if not line:
                continue
            if len(line) != len(columns):
                what = f"{len(line)} cells under a header of {len(columns)}"
                raise _at(path.name, number, what, "give each row a cell for each column")
            cell = "1" if weight is None else line[weight].strip()
            found.append((number, line[value].strip(), cell))
        if not found:
            raise _at(path.name, 2, "the file has no rows", 'write a row such as "144,20"')
        return cls(
            path.name, columns[value], None if weight is None else columns[weight], tuple(found)
        )

    def shares(self, to_loss: Callable[[str], float], step_db: float) -> Shares:
        """Return the strata with their shares, rounding each loss to a multiple of a step."""
        strata: dict[int, Decimal] = {}
        for number, cell, weight in self.lines:
            try:
                place = math.floor(to_loss(cell) / step_db + 0.5)
                strata[place] = strata.get(place, Decimal(0)) + self._weight(weight)
            except Fault as fault:
                raise _at(self.name, number, fault.what, fault.hint) from None
        total = sum(strata.values(), Decimal(0))
        if self.weight == "share" and total != 1:
            what = (
                f"{self.name}: the shares sum to {format_quantity(total, FRACTION)}, not to 100 %"
            )
            raise Fault(what, hint="write shares that sum to 100 %, or a column devices")
        if len(strata) > MAXIMUM_STRATA:
            what = f"{self.name} makes {len(strata)} strata of {step_db:g} dB"
            raise Fault(
                what, hint=f"choose a greater step, so that at most {MAXIMUM_STRATA} remain"
            )
        return Shares(
            tuple(
                Share(f"{place * step_db:g} dB", place * step_db, share)
                for place, share in _rounded(strata, total)
            )
        )

    def _weight(self, cell: str) -> Decimal:
        if self.weight == "share":
            share = parse(cell, FRACTION, example="80 %")
            if share == 0:
                raise Fault("a stratum with 0 % has no devices", hint="remove the row")
            return Decimal(share)
        if not cell.isascii() or not cell.isdigit() or int(cell) == 0:
            raise Fault(f"{show(cell)} is not a number of devices", hint="write 1 or more")
        return Decimal(cell)


def _rounded(strata: Mapping[int, Decimal], total: Decimal) -> Iterable[tuple[int, Decimal]]:
    """Yield rounded shares that sum to 1. The largest share absorbs the rounding error."""
    shares = {
        place: max((weight / total).quantize(_SHARE_DIGITS), _SHARE_DIGITS)
        for place, weight in sorted(strata.items())
    }
    greatest = max(shares, key=lambda place: shares[place])
    shares[greatest] += 1 - sum(shares.values(), Decimal(0))
    return shares.items()


def _check_columns(name: str, columns: list[str]) -> None:
    if any(";" in column for column in columns):
        what = "the columns are separated by semicolons"
        raise _at(name, 1, what, "separate columns by commas, and write decimals with a point")
    known = [*_VALUES, *_WEIGHTS, *_IGNORED]
    for column in columns:
        if column not in known:
            near = nearest(column, known)
            hint = (
                f"known columns: {', '.join(known)}" if near is None else f'did you mean "{near}"?'
            )
            raise _at(name, 1, f"unknown column {show(column)}", hint)
        if columns.count(column) > 1:
            raise _at(name, 1, f"the column {show(column)} is there twice", "remove one of them")
    for several in (_VALUES, _WEIGHTS):
        found = [column for column in several if column in columns]
        if len(found) > 1:
            raise _at(name, 1, f"the header has {' and '.join(found)}", "keep one of them")
    if not any(column in columns for column in _VALUES):
        what = "the header has no column for the coverage of a device"
        raise _at(name, 1, what, f"add one of {', '.join(_VALUES)}")


def _number(cell: str, unit: str) -> float:
    """Parse a cell, whose unit may be written after the number."""
    kind, example = (DECIBEL, "144 dB") if unit == "dB" else (POWER_LEVEL, "-110 dBm")
    try:
        float(cell)
    except ValueError:
        if not cell.endswith(f" {unit}"):
            hint = f"write a number in {unit}, for example {example.split()[0]}"
            raise Fault(f"{show(cell)} is not in {unit}", hint=hint) from None
    else:
        cell = f"{cell} {unit}"
    value = float(parse(cell, kind, example=example))
    if unit == "dB" and value < 0:
        raise Fault(f"a coupling loss of {cell}", hint="write RSRP in a column rsrp_dbm")
    return value


def _level(cell: str, levels: list[float]) -> float:
    number = cell.lower().removeprefix("ce")
    if not number.isascii() or not number.isdigit() or int(number) >= len(levels):
        known = ", ".join(map(str, range(len(levels))))
        raise Fault(f"{show(cell)} is not a coverage level", hint=f"known levels: {known}")
    return levels[int(number)]


def _at(name: str, line: int, what: str, hint: str | None) -> Fault:
    return Fault(f"{name}:{line}: {what}", hint=hint)
