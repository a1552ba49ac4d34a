"""Who leads along a sweep, and where that flips."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pytest

from lasthop.answer.decision import Outcome
from lasthop.answer.sweep_words import flips, stretches
from lasthop.answer.sweeps import SweepDecision, decide_along_sweeps
from lasthop.report.figures.flip_marks import flip_marks

LOSSES = (0.0, 0.05, 0.10)
SPREAD = (-1.0, -0.5, 0.0, 0.5, 1.0)

Lines = Mapping[str, Sequence[float]]


def study(**asked: object) -> dict[str, Any]:
    """Describe a study that sweeps the loss and decides by the median latency."""
    question: dict[str, Any] = {
        "require": [],
        "minimise": "latency_p50",
        "maximise": None,
        "smallest_effect": 0.05,
    }
    return {
        "name": "made-up",
        "decide": {**question, "part": None, **asked},
        "parts": [
            {
                "name": "loss",
                "swept": [{"key": "path.loss", "column": "path_loss", "unit": "fraction"}],
            }
        ],
        "stacks": [{"name": "a"}, {"name": "b"}],
    }


def runs(latency: Lines, delivery: Lines | None = None) -> pl.DataFrame:
    """Lay out five repetitions of each stack along the sweep, spread by a millisecond."""
    return pl.DataFrame(
        [
            {
                "part": "loss",
                "run_id": f"{stack}-{place}-{seed}",
                "stack": stack,
                "seed": seed,
                "status": "completed",
                "reason": None,
                "latency_p50_ms": value + SPREAD[seed],
                "delivery_ratio": (delivery or {}).get(stack, [1.0] * 3)[place]
                + SPREAD[seed] / 1000,
                "path_loss": LOSSES[place],
            }
            for stack, values in latency.items()
            for place, value in enumerate(values)
            for seed in range(5)
        ]
    )


def along(table: pl.DataFrame, **asked: object) -> SweepDecision:
    """Decide along the one sweep."""
    (found,) = decide_along_sweeps(table, study(**asked))
    return found


def words(sweep: SweepDecision) -> list[str]:
    """Write what is said, with plain spaces."""
    said = [stretches(sweep), *flips(sweep)]
    return [sentence.text.replace("\N{NO-BREAK SPACE}", " ") for sentence in said]


def test_a_flip_lies_where_the_lines_cross() -> None:
    sweep = along(runs({"a": [100, 160, 220], "b": [140, 142, 144]}))
    (flip,) = sweep.flips
    assert (flip.before, flip.after, flip.last, flip.first) == ("a", "b", 0.0, 0.05)
    assert flip.qualification is None
    assert flip.crossing is not None
    # The log ratio rises from ln(100 / 140) to ln(160 / 142).
    assert flip.crossing.at.mean == pytest.approx(0.0369, abs=1e-4)
    assert words(sweep) == [
        "Part loss, along path loss: a leads at 0 %; b leads from 5 % on.",
        (
            "b takes over from a between 0 % and 5 %; their lines cross at 3.7 % "
            "(3.7 %, 95 % t interval of 5 runs) by interpolation."
        ),
    ]


def test_a_point_that_is_too_close_to_call_lies_inside_the_flip() -> None:
    sweep = along(runs({"a": [100, 142, 200], "b": [140, 141, 142]}))
    assert sweep.decision.points[1].outcome is Outcome.TOO_CLOSE
    (flip,) = sweep.flips
    assert (flip.last, flip.unclear, flip.first) == (0.0, (0.05,), 0.10)
    assert "unclear at 5 %" in words(sweep)[1]
    assert "b and a are too close to call at 5 %" in words(sweep)[0]


def test_a_requirement_that_excludes_the_leader_is_named_with_where_it_does() -> None:
    table = runs(
        {"a": [100, 100, 100], "b": [140, 140, 140]},
        {"a": [1.0, 0.98, 0.9], "b": [1.0, 1.0, 1.0]},
    )
    sweep = along(table, require=["delivery_ratio >= 99 %"])
    (flip,) = sweep.flips
    assert flip.qualification is not None
    assert (flip.qualification.stack, flip.qualification.ends) == ("a", True)
    assert flip.crossing is not None
    assert flip.crossing.at.mean == pytest.approx(0.025)
    assert (
        "where a stops meeting share of messages delivered of at least 99 %, at 2.5 %"
        in words(sweep)[1]
    )
    assert {mark.column for mark in flip_marks([sweep], "loss")} == {
        "latency_p50_ms",
        "delivery_ratio",
    }
    assert flip_marks([sweep], "another") == ()


def test_a_stack_that_begins_to_qualify_takes_over() -> None:
    table = runs(
        {"a": [140, 140, 140], "b": [100, 100, 100]},
        {"b": [0.9, 0.9, 1.0], "a": [1.0, 1.0, 1.0]},
    )
    sweep = along(table, require=["delivery_ratio >= 95 %"])
    (flip,) = sweep.flips
    assert flip.qualification is not None
    assert (flip.qualification.stack, flip.qualification.ends) == ("b", False)
    assert "where b begins to meet share of messages delivered of at least 95 %" in words(sweep)[1]


def test_a_leader_to_the_end_has_no_flip() -> None:
    sweep = along(runs({"a": [100, 110, 120], "b": [140, 150, 160]}))
    assert sweep.flips == ()
    assert words(sweep) == ["Part loss, along path loss: a leads from 0 % to 10 %."]


def test_a_lead_that_is_lost_to_a_tie_is_no_flip() -> None:
    sweep = along(runs({"a": [100, 140, 140], "b": [140, 140, 140]}))
    assert sweep.flips == ()
    assert words(sweep)[0].endswith("a and b are too close to call from 5 % on.")


def test_where_the_aim_is_not_reached_the_flip_has_no_crossing() -> None:
    table = runs({"a": [100, 150, 150], "b": [140, 140, 140]}).with_columns(
        latency_p50_ms=pl.when(pl.col("stack") == "a", pl.col("path_loss") > 0)
        .then(None)
        .otherwise(pl.col("latency_p50_ms"))
    )
    (flip,) = along(table).flips
    assert flip.crossing is None
    (mark,) = flip_marks([along(table)], "loss")
    assert (mark.at, mark.low, mark.high) == (None, 0.0, 0.05)


def test_more_is_better_where_the_study_maximises() -> None:
    table = runs({"a": [1, 1, 1], "b": [1, 1, 1]}, {"a": [1.0, 0.8, 0.6], "b": [0.9, 0.89, 0.88]})
    (flip,) = along(table, minimise=None, maximise="delivery_ratio", smallest_effect=0.01).flips
    assert (flip.before, flip.after) == ("a", "b")


def test_a_study_without_an_aim_or_with_two_axes_has_no_flips() -> None:
    table = runs({"a": [100, 160, 220], "b": [140, 142, 144]})
    assert decide_along_sweeps(table, {**study(), "decide": None}) == ()
    two = table.with_columns(path_delay_ms=pl.col("seed") * 1.0)
    asked = study()
    asked["parts"][0]["swept"].append({"key": "path.delay", "column": "path_delay_ms"})
    assert decide_along_sweeps(two, asked) == ()
