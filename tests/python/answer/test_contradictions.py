"""Where no stack meets all requirements, the answer says which cannot hold together."""

from collections.abc import Mapping, Sequence

import polars as pl

from lasthop.answer.contradictions import contradictions, contradictions_in_words
from lasthop.answer.decision import Decision, decide
from lasthop.answer.verdict import verdict

from .test_decision import SEEDS, runs, study, swept_runs

VALVE = "delivery_ratio >= 99 %"
BYTES = "bytes_per_month <= 400 kB"
YEARS = "battery_years >= 15"


def decided(figures: Mapping[str, tuple[float, float, float]], wanted: Sequence[str]) -> Decision:
    """Decide between stacks with a delivery, bytes a month and years of a battery each."""
    latency = {stack: [10.0 + place, 11.0, 10.0, 11.0, 10.0] for place, stack in enumerate(figures)}
    table = runs(latency)
    for place, name in enumerate(("delivery_ratio", "bytes_per_month", "battery_years")):
        values = [figures[stack][place] for stack in table["stack"]]
        table = table.with_columns(pl.Series(name, values))
    return decide(table, study(list(figures), require=list(wanted)))


def said(decision: Decision) -> list[str]:
    return [sentence.text for sentence in contradictions_in_words(decision)]


def test_what_no_stack_meets_and_what_no_stack_meets_together() -> None:
    decision = decided(
        {"coap": (0.5, 300e3, 3.0), "mqtt": (1.0, 900e3, 2.0)}, [VALVE, BYTES, YEARS]
    )
    assert [found.requirements for found in contradictions(decision)] == [
        (YEARS,),
        (VALVE, BYTES),
    ]
    assert said(decision) == [
        "No stack meets battery life of at least 15 years.",
        (
            "These requirements cannot hold together: share of messages delivered of at least "
            "99 %, and bytes of a SIM in a month of at most 400 kB. coap misses share of messages "
            "delivered of at least 99 %; mqtt misses bytes of a SIM in a month of at most 400 kB."
        ),
    ]
    answer = verdict(decision)
    assert answer.headline.text == "No stack meets all 3 requirements."
    assert [one.text for one in answer.support][:2] == said(decision)


def test_a_requirement_that_is_met_is_in_no_contradiction() -> None:
    decision = decided({"coap": (0.5, 300e3, 3.0), "mqtt": (1.0, 300e3, 2.0)}, [BYTES, YEARS])
    assert [found.requirements for found in contradictions(decision)] == [(YEARS,)]


def test_three_that_hold_in_pairs_contradict_each_other_only_together() -> None:
    decision = decided(
        {"a": (0.5, 300e3, 20.0), "b": (1.0, 900e3, 20.0), "c": (1.0, 300e3, 2.0)},
        [VALVE, BYTES, YEARS],
    )
    (found,) = contradictions(decision)
    assert found.requirements == (VALVE, BYTES, YEARS)
    assert [misses for _, _, misses in found.missed] == [(VALVE,), (BYTES,), (YEARS,)]


def test_nothing_is_said_where_a_stack_meets_all() -> None:
    decision = decided({"a": (1.0, 300e3, 20.0), "b": (0.5, 900e3, 2.0)}, [VALVE, BYTES, YEARS])
    assert contradictions(decision) == ()
    assert said(decision) == []


def test_one_requirement_is_told_by_the_headline() -> None:
    decision = decided({"a": (0.5, 300e3, 20.0)}, [VALVE])
    assert said(decision) == []
    assert verdict(decision).headline.text.startswith("No stack meets share of messages")


def test_a_point_at_which_a_stack_meets_all_is_enough() -> None:
    """Fast at one loss and slow at the other: the two requirements hold together somewhere."""
    table, asked = swept_runs({0.0: {"a": [10.0] * len(SEEDS)}, 0.1: {"a": [900.0] * len(SEEDS)}})
    asked["decide"]["require"] = ["latency_p50 <= 1 s", "latency_p50 <= 100 ms"]
    assert contradictions(decide(table, asked)) == ()
    asked["decide"]["require"] = ["latency_p50 <= 5 ms", "latency_p50 >= 10 s"]
    found = contradictions(decide(table, asked))
    assert [one.requirements for one in found] == [
        ("latency_p50 <= 5 ms",),
        ("latency_p50 >= 10 s",),
    ]
