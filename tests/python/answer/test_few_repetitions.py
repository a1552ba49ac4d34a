"""Decisions from few repetitions: what is told apart, what is not, and how often by mistake."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from benchmarks.few_repetitions.laws import Law, bimodal, log_normal, pairs

import lasthop
from lasthop.answer.decision import Decision, Outcome, decide
from lasthop.answer.verdict import how_to_read, verdict

STUDY = """\
study: p99
duration: 10 min
traffic: {{report: 200 B, every: 2 s}}
path: {{loss: 10 %, delay: {{around: 50 ms, spread: 20 %}}}}
stacks: [mqtt qos=1, raw_udp ack=on]
repeat: 5
seed: {seed}
decide: {{minimise: latency_p99}}
"""
SAMPLES = 300
CLOSE: Mapping[str, Sequence[float]] = {
    "a": [100.0] * 5,
    "b": [107.0, 112.0, 114.0, 116.0, 107.0],
}
"""Told apart at one point, not at one of ten."""


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_percentiles_that_differ_by_factors_are_told_apart_with_any_seed(
    seed: int, tmp_path: Path
) -> None:
    (tmp_path / "study.yaml").write_text(STUDY.format(seed=seed), encoding="utf-8")
    results = lasthop.run(tmp_path / "study.yaml", out=tmp_path / "results")
    (point,) = results.decision.points
    assert point.outcome is Outcome.LEADS
    assert point.leaders == ("mqtt qos=1",)


def decided(
    points: Sequence[Mapping[str, Sequence[float | None]]],
    *,
    aim: str = "latency_p99",
    column: str = "latency_p99_ms",
    maximise: bool = False,
    smallest_effect: float = 0.05,
) -> Decision:
    """Decide between stacks from their values at some points of a sweep."""
    rows = [
        {
            "part": "base",
            "run_id": f"{place}-{stack}-{seed}",
            "stack": stack,
            "seed": seed,
            "status": "completed",
            "reason": None,
            "messages_offered": 100,
            "delivery_ratio": 1.0,
            "path_loss": place / 100,
            column: value,
        }
        for place, point in enumerate(points)
        for stack, values in point.items()
        for seed, value in enumerate(values)
    ]
    swept = [{"key": "path.loss", "column": "path_loss", "unit": "fraction"}]
    study = {
        "decide": {
            "minimise": None if maximise else aim,
            "maximise": aim if maximise else None,
            "smallest_effect": smallest_effect,
            "part": None,
            "require": [],
        },
        "parts": [{"name": "base", "swept": swept}],
        "stacks": [{"name": stack} for stack in points[0]],
    }
    return decide(pl.DataFrame(rows, infer_schema_length=None), study)


def leads(point: Mapping[str, Sequence[float | None]]) -> bool:
    return decided([point]).points[0].outcome is Outcome.LEADS


def share_of_leads(law: Law, times: float, repetitions: int) -> float:
    base, new = pairs(
        (law, law),
        repetitions=repetitions,
        samples=SAMPLES,
        correlation=0.0,
        draw=np.random.default_rng(1),
    )
    samples = zip(base.tolist(), (times * new).tolist(), strict=True)
    return sum(leads({"a": before, "b": after}) for before, after in samples) / SAMPLES


@pytest.mark.parametrize("law", [log_normal(0.5), bimodal(0.2)], ids=lambda law: law.name)
@pytest.mark.parametrize("repetitions", [2, 3, 5])
def test_the_ranking_rarely_names_a_leader_by_chance(law: Law, repetitions: int) -> None:
    # Binomial: at a true rate of 5 % more than 28 of 300 have a chance below 1e-3.
    assert share_of_leads(law, 1.05, repetitions) <= 28 / SAMPLES


@pytest.mark.parametrize(("repetitions", "expected"), [(2, 20), (3, 51), (5, 93)])
def test_the_ranking_sees_five_times_as_often_as_the_rule_promises(
    repetitions: int, expected: float
) -> None:
    # Four standard errors of 300 samples at 50 % are 11.5 points.
    found = 100 * share_of_leads(log_normal(0.5), 5.0, repetitions)
    assert found == pytest.approx(expected, abs=11.5)


def test_equal_signs_alone_do_not_decide() -> None:
    assert not leads({"a": [100, 120], "b": [110, 190]})
    assert not leads({"a": [100, 120, 90, 105], "b": [110, 190, 100, 300]})


def test_arms_without_variance_lead_from_eight_percent_on_with_five_repetitions() -> None:
    assert leads({"a": [100] * 5, "b": [108] * 5})
    assert not leads({"a": [100] * 5, "b": [107] * 5})
    assert not leads({"a": [100] * 2, "b": [125] * 2})


def test_a_typical_run_that_is_faster_does_not_lead_where_the_mean_is_not() -> None:
    steady, backing_off = [100.0, 101.0, 99.0, 100.0] * 5, [30.0, 31.0, 29.0, 310.0] * 5
    assert not leads({"steady": steady, "backing off": backing_off})


def test_a_percentile_that_two_runs_did_not_reach_is_no_proof_and_five_are() -> None:
    assert not leads({"a": [900, 910], "b": [None, None]})
    assert leads({"a": [900, 910, 905, 899, 903], "b": [None] * 5})


def test_a_stack_that_reached_less_often_never_leads() -> None:
    decision = decided([{"fast": [10, 10, 10, 11, None], "sure": [50, 51, 50, 51, 50]}])
    (point,) = decision.points
    assert point.outcome is Outcome.TOO_CLOSE
    assert point.ranked[0].stack == "sure"


@pytest.mark.parametrize(
    ("other", "smallest_effect", "outcome"),
    [
        (0.99, 0.0, Outcome.LEADS),
        (0.99, 0.01, Outcome.TOO_CLOSE),
        (0.95, 0.01, Outcome.LEADS),
    ],
)
def test_shares_near_one_are_compared_in_points(
    other: float, smallest_effect: float, outcome: Outcome
) -> None:
    (point,) = decided(
        [{"a": [1.0] * 5, "b": [other] * 5}],
        aim="delivery_ratio",
        column="delivery_ratio",
        maximise=True,
        smallest_effect=smallest_effect,
    ).points
    assert point.outcome is outcome
    margin = point.ranked[1].margin
    assert margin is not None
    assert margin.contrast.change.mean == pytest.approx(other - 1)


def test_a_lead_at_one_of_ten_points_is_corrected_and_at_one_alone_is_not() -> None:
    draw = np.random.default_rng(3)
    nothing = [draw.lognormal(4.6, 0.2, 5).tolist() for _ in range(9)]
    alone = decided([CLOSE]).points[0]
    assert alone.outcome is Outcome.LEADS
    p_value = alone.p_value
    assert p_value is not None
    assert 0.005 < p_value < 0.05
    among = decided([CLOSE, *({"a": [100.0] * 5, "b": values} for values in nothing)])
    assert among.points[0].stands_alone
    assert among.points[0].outcome is Outcome.TOO_CLOSE
    assert among.points[0].leaders == ("a", "b")


def test_where_the_leader_changes_along_a_sweep_both_leads_stand() -> None:
    equal = [{"a": [100.0] * 5, "b": [100.0] * 5}] * 6
    turned = {"a": CLOSE["b"], "b": CLOSE["a"]}
    outcomes = [point.outcome for point in decided([CLOSE, *equal, turned]).points]
    assert outcomes == [Outcome.LEADS, *[Outcome.TOO_CLOSE] * 6, Outcome.LEADS]


def test_the_answer_says_what_so_few_runs_cannot_exclude() -> None:
    decision = decided([{"a": [100] * 5, "b": [200] * 5, "c": [300] * 5}])
    said = [line.text.replace("\N{NO-BREAK SPACE}", " ") for line in verdict(decision).support]
    unseen = "An event absent from all 5 runs can still have a probability of up to 45 %"
    assert f"{unseen} (95 % confidence)." in said
    (note,) = how_to_read(decision)
    assert note.startswith("Ordered by geometric means over the runs.")
    assert "corrected for the comparisons of 2 stacks (Hochberg)" in note
