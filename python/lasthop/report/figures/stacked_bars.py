"""Bars of segments: what a total is made of, a few bars for each stack."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lasthop.report.figures.datasets import Datasets
from lasthop.report.figures.encodings import AxisUnit, number_axis
from lasthop.report.figures.figure import Panel
from lasthop.report.figures.vega_lite import Chart, Color, Field, Layer, Legend, Scale, Value, X, Y

_ROW_HEIGHT = 26
_NAME = "name"


@dataclass(frozen=True, slots=True)
class StackedBars:
    """The bars of a figure, on one scale in all its panels.

    A row is a segment: ``stack``, ``slot`` (which bar of the stack), ``entry`` (what it is for) and
    ``value``, beside what its tooltip tells.

    Parameters
    ----------
    stacks : tuple of str
        From top to bottom; those without a segment or a remark have no place in a panel.
    slots : tuple of str
        The bars of a stack, from top to bottom.
    entries : tuple of str
        All that a segment can be for, in the order of the segments.
    palette : tuple of str
        The entries in the order of their colours; a figure on the same page may have some of them.
    rows : sequence of sequence of mapping
        The segments of each panel.
    label, unit : str
        Of the values.
    room : float
        How long the axis is for a longest bar of 1: the rest is for the word at its end.
    word : callable
        Gives the word at the end of a bar from its slot and its total.
    tooltip : sequence of Field
        What a segment tells.
    legend : bool
        Whether the charts have one, as an image needs it.
    remarks : sequence of mapping of str to str
        What is said behind the name of a stack, for each panel.
    """

    stacks: tuple[str, ...]
    slots: tuple[str, ...]
    entries: tuple[str, ...]
    palette: tuple[str, ...]
    rows: Sequence[Sequence[Mapping[str, Any]]]
    label: str
    unit: str
    room: float
    word: Callable[[str, float], str]
    tooltip: Sequence[Field]
    legend: bool
    remarks: Sequence[Mapping[str, str]]

    @property
    def shown(self) -> tuple[str, ...]:
        """The entries that have a segment."""
        used = {row["entry"] for rows in self.rows for row in rows}
        return tuple(entry for entry in self.entries if entry in used)

    def panels(self, titles: Sequence[str]) -> tuple[Panel, ...]:
        """Draw a panel for each title."""
        totals = [_totals(rows) for rows in self.rows]
        largest = max((total for found in totals for total in found.values()), default=1.0)
        measure = AxisUnit.of(self.label, self.unit, [largest])
        scale = Scale(domain=[0, largest * measure.factor * self.room], nice=False)
        x = X("size:Q", title=measure.title, scale=scale, axis=number_axis())
        return tuple(
            self._panel(title, place, found, x, measure.factor)
            for place, (title, found) in enumerate(zip(titles, totals, strict=True))
        )

    def _panel(
        self,
        title: str,
        place: int,
        totals: Mapping[tuple[str, str], float],
        x: X,
        factor: float,
    ) -> Panel:
        datasets = Datasets()
        with_bars = {stack for stack, _ in totals} | self.remarks[place].keys()
        present = [stack for stack in self.stacks if stack in with_bars]
        slots = [_NAME, *self.slots]
        y = Y(
            "stack:N",
            title=None,
            scale=Scale(domain=present, paddingInner=0.25, paddingOuter=0.1),
            axis=None,
        )
        offset = Field("slot:N", scale=Scale(domain=slots, paddingInner=0.12))
        drawn = [
            {**row, "size": row["value"] * factor, "order": self.entries.index(row["entry"])}
            for row in self.rows[place]
        ]
        segments = (
            Layer(datasets.add(drawn))
            .marked("bar")
            .encoded(
                x=x,
                y=y,
                yOffset=offset,
                color=self._colour(),
                order=Field("order:Q"),
                tooltip=list(self.tooltip),
            )
        )
        ends = [
            {"stack": stack, "slot": slot, "size": total * factor, "text": self.word(slot, total)}
            for (stack, slot), total in totals.items()
        ]
        words = (
            Layer(datasets.add(ends))
            .marked("text", align="left", dx=5)
            .encoded(x=x, y=y, yOffset=offset, text=Field("text:N"))
        )
        named = [
            {"stack": stack, "slot": _NAME, "text": f"{stack}{self.remarks[place].get(stack, '')}"}
            for stack in present
        ]
        # The name stands above its bars, where a long one has room on a phone too.
        names = (
            Layer(datasets.add(named))
            .marked("text", align="left", baseline="middle", fontSize=12)
            .encoded(x=Value(0), y=y, yOffset=offset, text=Field("text:N"))
        )
        height = max(1, len(present)) * len(slots) * _ROW_HEIGHT
        chart = Chart((segments, words, names), height=height)
        return Panel(title, chart, datasets)

    def _colour(self) -> Color:
        return Color(
            "entry:N",
            scale=Scale(domain=list(self.palette), range="ordinal"),
            legend=Legend(values=list(self.shown), title=None) if self.legend else None,
        )


def _totals(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], float]:
    totals: dict[tuple[str, str], float] = {}
    for row in rows:
        bar = (row["stack"], row["slot"])
        totals[bar] = totals.get(bar, 0.0) + row["value"]
    return totals
