"""A queue that never settles: said in every figure and table, and never averaged."""

import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from selenium import webdriver
from tests.python.browser import DESKTOP, PHONE, run

from lasthop.answer.arms import AnswerArm, arms_of
from lasthop.answer.decision import decide
from lasthop.answer.settings import settings_that_matter
from lasthop.answer.sweeps import decide_along_sweeps
from lasthop.outcome.results import Results
from lasthop.outcome.short_answer import short_answer
from lasthop.report.figures import all_figures, panel_spec
from lasthop.report.figures.overload import MEANING
from lasthop.report.source import read_source
from lasthop.report.write import write_figure, write_report

from .conftest import WriteResults
from .synthetic import SyntheticStack, SyntheticStudy
from .test_browser import show

STEADY, CROWDED = "raw_udp", "raw_udp ack=on"
STACKS = (
    SyntheticStack(STEADY, joules={"payload": 4.0}),
    SyntheticStack(CROWDED, attempts=5, joules={"payload": 8.0}),
)
LOSSES = [0.0, 0.1, 0.2]


@pytest.fixture
def crowded(write_results: WriteResults) -> Path:
    """Return results of which one stack is overloaded at the last two of three points."""
    return overloaded(write_results(SyntheticStudy(stacks=STACKS, decide=aim("latency_p50"))))


def aim(column: str, *requirements: str) -> dict[str, object]:
    """Return what a study decides by."""
    return {"require": requirements, "minimise": column, "smallest_effect": 0.05}


def overloaded(folder: Path) -> Path:
    """Mark the runs of the crowded stack from 10 % of loss on."""
    file = folder / "runs.parquet"
    marked = (pl.col("stack") == CROWDED) & (pl.col("path_loss") > 0)
    reason = pl.when(marked).then(pl.lit("overload")).otherwise(pl.col("reason"))
    pl.read_parquet(file).with_columns(reason=reason).write_parquet(file)
    return folder


def figures_of(folder: Path) -> dict[str, Any]:
    """Draw the figures of a result folder."""
    source = read_source([folder])
    sweeps = decide_along_sweeps(source.runs, source.study)
    found = all_figures(source, decide(source.runs, source.study), sweeps)
    return {figure.name: figure for figure in found}


def rows_of(panel: object, *, mark: str, style: str | None = None) -> list[dict[str, Any]]:
    """Return the rows behind the layers of one kind of mark."""
    spec = panel_spec(panel)  # type: ignore[arg-type]
    return [
        row
        for layer in spec["layer"]
        if layer["mark"]["type"] == mark and layer["mark"].get("style") == style
        for row in spec["datasets"][layer["data"]["name"]]
    ]


def arm_of(folder: Path, loss: float) -> AnswerArm:
    """Return the crowded stack at one point."""
    runs = read_source([folder]).runs.filter(pl.col("path_loss") == loss)
    return next(arm for arm in arms_of(runs, ()) if arm.stack == CROWDED)


@pytest.mark.parametrize("name", ["latency-loss", "delivery-loss", "bytes-loss"])
def test_each_run_of_an_overload_has_a_hollow_mark_and_none_a_mean(
    crowded: Path, name: str
) -> None:
    panel = figures_of(crowded)[name].panels[0]
    hollow = rows_of(panel, mark="point", style="overload-run")
    assert [(row["stack"], row["x"]) for row in hollow] == [(CROWDED, 10.0)] * 5 + [
        (CROWDED, 20.0)
    ] * 5
    means = rows_of(panel, mark="point")
    assert {(row["stack"], row["x"]) for row in means} == {
        (STEADY, 0.0),
        (STEADY, 10.0),
        (STEADY, 20.0),
        (CROWDED, 0.0),
    }


def test_a_hollow_mark_lies_where_its_run_is(crowded: Path) -> None:
    panel = figures_of(crowded)["latency-loss"].panels[0]
    drawn = [
        row["mean"]
        for row in rows_of(panel, mark="point", style="overload-run")
        if row["x"] == 20.0
    ]
    measured = arm_of(crowded, 0.2).completed["latency_p50_ms"]
    assert sorted(drawn) == pytest.approx(sorted(measured))


def test_dots_lead_to_the_run_in_the_middle_and_no_line_or_band_does(crowded: Path) -> None:
    panel = figures_of(crowded)["latency-loss"].panels[0]
    dots = rows_of(panel, mark="line", style="overload-line")
    assert [(row["stack"], row["x"]) for row in dots] == [(CROWDED, x) for x in (0.0, 10.0, 20.0)]
    assert dots[2]["mean"] == sorted(arm_of(crowded, 0.2).completed["latency_p50_ms"])[2]
    for mark in ("line", "area"):
        assert {row["stack"] for row in rows_of(panel, mark=mark)} == {STEADY}


def test_steady_results_say_nothing_of_an_overload(write_results: WriteResults) -> None:
    folder = write_results(SyntheticStudy(stacks=STACKS))
    for figure in figures_of(folder).values():
        assert not figure.overloaded
        assert "overload" not in figure.reading
    assert MEANING not in write_report([folder], out=folder / "report.html").read_text()


def test_caption_and_legend_say_what_a_hollow_mark_is(crowded: Path) -> None:
    figure = figures_of(crowded)["latency-loss"]
    assert "Hollow marks are single runs that are overloaded: their queue grows" in figure.reading
    assert figure.interval.startswith("95 % t interval over 5 repetitions")
    assert figure.interval.endswith("; none under overload")
    page = write_report([crowded], out=crowded / "report.html").read_text()
    section = page.split('<figure id="latency-loss">')[1].split("</ul>")[0]
    assert section.count(MEANING) == 1


@pytest.mark.parametrize("name", ["latency-loss", "latency-distribution"])
def test_an_image_explains_an_overload_once(crowded: Path, tmp_path: Path, name: str) -> None:
    image = write_figure([crowded], name, out=tmp_path / "figure.svg").read_text()
    assert image.count(f">{MEANING}<") == 1


def test_a_part_without_a_sweep_has_hollow_dots(write_results: WriteResults) -> None:
    folder = write_results(
        SyntheticStudy(stacks=STACKS, parts={"lossy": {"path.loss": [0.1]}}, decide=None)
    )
    panel = figures_of(overloaded(folder))["latency-lossy"].panels[0]
    assert len(rows_of(panel, mark="point", style="overload-run")) == 5
    for mark in ("rule", "point"):
        assert [row["stack"] for row in rows_of(panel, mark=mark)] == [STEADY]


def test_the_distribution_of_an_overload_is_drawn_in_dots(crowded: Path) -> None:
    first, *others = figures_of(crowded)["latency-distribution"].panels
    assert not rows_of(first, mark="line", style="overload-line")
    for panel in others:
        assert {row["stack"] for row in rows_of(panel, mark="line")} == {STEADY}
        dots = rows_of(panel, mark="line", style="overload-line")
        assert {row["stack"] for row in dots} == {CROWDED}


def test_the_energy_of_an_overload_is_said_and_not_averaged(crowded: Path) -> None:
    panel = figures_of(crowded)["energy"].panels[-1]
    assert {row["stack"] for row in rows_of(panel, mark="bar")} == {STEADY}
    names = [row["text"] for row in rows_of(panel, mark="text") if row["slot"] == "name"]
    assert names == [STEADY, f"{CROWDED}: overload"]


def test_the_table_of_measures_has_the_range_of_the_runs_alone(crowded: Path) -> None:
    page = write_report([crowded], out=crowded / "report.html").read_text()
    table = page.split("All measures of loss")[1].split("</table>")[0]
    row = table.split("<tr>")[-1]
    assert "5<small>overload</small>" in row
    delivered, *_ = (cell.split("</td>")[0] for cell in row.split('<td class="number">')[2:])
    assert "<small>" not in delivered
    assert "\N{EN DASH}" in delivered or delivered.startswith("100")


def test_what_waits_has_no_value_under_overload(crowded: Path) -> None:
    steady, arm = arm_of(crowded, 0.0), arm_of(crowded, 0.2)
    assert steady.mean("latency_p50_ms") is not None
    assert arm.mean("latency_p50_ms") is None
    assert set(arm.by_seed("latency_p50_ms", worst=math.inf).values()) == {math.inf}
    assert math.isfinite(arm.mean("delivery_ratio"))
    assert len(arm.measured("latency_p50_ms", worst=math.inf)) == 5


def test_a_required_latency_is_not_met_by_an_overload(write_results: WriteResults) -> None:
    wanted = aim("control_bytes_per_100", "latency_p50 <= 1 h")
    folder = overloaded(write_results(SyntheticStudy(stacks=STACKS, decide=wanted)))
    source = read_source([folder])
    excluded = [point.excluded for point in decide(source.runs, source.study).points]
    assert [len(found) for found in excluded] == [0, 1, 1]
    assert excluded[1][0].because[0].figure == "overload"


def test_what_is_ranked_by_bytes_has_the_remark(write_results: WriteResults) -> None:
    folder = write_results(SyntheticStudy(stacks=STACKS, decide=aim("control_bytes_per_100")))
    page = write_report([overloaded(folder)], out=folder / "report.html").read_text()
    assert page.count("overload: more is offered than the path carries") == 2


def test_no_setting_is_judged_by_the_latency_of_an_overload(crowded: Path) -> None:
    source = read_source([crowded])
    decision = decide(source.runs, source.study)
    found = settings_that_matter(source.runs, source.study, decision.objective)
    assert {it.name for it in found} == {"loss"}
    assert {it.stack: it.beyond for it in found if it.beyond} == {CROWDED: 3}


def test_the_short_answer_says_overload_in_place_of_a_latency(crowded: Path) -> None:
    answer = short_answer(Results(crowded))
    crowded_rows = [row for point in answer.points for row in point.rows if row.stack == CROWDED]
    assert [row.overload for row in crowded_rows] == [False, True, True]
    assert crowded_rows[1].latency_p50_ms is None
    latencies = [column for column in answer.columns if column.heading in {"p50", "p95"}]
    assert [column.write(crowded_rows[1]) for column in latencies] == ["overload", "overload"]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [DESKTOP, PHONE])
def test_a_hollow_mark_is_seen_in_both_modes_and_on_a_phone(
    browser: webdriver.Chrome, crowded: Path, *, width: int, dark: bool
) -> None:
    show(browser, write_report([crowded], out=crowded / "report.html"), width=width, dark=dark)
    fills, key = run(
        browser,
        "const figure = document.querySelector('#latency-loss');"
        "const marks = [...figure.querySelectorAll('.mark-symbol path')]"
        ".map(mark => getComputedStyle(mark).fill);"
        "const entry = [...figure.querySelectorAll('.legend li')].at(-1);"
        "return [marks, [entry.textContent, entry.getBoundingClientRect().right]]",
    )
    assert fills.count("rgba(0, 0, 0, 0)") == 2 * 10
    assert len(fills) > 2 * 10
    assert key[0] == MEANING
    assert key[1] <= width


def test_where_all_is_overloaded_no_layer_is_empty(write_results: WriteResults) -> None:
    folder = write_results(
        SyntheticStudy(stacks=[SyntheticStack(CROWDED)], parts={"loss": {"path.loss": [0.1, 0.2]}})
    )
    figures = figures_of(overloaded(folder))
    for panel in (*figures["latency-loss"].panels, *figures["latency-distribution"].panels):
        spec = panel_spec(panel)
        sources = [layer.get("data", spec.get("data")) for layer in spec["layer"]]
        assert all(spec["datasets"][source["name"]] for source in sources)
