"""Events of a study on the figure of a run over time, and the queue as a mean over time."""

import json
import random
from pathlib import Path

import polars as pl
import pytest

import lasthop
from lasthop.answer.decision import decide
from lasthop.report.figures.event_marks import MOST_MARKS, RunEvents
from lasthop.report.figures.figure import Figure
from lasthop.report.figures.time_series import mean_of_each_stretch, time_series
from lasthop.report.source import read_source

STUDY = """\
study: moving
duration: 5 min
measure: {drain: 1 min}
paths: {road: {delay: 50 ms}}
servers: {head_end: {}}
fleet: {trackers: {count: 4, path: road, server: head_end}}
traffic: {position: {from: trackers, report: 60 B, every: 2 s}}
events:
  - {start: 1 min, every: 1 min, handover: 50 % of trackers, gap: 2 s}
  - {start: 100 s, outage: head_end, for: 10 s}
  - {every: 1 min, arrivals: poisson, new_address: trackers}
stacks: [raw_udp]
decide: {maximise: delivery_ratio}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("moving")
    (made / "study.yaml").write_text(STUDY)
    results = lasthop.run(made / "study.yaml", out=made / "out")
    results.report()
    return results.path


def drawn(folder: Path) -> Figure:
    source = read_source([folder])
    decision = decide(source.runs, source.study, source.read_groups)
    figure = time_series(source, decision, legend=False)
    assert figure is not None
    return figure


def test_handovers_and_outages_are_marked_when_they_happen(folder: Path) -> None:
    figure = drawn(folder)
    assert "A dotted line is an event: handover, outage. " in figure.reading
    assert "Events at random times are not marked: new address. " in figure.reading
    for panel in figure.panels:
        (rows,) = [rows for rows in panel.datasets.named.values() if rows and "kind" in rows[0]]
        assert [row["time"] for row in rows] == [60, 100, 120, 180, 240]
        words = rows[0]["what"].replace("\N{NO-BREAK SPACE}", " ")
        assert words == "handover of 50 % of trackers for 2 s"
        assert rows[1]["what"].startswith("outage of head_end for 10")


def test_messages_are_lost_where_the_marks_are(folder: Path) -> None:
    messages = pl.read_parquet(folder / "messages.parquet")
    due = messages["intended_ns"] / 1e9
    lost = messages["delivered_ns"].is_null()
    inside = (due > 100) & (due < 109)
    assert lost.filter(inside).all()
    assert not lost.filter((due > 20) & (due < 55) & (due % 60 > 5)).all()


def test_a_page_of_a_run_with_events_has_them(folder: Path) -> None:
    page = (folder / "report.html").read_text()
    assert "A dotted line is an event" in page
    assert "handover of 50" in page


def spec(*events: object) -> str:
    return json.dumps({"events": events})


def test_without_events_nothing_is_marked_or_said() -> None:
    for found in (RunEvents.of_spec(None), RunEvents.of_spec("{}"), RunEvents.of_spec(spec())):
        assert (found.marks, found.words) == ((), "")


def test_of_many_events_the_first_are_marked_and_the_others_are_counted() -> None:
    move = {"new_address": {"of": {"group": "meters", "share": 1.0}, "notify": "none"}}
    again = {"periodic": {"every_ns": 10**9, "until_ns": 1000 * 10**9}}
    found = RunEvents.of_spec(spec({"at_ns": 0, "change": move, "again": again}))
    assert (len(found.marks), found.hidden) == (MOST_MARKS, 1000 - MOST_MARKS)
    assert found.marks[0]["what"] == "new address of meters"
    assert f"new address (the first {MOST_MARKS} of them)" in found.words


@pytest.mark.parametrize("most", [1, 3, 50])
def test_the_mean_over_all_stretches_is_the_mean_over_time(most: int) -> None:
    draw = random.Random(3)  # noqa: S311
    at = sorted(draw.sample(range(10_000), 200))
    waiting = [draw.randrange(10) for _ in at]
    area = sum(
        count * (after - now) for count, now, after in zip(waiting, at, at[1:], strict=False)
    )
    stretches = mean_of_each_stretch(pl.DataFrame({"at": at, "waiting": waiting}), most=most)
    times = [time for time, _ in stretches]
    found = sum(
        mean * (after - now) for (now, mean), after in zip(stretches, times[1:], strict=False)
    )
    assert len(stretches) == most + 1
    assert found == pytest.approx(area)
    assert all(0 <= mean <= 9 for _, mean in stretches)
