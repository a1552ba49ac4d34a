"""Requirements judge the population: met, not met, or too few to say."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lasthop
from lasthop.answer.decision import Outcome, PointDecision, decide
from lasthop.answer.effective_samples import EffectiveSamples
from lasthop.answer.requirements import Met
from lasthop.answer.sweep_words import flips
from lasthop.answer.sweeps import decide_along_sweeps
from lasthop.answer.verdict import verdict
from lasthop.outcome.answer_row import answer_rows

DELIVERY = "share of messages delivered of at least 99 %"


def study(require: str, stacks: Sequence[str] = ("a", "b"), **parts: object) -> dict[str, Any]:
    return {
        "name": "made-up",
        "decide": {
            "require": [require],
            "minimise": "latency_p50",
            "maximise": None,
            "smallest_effect": 0.05,
            "part": None,
        },
        "parts": [{"name": "base", "swept": [], **parts}],
        "stacks": [{"name": stack, "resolved": stack} for stack in stacks],
    }


def rows(stack: str, delivered: Sequence[int], of: int, **columns: object) -> list[dict[str, Any]]:
    return [
        {
            "part": "base",
            "run_id": f"{stack}-{place}-{columns.get('path_loss')}",
            "stack": stack,
            "seed": place,
            "status": "completed",
            "reason": None,
            "latency_p50_ms": 100.0 + (stack == "b"),
            "latency_p95_ms": 200.0 + place,
            "delivery_ratio": count / of,
            "messages_offered": of,
            "messages_failed": of - count,
            **columns,
        }
        for place, count in enumerate(delivered)
    ]


def point_of(require: str, *runs: list[dict[str, Any]]) -> PointDecision:
    table = pl.DataFrame([row for one in runs for row in one])
    (point,) = decide(table, study(require)).points
    return point


def judged(require: str, delivered: Sequence[int], of: int) -> Met:
    (found,) = point_of(require, rows("a", delivered, of)).judged["a"]
    return found.met


@pytest.mark.parametrize(
    ("require", "delivered", "of", "met"),
    [
        ("delivery_ratio >= 99 %", [35, 34, 34], 35, Met.TOO_FEW),  # 103 of 105
        ("delivery_ratio >= 99 %", [1000, 1000, 999], 1000, Met.MET),
        ("delivery_ratio >= 99 %", [900, 920, 940], 1000, Met.NOT_MET),
        ("delivery_ratio >= 99 %", [35], 35, Met.TOO_FEW),
        ("delivery_ratio >= 99.99 %", [200] * 5, 200, Met.TOO_FEW),
        ("delivery_ratio == 100 %", [200] * 5, 200, Met.MET),
        ("delivery_ratio >= 100 %", [200] * 5, 200, Met.MET),
        ("delivery_ratio == 100 %", [200, 200, 199], 200, Met.NOT_MET),
        ("delivery_ratio <= 50 %", [20, 30], 100, Met.MET),
        ("messages_failed <= 0", [200] * 5, 200, Met.MET),
        ("messages_failed <= 3", [196] * 5, 200, Met.TOO_FEW),
        ("messages_failed <= 3", [100] * 5, 200, Met.NOT_MET),
        ("latency_p95 <= 201 ms", [1, 1, 1], 1, Met.TOO_FEW),
        ("latency_p95 <= 1 s", [1, 1, 1], 1, Met.MET),
        ("latency_p95 <= 10 ms", [1, 1, 1], 1, Met.NOT_MET),
        ("latency_p95 <= 10 ms", [1], 1, Met.NOT_MET),
        ("stack == 'a'", [1], 1, Met.MET),
    ],
)
def test_runs_show_that_it_is_met_or_not_or_are_too_few(
    require: str, delivered: list[int], of: int, met: Met
) -> None:
    assert judged(require, delivered, of) is met


def test_too_few_messages_exclude_nobody_and_are_said() -> None:
    point = point_of(
        "delivery_ratio >= 99 %", rows("a", [35, 34, 34], 35), rows("b", [1000] * 3, 1000)
    )
    assert not point.excluded
    assert [arm.stack for arm in point.ranked] == ["a", "b"]
    table = pl.DataFrame(rows("a", [35, 34, 34], 35) + rows("b", [1000] * 3, 1000))
    decision = decide(table, study("delivery_ratio >= 99 %"))
    said = [line.text.replace("\N{NO-BREAK SPACE}", " ") for line in verdict(decision).support]
    interval = "95 % interval 93.3 \N{EN DASH} 99.5 %"
    assert f"Too few to say whether {DELIVERY} is met: a 98.1 %, {interval}." in said
    first, second = answer_rows(decision, decision.points[0], ["a", "b"])
    assert "too few to say" in first.verdict
    assert dict(first.requirements) == {"delivery_ratio >= 99 %": "too few to say"}
    assert dict(second.requirements) == {"delivery_ratio >= 99 %": "met"}


def test_the_one_that_is_left_is_not_said_to_meet_what_nobody_knows() -> None:
    table = pl.DataFrame(rows("a", [35, 34, 34], 35) + rows("b", [10] * 3, 35))
    decision = decide(table, study("delivery_ratio >= 99 %"))
    assert decision.points[0].outcome is Outcome.ONLY_ONE
    headline = verdict(decision).headline.text
    assert headline == (
        f"Only a is not excluded, and too little was measured to say whether it meets {DELIVERY}."
    )


def test_where_no_loss_was_asked_for_the_bound_is_said() -> None:
    decision = decide(pl.DataFrame(rows("a", [200] * 5, 200)), study("delivery_ratio == 100 %"))
    said = " ".join(line.text for line in verdict(decision).support)
    said = said.replace("\N{NO-BREAK SPACE}", " ")
    assert (
        "share of messages delivered of exactly 100 % is judged by what was observed. "
        "The value of a can still be as low as 99.6 % (95 % confidence, 1,000 messages)."
        in said.replace("\N{NO-BREAK SPACE}", " ")
    )


def test_a_flip_that_hangs_on_too_few_messages_says_so() -> None:
    at_zero = rows("a", [35, 34, 34], 35, path_loss=0.0) + rows("b", [35] * 3, 35, path_loss=0.0)
    slow = [{**row, "latency_p50_ms": row["latency_p50_ms"] * 2} for row in at_zero[3:]]
    later = rows("a", [10] * 3, 35, path_loss=0.1) + rows("b", [35] * 3, 35, path_loss=0.1)
    swept = {"key": "path.loss", "column": "path_loss", "unit": "fraction"}
    asked = study("delivery_ratio >= 99 %", swept=[swept])
    table = pl.DataFrame(at_zero[:3] + slow + later)
    (sweep,) = decide_along_sweeps(table, asked)
    (flip,) = sweep.flips
    assert {(one.stack, one.at) for one in flip.too_few} == {("a", 0.0), ("b", 0.0), ("b", 0.1)}
    words = flips(sweep)[0].text.replace("\N{NO-BREAK SPACE}", " ")
    assert f"It hangs on a requirement with too few to say: {DELIVERY} for a" in words


FLEET = """\
study: rare
duration: 2 min
measure: {drain: 5 s}
paths:
  good: {delay: 20 ms}
  bad: {delay: 20 ms, outages: [{start: 0 s, for: 10 min}]}
servers: {head_end: {}}
fleet:
  most: {count: 9, path: good}
  rest: {count: 1, path: bad}
traffic:
  index: {from: most, report: 50 B, every: 5 s}
  other: {from: rest, report: 50 B, every: 5 s}
stacks: [raw_udp]
repeat: 3
decide: {maximise: delivery_ratio, require: ["delivery_ratio >= 85 %"]}
"""


def test_devices_that_lose_all_their_messages_count_as_one_each(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(FLEET)
    results = lasthop.run(tmp_path / "study.yaml", out=tmp_path / "results")
    runs = EffectiveSamples([results.path]).of_runs(results.runs)
    for row in runs.iter_rows(named=True):
        assert row["delivery_ratio"] == pytest.approx(0.9)
        assert row["messages_offered"] == 240
        assert 8 < row["effective_messages"] < 12
    (point,) = results.decision.points
    (found,) = point.judged["raw_udp"]
    assert found.met is Met.TOO_FEW
    (arm,) = point.ranked
    assert arm.value is not None
    assert arm.value.low < 0.8
    assert arm.value.high > 0.95


RARE = """\
study: rare-share
duration: 10 s
traffic: {report: 50 B, every: 200 ms}
path: {delay: 50 ms}
stacks: [raw_udp]
repeat: 5
decide: {maximise: delivery_ratio, require: ["delivery_ratio >= 99.99 %"]}
"""


def test_no_loss_among_few_messages_is_not_certainty(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(RARE)
    results = lasthop.run(tmp_path / "study.yaml", out=tmp_path / "results")
    (point,) = results.decision.points
    (arm,) = point.ranked
    assert arm.value is not None
    assert arm.value.mean == arm.value.high == 1.0
    assert arm.value.low == pytest.approx(250 / (250 + 3.8415), abs=1e-4)
    assert [one.met for one in point.judged["raw_udp"]] == [Met.TOO_FEW]


COMMANDS = """\
study: commands
seed: 5
duration: 7 min
measure: {set_up: 1 min, drain: 1 min}
paths: {cell: {delay: 50 ms, loss: 1 %}}
servers: {head_end: {}}
fleet: {meters: {count: 5, path: cell, server: head_end}}
traffic:
  index: {from: meters, report: 60 B, every: 10 s}
  valve: {to: meters, command: 24 B, every: 1 min}
compare: {fleet.meters.stack: [raw_udp, coap type=con]}
repeat: 3
decide:
  require: ["delivery_ratio >= 99 % where flow == 'valve'"]
  minimise: wire_bytes_up_offered
"""


def test_a_few_commands_that_are_lost_do_not_change_the_winner(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(COMMANDS)
    results = lasthop.run(tmp_path / "study.yaml", out=tmp_path / "results")
    runs = results.runs.filter(stack="raw_udp")["run_id"].implode()
    valves = results.groups.filter(pl.col("run_id").is_in(runs), flow="valve")
    assert valves["messages_offered"].sum() == 105
    assert valves["messages_delivered"].sum() == 103
    (point,) = results.decision.points
    assert not point.excluded
    assert point.ranked[0].stack == "raw_udp"
    (found,) = point.judged["raw_udp"]
    assert (found.met, found.observed) == (Met.TOO_FEW, False)
