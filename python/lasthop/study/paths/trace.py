"""Parser of delay traces: CSV files with the header ``time_s,delay_ms``."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from lasthop.errors import EnvironmentFailure, StudyError, UsageError
from lasthop.study.fields.quantity import TIME, parse
from lasthop.study.text.faults import Fault, show
from lasthop.study.text.source import read_file

if TYPE_CHECKING:
    from pathlib import Path

MAXIMUM_TRACE_POINTS = 100_000

MAXIMUM_FILE_BYTES = 8 * 1024 * 1024

_COLUMNS = ["time_s", "delay_ms"]


def read_trace(path: Path) -> tuple[list[int], list[int]]:
    """Return the times and the delays of a trace, both in ns.

    Raises
    ------
    Fault
        If the file cannot be read, or a row is not what it should be.
    """
    try:
        text = read_file(path, maximum_bytes=MAXIMUM_FILE_BYTES)
    except StudyError as error:
        raise Fault(f"{path.name}: {error.what}", hint=error.hint) from None
    except (UsageError, EnvironmentFailure):
        what = f"the file {show(path.name)} cannot be read"
        raise Fault(what, hint="write the name of a CSV file in the folder of the study") from None
    if text and not text.endswith("\n"):
        number = text.count("\n") + 1
        raise _bad_row(
            path,
            number,
            "the last line has no line break, so it may be cut off",
            "end it with a line break",
        )
    times: list[int] = []
    delays: list[int] = []
    try:
        for number, row in enumerate(csv.reader(io.StringIO(text)), start=1):
            if number == 1:
                _check_header(path, row)
                continue
            time, delay = _read_row(path, number, row)
            _check_time(path, number, time, times)
            times.append(time)
            delays.append(delay)
    except csv.Error as error:
        raise Fault(f"{path.name}: {error}", hint='write rows such as "1.5,100"') from None
    if not times:
        raise _bad_row(path, 2, "the file has no rows", 'write a first row such as "0,100"')
    return times, delays


def _check_header(path: Path, row: list[str]) -> None:
    if [cell.strip() for cell in row] != _COLUMNS:
        raise _bad_row(path, 1, "the header is missing", 'write "time_s,delay_ms"')


def _read_row(path: Path, number: int, row: list[str]) -> tuple[int, int]:
    try:
        time, delay = row
        return int(parse(f"{time.strip()} s", TIME)), int(parse(f"{delay.strip()} ms", TIME))
    except ValueError:
        raise _bad_row(
            path, number, "the row is not two numbers", 'write a row such as "1.5,100"'
        ) from None


def _check_time(path: Path, number: int, time: int, before: list[int]) -> None:
    if not before and time != 0:
        raise _bad_row(
            path, number, "the trace does not begin at 0 s", 'write a first row such as "0,100"'
        )
    if before and time <= before[-1]:
        raise _bad_row(
            path, number, "the time is not later than in the row before", "sort the rows by time"
        )
    if len(before) == MAXIMUM_TRACE_POINTS:
        raise _bad_row(path, number, "too many rows", f"keep {MAXIMUM_TRACE_POINTS}")


def _bad_row(path: Path, line: int, what: str, hint: str) -> Fault:
    return Fault(f"{path.name}:{line}: {what}", hint=hint)
