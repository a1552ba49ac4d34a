"""The report of runs that the simulator made, from a study file to the page."""

import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import lasthop
from lasthop.answer.decision import Outcome
from lasthop.report.figures.time_series import time_series
from lasthop.report.source import read_source
from lasthop.report.write import figure_names, write_figure, write_report

STUDY = """
study: udp-over-a-poor-link
title: Which UDP stack for a poor link?
duration: 20 s
measure: {drain: 30 s}
traffic: {round_trip: 409 B, every: 250 ms}
path: {delay: 100 ms}
stacks: [json_udp, raw_udp, raw_udp ack=on ack_timeout=1s, mqtt_sn]
sweep: [{name: loss, path.loss: [0 %, 20 %]}]
repeat: 3
decide: {require: ["delivery_ratio >= 99 %"], minimise: latency_p95}
"""

FLOWS = """
study: two-flows
duration: 20 s
fleet: {meters: {count: 2, path: line, server: head_end}}
paths: {line: {delay: 20 ms}}
servers: {head_end: {}}
traffic:
  index: {from: meters, report: 20 B, every: 1 s}
  echo: {from: meters, round_trip: 20 B, every: 1 s}
stacks: [raw_udp]
repeat: 1
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small study that was really run."""
    folder = tmp_path_factory.mktemp("real")
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    lasthop.run(folder / "study.yaml", out=folder / "results", jobs=1)
    return folder / "results"


def test_only_the_stack_that_repeats_itself_survives_loss(results: Path) -> None:
    decision = lasthop.Results(results).decision
    without_loss, with_loss = decision.points
    assert without_loss.outcome is Outcome.TOO_CLOSE
    assert with_loss.leaders == ("raw_udp ack=on ack_timeout=1s",)
    assert {arm.arm.stack for arm in with_loss.excluded} == {"json_udp", "raw_udp"}
    assert [arm.stack for arm in with_loss.set_aside] == ["mqtt_sn"]


def test_the_page_shows_the_answer_and_what_is_not_built(results: Path) -> None:
    page = write_report([results], out=results / "report.html").read_text(encoding="utf-8")
    assert "Which UDP stack for a poor link?" in page
    assert "mqtt_sn is not built yet" in page
    assert "One answer for all" in page


def test_every_figure_can_be_rebuilt_by_its_name(results: Path, tmp_path: Path) -> None:
    for name in figure_names([results]):
        assert write_figure([results], name, out=tmp_path / f"{name}.svg").stat().st_size > 1000


def test_every_layer_and_cause_of_a_real_ledger_has_a_name(results: Path) -> None:
    page = write_report([results], out=results / "report.html").read_text(encoding="utf-8")
    ledger = pl.read_parquet(results / "ledger.parquet")
    assert ledger.height > 0
    assert "<span>other</span>" not in page
    assert "application retransmission" in page


def test_one_run_over_time_names_what_explains_its_slowest_message(results: Path) -> None:
    page = write_report([results], out=results / "report.html").read_text(encoding="utf-8")
    command = re.search(r"lasthop explain ([0-9a-f]{8}) ([0-9:]+) --in results", page)
    assert command is not None
    messages = pl.read_parquet(results / "messages.parquet")
    run = messages.filter(pl.col("run_id").str.starts_with(command[1]), "measured")
    slowest = run.filter(message=int(command[2]))["latency_ms"].item()
    assert slowest == run["latency_ms"].max()


def test_a_message_of_one_of_several_flows_is_named_with_its_flow(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(FLOWS, encoding="utf-8")
    lasthop.run(tmp_path / "study.yaml", out=tmp_path / "results", jobs=1)
    messages = pl.read_parquet(tmp_path / "results/messages.parquet").filter("measured")
    page = write_report([tmp_path / "results"], out=tmp_path / "report.html").read_text()
    command = re.search(r"lasthop explain [0-9a-f]{8} (\d+):(\w+):(\d+) --in results", page)
    assert command is not None
    named = messages.filter(device=int(command[1]), flow=command[2], message=int(command[3]))
    assert named["latency_ms"].item() == messages["latency_ms"].max()
    assert command[2] == "echo", "the slowest is of a flow that is not the first"


def test_one_run_over_time_counts_what_is_under_way_and_marks_what_is_lost(results: Path) -> None:
    source = read_source([results])
    point = lasthop.Results(results).decision.points[1]
    lossy = replace(lasthop.Results(results).decision, points=(point,))
    figure = time_series(source, lossy, legend=False)
    assert figure is not None
    latencies, queue = (panel.datasets.named.values() for panel in figure.panels)
    drawn = [row for rows in latencies for row in rows]
    (waiting,) = queue
    assert len(drawn) == 80
    assert waiting[-1]["waiting"] >= 0
    assert max(row["waiting"] for row in waiting) >= 1


def test_a_figure_is_written_for_print(results: Path, tmp_path: Path) -> None:
    path = write_figure([results], "ledger", out=tmp_path / "ledger.pdf")
    assert path.read_bytes().startswith(b"%PDF-1.")


def test_a_decision_is_shown_as_its_headline_and_a_table(results: Path) -> None:
    first, point, *rows = repr(lasthop.Results(results).decision).splitlines()
    assert first.endswith(".")
    assert ": " in point
    assert any(re.match(r" +1  \S.* \(.*\)$", row) for row in rows)
