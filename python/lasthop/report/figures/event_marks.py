"""When the events of a study happened in one run: handovers, outages and the others."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from lasthop.answer.quantities import format_quantity
from lasthop.report.figures.datasets import Datasets
from lasthop.report.figures.vega_lite import Field, Layer, X

MOST_MARKS = 200
_SECOND_NS = 1e9

_WORDS = {
    "outage": "outage",
    "device_outage": "outage",
    "power_cut": "power cut",
    "new_address": "new address",
    "change_path": "change of path",
    "handover": "handover",
    "restart": "restart",
}


@dataclass(frozen=True, slots=True)
class RunEvents:
    """The events of a run.

    Parameters
    ----------
    marks : tuple of dict
        A row for each, in order of time.
    hidden : int
        How many more there are.
    drawn_by_seed : tuple of str
        Kinds of events at random times, which a run spec does not hold.
    """

    marks: tuple[dict[str, Any], ...] = ()
    hidden: int = 0
    drawn_by_seed: tuple[str, ...] = ()

    @classmethod
    def of_spec(cls, run_spec: str | None) -> Self:
        """Read them from a run spec; none without one."""
        events = [] if run_spec is None else json.loads(run_spec).get("events") or []
        marks: list[dict[str, Any]] = []
        by_seed: dict[str, None] = {}
        for event in events:
            ((kind, change),) = event["change"].items()
            again = event.get("again") or {}
            if "poisson" in again or any(it.get("own") for it in again.values()):
                by_seed[_WORDS[kind]] = None
                continue
            what = f"{_WORDS[kind]} of {_whom(change['of'])}{_for(change)}"
            marks += (
                {"time": at / _SECOND_NS, "what": what, "kind": _WORDS[kind]}
                for at in _times(event)
            )
        marks.sort(key=lambda mark: mark["time"])
        shown = marks[:MOST_MARKS]
        return cls(tuple(shown), len(marks) - len(shown), tuple(by_seed))

    @property
    def words(self) -> str:
        """Say what the lines are, where there are some."""
        said = ""
        if self.marks:
            kinds = list(dict.fromkeys(mark["kind"] for mark in self.marks))
            more = f" (the first {MOST_MARKS} of them)" if self.hidden else ""
            said = f"A dotted line is an event: {', '.join(kinds)}{more}. "
        if self.drawn_by_seed:
            said += f"Events at random times are not marked: {', '.join(self.drawn_by_seed)}. "
        return said

    def layers(self, datasets: Datasets, *, x: X) -> list[Layer]:
        """Draw a line for each; nothing without events."""
        if not self.marks:
            return []
        tooltip = [Field("what:N", title="event"), Field("time:Q", title="at (s)", format=".6~g")]
        marks = Layer(datasets.add(list(self.marks))).marked("rule", style="event")
        return [marks.encoded(x=x, tooltip=tooltip)]


def _times(event: Mapping[str, Any]) -> Iterator[int]:
    periodic = (event.get("again") or {}).get("periodic")
    if periodic is None:
        yield event["at_ns"]
        return
    yield from range(event["at_ns"], periodic["until_ns"], periodic["every_ns"])


def _whom(of: Mapping[str, Any]) -> str:
    """Name the devices, the server, the path or the hop."""
    if "devices" in of:
        return _whom(of["devices"])
    if "group" in of:
        share = of.get("share", 1.0)
        part = "" if share == 1 else f"{format_quantity(share, 'fraction')} of "
        return f"{part}{of['group']}"
    ((_, name),) = of.items()
    return str(name)


def _for(change: Mapping[str, Any]) -> str:
    lasts = (
        change.get("gap_ns")
        or change.get("duration_ns")
        or change.get("back", {}).get("duration_ns")
    )
    return "" if not lasts else f" for {format_quantity(lasts / _SECOND_NS, 's')}"
