"""More is offered than the path carries: invalid, or a result whose latency is not ranked."""

import polars as pl
import pytest

from lasthop.answer.decision import Outcome
from lasthop.outcome.short_answer import short_answer
from lasthop.referee.overload import Load

from .conftest import Bench

DECIDE = "decide: {minimise: latency_p50}"
SLOW, FAST = "coap type=con nstart=1", "coap type=con nstart=4"


def statuses(runs: pl.DataFrame, stack: str) -> set[tuple[str, str | None]]:
    rows = runs.filter(pl.col("stack") == stack).select("status", "reason")
    return set(rows.iter_rows())


def test_what_falls_behind_is_invalid_and_what_keeps_up_is_not(bench: Bench) -> None:
    results = bench.run(bench.study(SLOW, FAST, every="400 ms", duration="5 min", more=DECIDE))
    assert statuses(results.runs, SLOW) == {("invalid", "overload")}
    assert statuses(results.runs, FAST) == {("completed", None)}
    (finding,) = results.ruling.runs
    assert (finding.check, finding.invalid, finding.stacks) == ("overload", True, (SLOW,))
    assert "2 of 2 runs" in finding.what
    assert "measure: {overload: allow}" in finding.what
    assert results.manifest.counts == {"completed": 2, "invalid": 2}
    assert not results.ruling.valid


def test_an_overload_that_the_study_allows_is_a_result_but_not_ranked(bench: Bench) -> None:
    more = f"measure: {{overload: allow}}\n{DECIDE}"
    results = bench.run(bench.study(SLOW, FAST, every="400 ms", duration="5 min", more=more))
    assert statuses(results.runs, SLOW) == {("completed", "overload")}
    assert results.ruling.valid
    assert [finding.invalid for finding in results.ruling.runs] == [False]
    (point,) = results.decision.points
    assert [arm.stack for arm in point.ranked] == [FAST]
    (aside,) = point.set_aside
    assert (aside.stack, aside.troubles[0].status) == (SLOW, "overload")
    answer = short_answer(results)
    assert f"Not judged: {SLOW} (overload)." in answer.support
    row = next(row for row in answer.points[0].rows if row.stack == SLOW)
    assert row.verdict == "overload: more is offered than the path carries"
    assert row.rank is None
    assert row.delivery_ratio is not None


def test_an_overloaded_arm_is_ranked_by_what_is_no_latency(bench: Bench) -> None:
    more = "measure: {overload: allow}\ndecide: {minimise: control_bytes_per_100}"
    results = bench.run(bench.study(SLOW, FAST, every="400 ms", duration="5 min", more=more))
    (point,) = results.decision.points
    assert {arm.stack for arm in point.ranked} == {SLOW, FAST}
    assert not point.set_aside


def test_where_all_are_overloaded_no_stack_is_judged_and_the_reason_is_told(bench: Bench) -> None:
    more = f"measure: {{overload: allow}}\n{DECIDE}"
    results = bench.run(bench.study(SLOW, every="400 ms", duration="5 min", more=more))
    (point,) = results.decision.points
    assert point.outcome is Outcome.NOTHING_RAN
    assert short_answer(results).headline == (
        "No stack could be judged, for more is offered than the path carries."
    )


def test_a_study_may_change_its_mind_without_a_run(bench: Bench) -> None:
    study = bench.study(SLOW, FAST, every="400 ms", duration="5 min")
    refused = bench.run(study)
    before = refused.path.joinpath("runs.parquet").read_bytes()
    allowed = bench.run(study, measure__overload="allow")
    assert statuses(allowed.runs, SLOW) == {("completed", "overload")}
    assert allowed.manifest.counts == {"completed": 4}
    again = bench.run(study)
    assert again.manifest.counts == {"completed": 2, "invalid": 2}
    assert again.path.joinpath("runs.parquet").read_bytes() == before


@pytest.mark.parametrize(
    ("stack", "path", "overloaded"),
    [
        ("raw_udp", "{delay: 100 ms, rate: 400 B/s, queue: 4 kB}", True),
        ("raw_tcp", "{delay: 100 ms, rate: 400 B/s, queue: 4 kB}", True),
        # A full queue makes it give up, however often it tries.
        ("raw_udp ack=on", "{delay: 100 ms, rate: 400 B/s, queue: 4 kB}", True),
        ("raw_udp", "{delay: 100 ms, rate: 600 B/s, queue: 4 kB}", False),
        ("raw_tcp", "{delay: 100 ms, rate: 1 kB/s, queue: 4 kB}", False),
        # Much is under way, nothing waits.
        ("raw_udp", "{delay: 15 s}", False),
        # Much is lost, nothing waits.
        ("raw_udp", "{loss: 60 %, delay: 100 ms}", False),
        ("raw_udp ack=on", "{loss: 25 %, delay: 100 ms}", False),
    ],
)
def test_a_load_is_too_much_for_a_slow_path_not_for_a_long_or_a_lossy_one(
    bench: Bench, *, stack: str, path: str, overloaded: bool
) -> None:
    results = bench.run(bench.study(stack, path=path, every="250 ms", duration="3 min"))
    expected = ("invalid", "overload") if overloaded else ("completed", None)
    assert statuses(results.runs, stack) == {expected}, results.runs["uncarried_ratio"].to_list()


def test_payloads_that_take_longer_than_the_time_between_them_are_an_overload(
    bench: Bench,
) -> None:
    kinds = ("type=con", "type=con nstart=4", "type=non")
    stacks = [f"coap {kind} block_size=16" for kind in kinds]
    study = bench.study(*stacks, path="{delay: 100 ms}", duration="10 min")
    # A payload has 3,750 blocks, each of which takes a round trip.
    study.write_text(study.read_text().replace("100 B", "60 kB"))
    results = bench.run(study)
    for stack in stacks:
        assert statuses(results.runs, stack) == {("invalid", "overload")}


@pytest.mark.parametrize(("repeat", "overloaded"), [(4, False), (5, True)])
def test_a_small_excess_counts_where_five_repetitions_show_it(
    bench: Bench, *, repeat: int, overloaded: bool
) -> None:
    # Of 512 B/s it carries 490.
    path = "{loss: 0.1 %, delay: 100 ms, rate: 490 B/s, queue: 2 kB}"
    study = bench.study("raw_udp", path=path, every="250 ms", duration="5 min", repeat=repeat)
    results = bench.run(study)
    assert set(results.runs["uncarried_ratio"].is_between(0.025, 0.1)) == {True}
    assert results.ruling.valid is not overloaded


@pytest.mark.parametrize(
    ("shares", "too_much"),
    [
        ((), False),
        ((0.09,), False),
        ((0.1,), True),
        ((0.0, 0.3), True),
        ((0.0, 0.19), False),
        ((0.03, 0.03, 0.03, 0.03), False),
        ((0.03, 0.03, 0.03, 0.03, 0.025), True),
        ((0.09, 0.09, 0.09, 0.09, 0.02), False),
    ],
)
def test_the_mean_decides_or_what_all_of_five_show(
    *, shares: tuple[float, ...], too_much: bool
) -> None:
    assert Load(shares).is_too_much is too_much


def test_bursts_that_overflow_a_small_queue_are_no_overload(bench: Bench) -> None:
    study = bench.study(
        "raw_udp", path="{delay: 100 ms, rate: 1 kB/s, rate_kind: serial, queue: 1 packets}"
    )
    burst = study.read_text().replace("every: 1 s", "every: 2 s, burst: 8")
    study.write_text(burst)
    results = bench.run(study)
    assert set(results.runs["delivery_ratio"] < 0.9) == {True}
    assert set(results.runs["uncarried_ratio"].to_list()) == {0.0}
    assert results.ruling.valid


def test_too_few_messages_tell_nothing(bench: Bench) -> None:
    results = bench.run(bench.study("raw_udp", duration="10 s"))
    assert results.runs["uncarried_ratio"].to_list() == [None, None]
    assert results.ruling.valid
