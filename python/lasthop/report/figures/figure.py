"""A figure: panels side by side, with what a caption has to say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lasthop.report.figures.datasets import Datasets
from lasthop.report.figures.vega_lite import SCHEMA, Chart, side_by_side


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart with its heading and its data."""

    title: str
    chart: Chart
    datasets: Datasets


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the report.

    Parameters
    ----------
    name : str
        As ``lasthop report --figure`` takes it.
    title : str
        What it shows.
    reading : str
        How to read it, a sentence or two.
    dataset : str
        The table behind it.
    runs : int
        How many runs it shows.
    interval : str
        What its intervals are.
    panels : tuple of Panel
        Its charts.
    legend : "stacks", "ledger" or "energy"
        What its colours mean.
    legend_entries : tuple of str
        The stacks, the ledger's ``layer cause`` names or the causes of energy that it shows.
    overloaded : bool
        Whether its marks tell runs of an overload from steady ones, which its legend explains.
    constant : tuple of str
        What is not drawn, as it has one value in all runs: ``Share of messages delivered: 100 %``.
    commands : tuple of str
        What tells more about what it shows.
    shown_run : ShownRun or None
        The run whose single messages it shows.
    palette : tuple of str
        Of a figure of a paper: every legend of the paper, by whose order each has its colour.
    """

    name: str
    title: str
    reading: str
    dataset: str
    runs: int
    interval: str
    panels: tuple[Panel, ...]
    legend: Literal["stacks", "ledger", "energy"]
    legend_entries: tuple[str, ...]
    overloaded: bool = False
    constant: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    shown_run: "ShownRun | None" = None
    palette: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run whose single messages a figure shows.

    Parameters
    ----------
    run_id : str
        The run.
    messages : int
        How many measured messages it has.
    names : tuple of str
        The messages whose time lines tell most, as ``lasthop explain`` takes them.
    instants : mapping of str to int
        When each of these was due, in nanoseconds.
    """

    run_id: str
    messages: int
    names: tuple[str, ...]
    instants: Mapping[str, int]


def sentence_case(text: str) -> str:
    """Begin with a capital.

    Examples
    --------
    >>> sentence_case("path loss 10 %")
    'Path loss 10 %'
    """
    return text[:1].upper() + text[1:]


def titled(title: str, part: Mapping[str, Any], study: Mapping[str, Any]) -> str:
    """Add the part to the title of a figure, where a study has several."""
    return f"{title}: {part['name']}" if len(study.get("parts") or ()) > 1 else title


def panel_spec(panel: Panel) -> dict[str, Any]:
    """Return the Vega-Lite spec of one panel, as wide as its place in the page."""
    sizing = {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}}
    return {"$schema": SCHEMA} | panel.chart.spec() | sizing | {"datasets": panel.datasets.named}


def export_spec(panels: Sequence[Panel], *, title: str) -> dict[str, Any]:
    """Lay the panels of a figure side by side for an image, with one legend."""
    charts = [panel.chart.spec() | {"title": panel.title, "width": 360} for panel in panels]
    datasets = {name: rows for panel in panels for name, rows in panel.datasets.named.items()}
    columns = 3 if len(charts) % 3 == 0 else min(2, len(charts))
    joined = side_by_side(charts, title=title, columns=columns)
    return joined | {"datasets": datasets}
