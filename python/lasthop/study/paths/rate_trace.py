"""Rate recorded as a mahimahi trace: the times at which packets may pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import Field

from lasthop.errors import EnvironmentFailure, StudyError, UsageError
from lasthop.study.fields.form import Form
from lasthop.study.paths.trace import MAXIMUM_FILE_BYTES
from lasthop.study.text.beside import file_beside
from lasthop.study.text.faults import Fault, show
from lasthop.study.text.source import read_file

if TYPE_CHECKING:
    from pathlib import Path

MAXIMUM_MOMENTS = 1_000_000

_OPPORTUNITY_BYTES = 1504
_OVERHEAD_BYTES = 4
"""Bytes that mahimahi adds to each packet: the header of a TUN device."""

_NS_PER_MS = 1_000_000
_MS_PER_SECOND = 1_000


class RateTrace(Form):
    """A rate that is read from a trace file."""

    trace: str = Field(examples=["lte-up.trace"])
    """File of a mahimahi trace in the folder of the study. Each line is a time in ms at which 1504
    bytes may pass: an IP packet of 1500 B and four bytes of mahimahi. The trace repeats."""

    def read(self, folder: Path) -> Moments:
        """Read the trace file from a folder.

        Raises
        ------
        Fault
            If it cannot be read, or a line is not what it should be.
        """
        try:
            return Moments.read(file_beside(folder, self.trace))
        except Fault as fault:
            raise fault.within(("trace",)) from None


@dataclass(frozen=True, slots=True)
class Moments:
    """Times of a trace at which a packet may pass, in ms."""

    times_ms: tuple[int, ...]

    @classmethod
    def read(cls, path: Path) -> Moments:
        """Read a trace file.

        Raises
        ------
        Fault
            If it cannot be read, or a line is not what it should be.
        """
        try:
            text = read_file(path, maximum_bytes=MAXIMUM_FILE_BYTES)
        except StudyError as error:
            raise Fault(f"{path.name}: {error.what}", hint=error.hint) from None
        except (UsageError, EnvironmentFailure):
            what = f"the file {show(path.name)} cannot be read"
            hint = "write the name of a mahimahi trace in the folder of the study"
            raise Fault(what, hint=hint) from None
        if text and not text.endswith("\n"):
            what = "the last line has no line break, so it may be cut off"
            raise _bad_line(path, text.count("\n") + 1, what, "end it with a line break")
        times: list[int] = []
        for number, line in enumerate(text.splitlines(), start=1):
            written = line.strip()
            if not (written.isascii() and written.isdecimal()):
                hint = 'write a time in ms such as "17"'
                raise _bad_line(path, number, f"{show(line)} is not a whole number", hint)
            if times and int(written) < times[-1]:
                raise _bad_line(
                    path, number, "the time is earlier than in the line before", "sort the lines"
                )
            if number > MAXIMUM_MOMENTS:
                raise _bad_line(path, number, "too many lines", f"keep {MAXIMUM_MOMENTS}")
            times.append(int(written))
        if not times or times[-1] == 0:
            hint = 'end it with the length of the trace in ms, such as "60000"'
            raise _bad_line(path, max(1, len(times)), "the trace takes no time", hint)
        return cls(tuple(times))

    @property
    def bits_per_second(self) -> int:
        """Return the mean rate of the trace in bit/s."""
        bits = len(self.times_ms) * _OPPORTUNITY_BYTES * 8
        return max(1, round(bits * _MS_PER_SECOND / self.times_ms[-1]))

    def spec(self) -> dict[str, Any]:
        """Return the trace as part of a run spec."""
        return {
            "trace": {
                "times_ns": [time * _NS_PER_MS for time in self.times_ms],
                "period_ns": self.times_ms[-1] * _NS_PER_MS,
                "opportunity_bytes": _OPPORTUNITY_BYTES,
                "overhead_bytes": _OVERHEAD_BYTES,
            }
        }


def _bad_line(path: Path, line: int, what: str, hint: str) -> Fault:
    return Fault(f"{path.name}:{line}: {what}", hint=hint)
