"""The closed list of verdicts: what parts "predicted" from the others."""

from collections.abc import Mapping
from typing import Any

import pytest

from lasthop.claims import ClaimVerdict, judge

from .conftest import JudgeRules, Load
from .synthetic import Measured, runs_of
from .test_judge import AT_10, latency, plain

CLAIM = "claims: [{{id: A1, kind: threshold, what: x, rules: [{{{rule}}}]}}]\n"


def test_an_interval_that_meets_a_range_must_also_be_narrower(judged: JudgeRules) -> None:
    def noisy(_stack: str, _part: str, _at: Mapping[str, Any], repetition: int) -> Measured:
        return {"latency_mean_ms": 100.0 + 20 * (repetition - 3)}

    wide = judged(f"{AT_10}, equals: 110 ms", noisy, kind="value")
    assert wide.verdict is ClaimVerdict.UNDECIDED
    assert plain(wide.reason).endswith("meets 82.5 \N{EN DASH} 138 ms but is not narrower")
    roomy = judged(f"{AT_10}, equals: 110 ms, within: 100 %", noisy, kind="value")
    assert roomy.verdict is ClaimVerdict.PREDICTED


def test_a_zero_that_chance_may_have_made_needs_a_range_with_a_width(judged: JudgeRules) -> None:
    def once(_stack: str, _part: str, _at: Mapping[str, Any], repetition: int) -> Measured:
        return {"delivery_ratio": 1.0 - 0.001 * (repetition == 3)}

    rule = "column: loss_ratio, stacks: [raw_udp], part: loss, equals: 0 %"
    assert judged(rule, once, kind="value").verdict is ClaimVerdict.UNDECIDED
    within = judged(f"{rule}, within: 1 percentage point", once, kind="value")
    assert within.verdict is ClaimVerdict.PREDICTED


def test_what_is_equal_in_every_repetition_is_one_number(judged: JudgeRules) -> None:
    def sums(stack: str, _part: str, _at: Mapping[str, Any], _repetition: int) -> Measured:
        return {"latency_mean_ms": 30.0 if stack == "raw_udp" else 40.0}

    rule = "column: latency_mean, stacks: [raw_udp], part: loss, relative_to: {stack: json_udp}"
    edge = judged(f"{rule}, equals: 1", sums, kind="ratio")
    assert (edge.verdict, edge.n, edge.exact) == (ClaimVerdict.PREDICTED, 1, True)
    assert edge.interval is not None
    assert (edge.interval.low, edge.interval.high) == (0.75, 0.75)
    assert "75 % in every repetition" in plain(edge.reason)
    beyond = judged(f"{rule}, equals: 1, within: 24 %", sums, kind="ratio")
    assert beyond.verdict is ClaimVerdict.NOT_REPRODUCED
    order = judged("column: latency_mean, part: loss, lowest_first: [raw_udp, json_udp]", sums)
    assert (order.verdict, order.exact) == (ClaimVerdict.HOLDS, True)


def test_a_share_that_is_equal_in_every_repetition_may_still_be_chance(judged: JudgeRules) -> None:
    def half(_stack: str, _part: str, _at: Mapping[str, Any], _repetition: int) -> Measured:
        return {"delivery_ratio": 0.5}

    rule = "column: delivery_ratio, stacks: [raw_udp], part: loss, equals: 50 %"
    found = judged(rule, half, kind="value")
    assert (found.n, found.exact) == (5, False)


@pytest.mark.parametrize("basis", ["fitted", "derived"])
def test_a_figure_that_was_used_is_not_predicted(load: Load, basis: str) -> None:
    for limit, verdict in (("above: 90 ms", ClaimVerdict(basis)), ("above: 110 ms", None)):
        text = CLAIM.format(rule=f"{AT_10}, {limit}")
        study = load(text.replace("what: x", f"what: x, {basis}: by the same figure"))
        (found,) = judge(study.claims, runs_of(study, latency(100.0)))
        assert found.verdict is (verdict or ClaimVerdict.NOT_REPRODUCED)
        assert (f"{basis}: by the same figure" in found.reason) == (verdict is not None)
