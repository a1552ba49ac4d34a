"""Expectations: held against completed runs, the worst one named."""

import polars as pl
import pytest

from lasthop.answer.expectation import ExpectationVerdict, judge_expectations
from lasthop.answer.expectation_words import expectation_line

RUNS = pl.DataFrame(
    [
        ("a", "raw_udp", "completed", 0.99, 200.0, 0.0),
        ("b", "raw_udp", "completed", 0.60, None, 0.2),
        ("c", "raw_udp", "completed", 0.81, 900.0, 0.1),
        ("d", "mqtt", "unsupported", None, None, 0.1),
        ("e", "json_udp", "failed", None, None, 0.1),
    ],
    schema=["run_id", "stack", "status", "delivery_ratio", "latency_p95_ms", "path_loss"],
    orient="row",
).with_columns(part=pl.lit("base"), repetition=pl.lit(1))


def test_what_holds_says_of_how_many_runs() -> None:
    (held,) = judge_expectations(RUNS, ["delivery_ratio >= 50 %"])
    assert (held.verdict, held.failed, held.applied) == (ExpectationVerdict.HELD, 0, 3)


def test_the_worst_run_is_named_with_its_figure() -> None:
    (failure,) = judge_expectations(RUNS, ["delivery_ratio >= 90 %"])
    assert (failure.failed, failure.applied) == (2, 3)
    assert failure.worst is not None
    assert failure.worst["run_id"] == "b"
    assert "delivery_ratio 60" in str(failure)
    assert "\n" not in str(failure)


def test_a_latency_that_was_not_reached_is_the_worst() -> None:
    (failure,) = judge_expectations(RUNS, ["latency_p95 < 500 ms"])
    assert failure.worst is not None
    assert failure.worst["run_id"] == "b"
    assert "not reached" in str(failure)


def test_only_rows_to_which_it_applies_are_counted() -> None:
    (failure,) = judge_expectations(RUNS, ["delivery_ratio >= 90 % where path.loss <= 10 %"])
    assert (failure.failed, failure.applied) == (1, 2)
    assert failure.worst is not None
    assert failure.worst["run_id"] == "c"


@pytest.mark.parametrize(
    ("text", "runs", "why"),
    [
        ("delivery_ratio > 0 where stack == 'mqtt'", RUNS, "no completed run is one to which"),
        ("delivery_ratio > 0 where path.loss > 90 %", RUNS, "no completed run is one to which"),
        ("delivery_ratio > 0", RUNS.filter(status="failed"), "no run completed (1 failed)"),
        ("delivery_ratio > 0", RUNS.clear(), "no run completed (there is none)"),
    ],
)
def test_an_expectation_that_judges_nothing_is_no_pass(
    text: str, runs: pl.DataFrame, why: str
) -> None:
    (found,) = judge_expectations(runs, [text])
    assert found.verdict is ExpectationVerdict.NOT_JUDGED
    assert why in expectation_line(found)
    assert "which is no pass" in expectation_line(found)
