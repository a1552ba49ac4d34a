"""Crashes of devices along a sweep, and how long they were off; when they crashed in one run."""

from lasthop.answer.crashes import crashes_of
from lasthop.measures import measure
from lasthop.report.figures.along_sweep import SweepFigure
from lasthop.report.figures.datasets import Datasets
from lasthop.report.figures.vega_lite import Field, Layer, X
from lasthop.report.source import ReportSource

_COLUMNS = ("device_crashes_heap", "device_crashes_watchdog", "device_offline_s")


def crash_figures(source: ReportSource) -> tuple[SweepFigure, ...]:
    """Return the figure where a device crashed in any run; none without."""
    runs = source.runs
    if not any(name in runs.columns and (runs[name].sum() or 0) > 0 for name in _COLUMNS):
        return ()
    columns = tuple(map(measure, _COLUMNS))
    return (SweepFigure(name="crashes", title="Crashes", columns=columns, from_zero=True),)


def crash_marks(events: str | None, datasets: Datasets, *, x: X) -> list[Layer]:
    """Draw when devices crashed in a run, and until when they were off; nothing where none did."""
    rows = [
        {
            "time": crash.at_s,
            "what": f"{crash.who} of host {crash.host} crashes: {crash.reason}",
            "off": "not up again" if crash.booted_s is None else f"up by {crash.booted_s:g} s",
        }
        for crash in crashes_of(events)
    ]
    if not rows:
        return []
    tooltip = [
        Field("what:N", title="event"),
        Field("time:Q", title="at (s)", format=".6~g"),
        Field("off:N", title="boots"),
    ]
    marks = Layer(datasets.add(rows)).marked("rule", style="crash")
    return [marks.encoded(x=x, tooltip=tooltip)]
