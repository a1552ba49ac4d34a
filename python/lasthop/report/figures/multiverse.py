"""A claim over the universes of a multiverse: what each choice does to ours."""

from collections.abc import Sequence
from typing import Any

from lasthop.answer.quantities import format_quantity
from lasthop.multiverse.words import Document, change, share
from lasthop.report.figures.datasets import Datasets
from lasthop.report.figures.encodings import AxisUnit, number_axis, value_scale
from lasthop.report.figures.figure import Figure, Panel
from lasthop.report.figures.vega_lite import Chart, Color, End, Field, Layer, Scale, Value, X, Y

_ROW_HEIGHT = 36
_BAND_OPACITY = 0.16
_PUBLISHED = "#8a8a8a"  # grey that both themes bear

Row = dict[str, Any]


def multiverse_figures(document: Document, *, runs: int) -> tuple[Figure, ...]:
    """Draw a figure for each claim."""
    return tuple(_figure(claim, runs=runs) for claim in document["claims"])


def _figure(claim: Document, *, runs: int) -> Figure:
    return Figure(
        name=f"multiverse-{claim['id']}",
        title=f"{claim['id']} over the readings: {claim['what']}",
        reading=(
            f"Published: {claim['published']}. Shaded is what the claim asks of ours, around the "
            "published value. One change at a time: the first line has the first value of each "
            "choice, every other line differs from it in one. All readings: the median and nine "
            "tenths of those with each value of a choice, and the share in which the claim holds."
        ),
        dataset="multiverse.json",
        runs=runs,
        interval="the intervals of one change at a time are 95 % intervals",
        panels=(
            _panel("One change at a time", _universes(claim), claim),
            _panel("All readings", _spreads(claim), claim),
        ),
        legend="stacks",
        legend_entries=(),
    )


def _universes(claim: Document) -> list[Row]:
    rows = []
    for each in (claim["first"], *claim["one_change"]):
        low, high = each["interval"] or (each["ours"], each["ours"])
        told = f"{change(each)}: {each['verdict']}"
        rows.append({"row": told, "low": low, "middle": each["ours"], "high": high})
    return rows


def _spreads(claim: Document) -> list[Row]:
    return [
        {
            "row": f"{effect['choice']} = {each['value']}: holds in {share(each['share'])}",
            "low": each["low"],
            "middle": each["median"],
            "high": each["high"],
        }
        for effect in claim["choices"]
        for each in effect["values"]
    ]


def _panel(title: str, rows: Sequence[Row], claim: Document) -> Panel:
    """Draw a row for each universe or value, its name above it, the claim's range behind all."""
    datasets = Datasets()
    drawn = [row for row in rows if None not in row.values()]
    ends = [end for row in drawn for end in (row["low"], row["high"])]
    bounds = [bound for bound in claim["range"] if bound is not None]
    measure = AxisUnit.of("ours", claim["unit"], [*ends, *bounds])
    scaled = [_scaled(row, claim["unit"], measure.factor) for row in drawn]
    values = [value * measure.factor for value in (*ends, *bounds)]
    scale, ticks = value_scale(values, from_zero=False)
    low, high = (
        edge if bound is None else bound * measure.factor
        for bound, edge in zip(claim["range"], (min(values), max(values)), strict=True)
    )
    y = Y("row:N", title=None, axis=None, scale=Scale(domain=[row["row"] for row in rows]))
    x = X("middle:Q", title=measure.title, scale=scale, axis=number_axis(ticks))
    tooltip = [
        Field("row:N", title="reading"),
        Field("ours:N", title="ours"),
        Field("span:N", title="from, to"),
    ]
    colour = Color("kind:N", scale=Scale(domain=["ours"], range="category"), legend=None)
    band = (
        Layer(datasets.add([{"from": low, "to": high, "kind": "ours"}]))
        .marked("rect", opacity=_BAND_OPACITY)
        .encoded(x=X("from:Q", scale=scale), x2=End("to"), color=colour)
    )
    published = (
        Layer(datasets.add([] if None in claim["range"] else [{"at": (low + high) / 2}]))
        .marked("rule", strokeDash=[4, 3], color=_PUBLISHED)
        .encoded(x=X("at:Q", scale=scale))
    )
    every = Layer(datasets.add(scaled))
    name = every.marked("text", align="left", dy=-12, fontSize=12).encoded(
        x=Value(0), y=y, text=Field("row:N")
    )
    rule = every.marked("rule").encoded(
        x=X("low:Q", scale=scale), x2=End("high"), y=y, color=colour
    )
    dot = every.marked("point").encoded(x=x, y=y, color=colour, tooltip=tooltip)
    chart = Chart((band, published, name, rule, dot), height=_ROW_HEIGHT * max(1, len(rows)))
    return Panel(title, chart, datasets)


def _scaled(row: Row, unit: str, factor: float) -> Row:
    span = " to ".join(format_quantity(row[end], unit) for end in ("low", "high"))
    return {
        "row": row["row"],
        "kind": "ours",
        "ours": format_quantity(row["middle"], unit),
        "span": span,
        **{name: row[name] * factor for name in ("low", "middle", "high")},
    }
