"""Checks of `decide` and `expect`: names and columns must exist and be measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.measures import FleetNeed, FleetRule
from lasthop.measures.groups import PLACE, WHOLE
from lasthop.measures.radio import ENERGY
from lasthop.measures.timeliness import RECOVERIES
from lasthop.study.expressions import COMPARABLE
from lasthop.study.plan.parameters import TEXT
from lasthop.study.run_spec import FleetWeights, RunSpecReader
from lasthop.study.text.faults import Fault, show, suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lasthop.measures import Measure
    from lasthop.study.expressions import Comparison, Expression
    from lasthop.study.plan.study import Part, Point, SweptParameter
    from lasthop.study.stacks.arm import StudyArm


class Judgeable:
    """Names, swept values and columns of a study that expressions can use.

    Parameters
    ----------
    swept
        Swept values of all parts, by key.
    """

    def __init__(
        self,
        arms: Sequence[StudyArm],
        parts: Sequence[Part],
        swept: Mapping[str, SweptParameter],
        points: Sequence[Point],
    ) -> None:
        places = _places(points)
        self._names = {
            "stack": [arm.name for arm in arms],
            "stack_resolved": [arm.resolved for arm in arms],
            "part": [part.name for part in parts],
            **{name: _once(place[name] for place in places) for name in PLACE},
        }
        self._together = places
        self._points = points
        self._swept = swept
        self._values = {
            key: [point.parameters[parameter.column] for point in points]
            for key, parameter in swept.items()
        }

    def check(self, expression: Expression) -> None:
        """Check that an expression uses existing names and measured columns.

        Raises
        ------
        Fault
            No stack, group, part or swept value is the one that it names, or nothing measures it.
        """
        column = expression.comparison.column
        if column in PLACE:
            hint = f"""write "delivery_ratio >= 99 % where {expression.text.strip()}" """.strip()
            raise Fault(f"{column} names a part of the results, and is not a measure", hint=hint)
        for comparison in expression.comparisons:
            self._check(comparison)
        self._check_place(expression)

    def check_measurable(self, name: str) -> None:
        """Check that energy columns have a radio, battery columns a permanent device, and so on.

        Parameters
        ----------
        name
            Column name without unit, used by the decision or an expectation.

        Raises
        ------
        Fault
            If no point can tell.
        """
        self._check_timeliness(name)
        if name not in _OF_RADIOS:
            return
        readers = (RunSpecReader(point.conditions) for point in self._points)
        measured = [reader for reader in readers if reader.has_radio]
        if not measured:
            raise Fault(
                f"{name} cannot be calculated: no hop of the path is a radio with an energy model",
                hint='write "path: {nbiot: {coupling_loss: 154 dB}}", or rank by another column',
            )
        if name == _BATTERY and not any(reader.has_staying for reader in measured):
            raise Fault(
                "battery_years cannot be calculated: devices that come and go are "
                "not present for long enough",
                hint='write a number of devices that stay, for example "devices: '
                '1", or rank by energy_per_message',
            )

        if name in _ASKED_FOR and not any(
            key in (group["energy"] or {})
            for point in self._points
            for group in point.conditions["groups"]
            for key in _ASKED_FOR[name][0]
        ):
            _, what, example = _ASKED_FOR[name]
            raise Fault(
                f"{name} cannot be calculated: no group has a {what}",
                hint=f'write for example "energy: {{{example}}}"',
            )

    def _check_timeliness(self, name: str) -> None:
        """Check that there are deadlines, events and repeated messages for their columns."""
        specs = [point.conditions for point in self._points]
        if name in _OF_DEADLINES and not any(
            "within_ns" in flow for spec in specs for flow in spec["flows"]
        ):
            raise Fault(
                f"{name} cannot be calculated: no flow has a time for delivery",
                hint='write for example "within: 15 min" in the traffic',
            )
        if name in _OF_EVENTS and not any(spec.get("events") for spec in specs):
            raise Fault(
                f"{name} cannot be calculated: the study has no events",
                hint='write for example "events: [{start: 5 min, outage: server, for: 30 s}]"',
            )
        if name in _OF_AGE and not any(
            flow["arrivals"] != "once" for spec in specs for flow in spec["flows"]
        ):
            raise Fault(
                f"{name} cannot be calculated: devices that come and go send one message each",
                hint='write a number of devices that stay, for example "devices: 1"',
            )

    def check_weights(self, name: str, part: str) -> None:
        """Check that a column is defined for a fleet with different weights.

        Parameters
        ----------
        name
            Column name without unit, judged for whole runs.
        part
            The part that decides.

        Raises
        ------
        Fault
            If its value would be that of the simulated devices and not that of the fleet.
        """
        column = COMPARABLE.get(name)
        if column is None or not column.is_measured:
            return
        if column.fleet.is_of_fleet:
            self._check_measured(column, part, f"{name} cannot decide about this fleet")
            return
        points = (point for point in self._points if point.part == part)
        if any(FleetWeights.of(point.conditions) for point in points):
            why = _ADDED if column.fleet is FleetRule.SUM else _UNRULED
            raise Fault(f"{name} cannot decide about this fleet: {why}", hint=_WEIGHTED_HINT)

    def check_measured(self, name: str) -> None:
        """Check that a weighted column has the data for its weights at every point.

        Raises
        ------
        Fault
            If its cells would be empty.
        """
        column = COMPARABLE.get(name)
        if column is not None and column.is_measured and column.fleet.is_of_fleet:
            for part in dict.fromkeys(point.part for point in self._points):
                self._check_measured(column, part, f"{name} has no value for this fleet")

    def _check_measured(self, column: Measure, part: str, what: str) -> None:
        if column.fleet_needs is FleetNeed.NOTHING:
            return
        for point in self._points:
            weights = FleetWeights.of(point.conditions) if point.part == part else None
            why = None if weights is None else weights.why_lacking(column.fleet_needs)
            if why is not None:
                raise Fault(f"{what}: {why}", hint=_WEIGHTED_HINT)

    def _check_place(self, expression: Expression) -> None:
        """Check that the named group, stratum and flow occur together."""
        asked = [condition for condition in expression.where if condition.column in PLACE]
        if any(all(one.admits(place[one.column]) for one in asked) for place in self._together):
            return
        named = " and ".join(f"{one.column} {one.operator} {one.written}" for one in asked)
        known = (f"{place['flow']} of {place['group']}" for place in self._together)
        hint = f"write one of its flows: {', '.join(dict.fromkeys(known))}"
        raise Fault(f"the study has no flow with {named}", hint=hint)

    def _check(self, comparison: Comparison) -> None:
        column = comparison.column
        names = self._names.get(column)
        if names is not None and comparison.value not in names:
            raise Fault(
                f"no {column} of the study is {show(comparison.value)}",
                hint=suggestion(
                    str(comparison.value), names, kind=_PLURALS.get(column, f"{column}s")
                )
                if names
                else f"remove the condition; the study has no {_PLURALS.get(column, column)}",
            )
        if "." in column and column not in self._swept:
            swept = ", ".join(self._swept) or "nothing"
            raise Fault(
                f"{column} is not swept", hint=f"write a key that the study sweeps: {swept}"
            )
        if column in self._swept and isinstance(comparison.value, str):
            parameter = self._swept[column]
            if parameter.unit != TEXT:
                what = f"{column} is a number in this study, and {show(comparison.value)} is text"
                raise Fault(what, hint="write a number with its unit, without quotes")
        values = [value for value in self._values.get(column, ()) if value is not None]
        if values and not any(comparison.admits(value) for value in values):
            what = f"no point of the study has {column} {comparison.operator} {comparison.written}"
            raise Fault(what, hint="write a value from the sweep")
        self.check_measurable(column)


def _places(points: Sequence[Point]) -> list[dict[str, str]]:
    """Return group, stratum and flow of every future row of ``groups.parquet``."""
    return [
        {"group": group["name"], "stratum": stratum, "flow": flow["name"]}
        for point in points
        for group in point.conditions["groups"]
        for flow in point.conditions["flows"]
        if group["name"] in (flow["from"], flow["to"])
        for stratum in [part["name"] for part in group["strata"]] or [WHOLE]
    ]


def _once(names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name != WHOLE]


_ADDED = "it is a sum over simulated devices, and these stand for different numbers of real devices"
_UNRULED = (
    "simulated devices stand for different numbers of real devices, and this "
    "measure cannot be weighted"
)
_WEIGHTED_HINT = (
    "use delivery_ratio, a percentile of latency, battery_years or "
    'energy_per_message; or set "simulate" so that every simulated device stands '
    "for the same number of real devices"
)
_PLURALS = {"stratum": "strata"}
_BATTERY = "battery_years"
_ASKED_FOR = {
    "lifetime_ratio": (("lifetime_years",), "lifetime", "lifetime: 15 years"),
    "energy_load": (("load_w", "load_per_message_j"), "load", "load: {constant: 40 uW}"),
}
"""Columns that are empty unless a group asks for them: the keys of its run spec, the noun, and what
to write."""
_OF_AGE = frozenset({"age_of_information_mean", "age_of_information_max"})
_OF_DEADLINES = frozenset({"messages_with_deadline", "messages_in_time", "in_time_ratio"})
_OF_EVENTS = frozenset(column.short_name for column in RECOVERIES)
_OF_RADIOS = frozenset(column.short_name for column in ENERGY)
