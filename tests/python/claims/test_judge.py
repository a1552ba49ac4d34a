"""What becomes of a claim: each form of a rule, held against runs that are known."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from lasthop.claims import ClaimVerdict, judge
from lasthop.study import load_study

from .conftest import JudgeRules, Load
from .synthetic import Formula, Measured, runs_of, spread


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def latency(value: float, **of: float) -> Formula:
    """Give every stack a mean latency, and some another one."""

    def formula(stack: str, _part: str, _at: Mapping[str, Any], repetition: int) -> Measured:
        return {"latency_mean_ms": spread(of.get(stack, value), repetition)}

    return formula


def along_loss(start: float, rise: float) -> Formula:
    """Let the bytes rise by a share from 0 % to 20 % loss."""

    def formula(_stack: str, _part: str, at: Mapping[str, Any], repetition: int) -> Measured:
        total = spread(start * (1 + rise * at["path_loss"] / 0.2), repetition)
        return {"wire_bytes_up_offered": total / 2, "wire_bytes_down_offered": total / 2}

    return formula


AT_10 = "column: latency_mean, stacks: [raw_udp], part: loss, at: {path.loss: 10 %}"

ONE_POINT = {
    "a value in the range": ("equals: 110 ms", 100.0, ClaimVerdict.PREDICTED),
    "a value that the interval meets": ("equals: 83 ms", 104.0, ClaimVerdict.PREDICTED),
    "a value outside": ("equals: 60 ms", 100.0, ClaimVerdict.NOT_REPRODUCED),
    "a tolerance of its own": ("equals: 110 ms, within: 2 %", 100.0, ClaimVerdict.NOT_REPRODUCED),
    "an absolute tolerance": ("equals: 110 ms, within: 15 ms", 100.0, ClaimVerdict.PREDICTED),
    "above": ("above: 90 ms", 100.0, ClaimVerdict.PREDICTED),
    "not above": ("above: 110 ms", 100.0, ClaimVerdict.NOT_REPRODUCED),
    "neither": ("above: 100 ms", 100.2, ClaimVerdict.UNDECIDED),
    "below": ("below: 110 ms", 100.0, ClaimVerdict.PREDICTED),
    "not below": ("below: 90 ms", 100.0, ClaimVerdict.NOT_REPRODUCED),
}


@pytest.mark.parametrize(("rule", "ours", "verdict"), ONE_POINT.values(), ids=ONE_POINT.keys())
def test_one_stack_at_one_point(
    judged: JudgeRules, rule: str, ours: float, verdict: ClaimVerdict
) -> None:
    kind = "value" if "equals" in rule else "threshold"
    found = judged(f"{AT_10}, {rule}", latency(ours), kind=kind)
    assert found.verdict is verdict, found.reason
    assert found.ours == pytest.approx(ours)
    assert found.unit == "ms"
    assert found.n == 5
    assert found.interval is not None
    assert found.interval.low < ours < found.interval.high


def test_a_single_repetition_decides_nothing(judged: JudgeRules) -> None:
    for rule, ours, kind in (("equals: 60 ms", 100.0, "value"), ("above: 1 ms", 1e6, "threshold")):
        found = judged(f"{AT_10}, {rule}", latency(ours), kind=kind, repeat=1)
        assert found.verdict is ClaimVerdict.UNDECIDED
        assert found.reason == "1 repetition, which has no spread"


def test_two_repetitions_decide_what_is_far_away_and_nothing_near(judged: JudgeRules) -> None:
    far = judged(f"{AT_10}, above: 50 ms", latency(100.0), kind="threshold", repeat=2)
    assert far.verdict is ClaimVerdict.PREDICTED
    near = judged(f"{AT_10}, above: 96 ms", latency(100.0), kind="threshold", repeat=2)
    assert near.verdict is ClaimVerdict.UNDECIDED


def test_a_run_without_a_value_decides_nothing(judged: JudgeRules) -> None:
    def formula(_stack: str, _part: str, _at: Mapping[str, Any], repetition: int) -> Measured:
        return {"latency_mean_ms": None if repetition == 3 else 100.0}

    found = judged(f"{AT_10}, above: 1 ms", formula, kind="threshold")
    assert found.verdict is ClaimVerdict.UNDECIDED
    assert found.reason == "no value in 1 of 5 repetitions"
    assert found.as_json()["interval"][1] is None


def test_a_column_that_the_results_do_not_have_decides_nothing(load: Load) -> None:
    study = load(many(1, f"{AT_10}, above: 1 ms"))
    (found,) = judge(study.claims, runs_of(study, latency(1.0)).drop("latency_mean_ms"))
    assert found.reason == "no value in 5 of 5 repetitions"


def test_equal_values_are_judged_without_doubt(judged: JudgeRules) -> None:
    def whole(_stack: str, _part: str, _at: Mapping[str, Any], _repetition: int) -> Measured:
        return {"delivery_ratio": 1.0}

    rule = "column: delivery_ratio, stacks: [raw_udp], part: loss"
    assert judged(f"{rule}, at_least: 100 %", whole).verdict is ClaimVerdict.HOLDS
    assert judged(f"{rule}, above: 100 %", whole).verdict is ClaimVerdict.NOT_REPRODUCED
    lost = "column: loss_ratio, stacks: [raw_udp], part: loss, equals: 0 %"
    assert judged(lost, whole, kind="value").verdict is ClaimVerdict.PREDICTED


def test_of_points_at_which_nothing_is_to_be_lost_the_one_that_lost_most_is_shown(
    judged: JudgeRules,
) -> None:
    def stalled(_stack: str, _part: str, at: Mapping[str, Any], repetition: int) -> Measured:
        return {"delivery_ratio": 1.0 - 0.05 * at["path_loss"] * (repetition == 3)}

    lost = "column: loss_ratio, stacks: [raw_udp], part: loss, equals: 0 %"
    found = judged(f"{lost}, within: 10 percentage points", stalled, kind="value")
    assert found.verdict is ClaimVerdict.PREDICTED
    assert found.ours == pytest.approx(0.05 * 0.2 / 5)
    assert plain(found.reason).startswith("raw_udp, loss, path loss 20 %: ")


def test_an_interval_does_not_leave_what_can_be(judged: JudgeRules) -> None:
    def nearly_all(_stack: str, _part: str, _at: Mapping[str, Any], repetition: int) -> Measured:
        return {"delivery_ratio": 1.0 - 0.001 * (repetition == 3)}

    rule = "column: delivery_ratio, stacks: [raw_udp], part: loss, above: 99 %"
    found = judged(rule, nearly_all).interval
    assert found is not None
    assert found.low < found.mean < found.high == 1.0


def test_every_point_must_hold_unless_one_is_enough(judged: JudgeRules) -> None:
    def rising(_stack: str, _part: str, at: Mapping[str, Any], repetition: int) -> Measured:
        return {"latency_mean_ms": spread(100 + 1000 * at["path_loss"], repetition)}

    rule = "column: latency_mean, stacks: [raw_udp], part: loss, above: 150 ms"
    each = judged(rule, rising, kind="threshold")
    assert each.verdict is ClaimVerdict.NOT_REPRODUCED
    assert plain(each.reason).startswith("raw_udp, loss, path loss 0 %: ")
    assert len(each.findings) == 3
    assert judged(f"{rule}, holds_at: any", rising).verdict is ClaimVerdict.HOLDS
    none = judged(rule.replace("150", "1500") + ", holds_at: any", rising)
    assert none.verdict is ClaimVerdict.NOT_REPRODUCED


@pytest.mark.parametrize(
    ("at", "points"),
    [
        ("{path.loss: 10 %}", ["path loss 10 %"]),
        ("{path.loss: [0 %, 20 %]}", ["path loss 0 %", "path loss 20 %"]),
        ('{path.loss: "> 0 %"}', ["path loss 10 %", "path loss 20 %"]),
        ("{path.loss: lowest}", ["path loss 0 %"]),
        ("{path.loss: highest}", ["path loss 20 %"]),
    ],
)
def test_points_are_chosen_by_their_swept_values(
    judged: JudgeRules, at: str, points: list[str]
) -> None:
    rule = f"column: latency_mean, stacks: [raw_udp], part: loss, above: 1 ms, at: {at}"
    found = judged(rule, latency(100.0))
    assert [plain(finding.point) for finding in found.findings] == points


def test_the_extreme_is_looked_for_where_the_condition_holds(judged: JudgeRules) -> None:
    def formula(_stack: str, _part: str, at: Mapping[str, Any], repetition: int) -> Measured:
        return {
            "delivery_ratio": 1 - at["path_loss"],
            "latency_mean_ms": spread(100.0, repetition),
        }

    rule = (
        "column: latency_mean, stacks: [raw_udp], part: loss, at: {path.loss: highest}, "
        "where: delivery_ratio >= 85 %, above: 1 ms"
    )
    assert [plain(finding.point) for finding in judged(rule, formula).findings] == [
        "path loss 10 %"
    ]
    nowhere = judged(rule.replace("85", "100"), formula)
    assert [plain(finding.point) for finding in nowhere.findings] == ["path loss 0 %"]


def test_no_point_is_no_verdict(judged: JudgeRules) -> None:
    rule = "column: latency_mean, stacks: [raw_udp], part: loss, where: delivery_ratio < 10 %"
    found = judged(f"{rule}, above: 1 ms", latency(100.0))
    assert found.verdict is ClaimVerdict.UNDECIDED
    assert found.reason == "no run at a point as the rule asks for"


def test_an_order_is_judged_by_paired_ratios_at_every_point(judged: JudgeRules) -> None:
    def noisy(stack: str, _part: str, _at: Mapping[str, Any], repetition: int) -> Measured:
        # The repetitions differ by hundreds, the stacks by a tenth: only pairs can tell.
        own = {"raw_udp": 1.0, "json_udp": 1.1, "mqtt qos=1": 1.2}[stack]
        return {"latency_mean_ms": 100.0 * repetition * own}

    rule = "column: latency_mean, part: loss"
    right = judged(f"{rule}, lowest_first: [raw_udp, json_udp, mqtt qos=1]", noisy)
    assert right.verdict is ClaimVerdict.HOLDS, right.reason
    assert len(right.findings) == 2 * 3
    same = judged(f"{rule}, highest_first: [mqtt qos=1, json_udp, raw_udp]", noisy)
    assert same.verdict is ClaimVerdict.HOLDS
    wrong = judged(f"{rule}, lowest_first: [json_udp, raw_udp, mqtt qos=1]", noisy)
    assert wrong.verdict is ClaimVerdict.NOT_REPRODUCED
    assert plain(wrong.reason).startswith("json_udp < raw_udp, loss, path loss ")
    equal = judged(f"{rule}, lowest_first: [raw_udp, json_udp]", latency(100.0))
    assert equal.verdict is ClaimVerdict.UNDECIDED  # apart in neither direction
    assert plain(equal.reason).endswith(": equal in all 5 repetitions")
    against = judged(f"{rule}, highest_first: [raw_udp, json_udp, mqtt qos=1]", noisy)
    assert against.verdict is ClaimVerdict.NOT_REPRODUCED


def test_a_ratio_pairs_repetitions(judged: JudgeRules) -> None:
    def formula(stack: str, _part: str, _at: Mapping[str, Any], repetition: int) -> Measured:
        base = 1000.0 * repetition
        return {"wire_bytes_up_offered": base * (2.1 if stack == "json_udp" else 1.0)}

    rule = "column: wire_bytes_up_offered, stacks: [json_udp], part: loss"
    found = judged(f"{rule}, relative_to: {{stack: raw_udp}}, equals: 2", formula, kind="ratio")
    assert found.verdict is ClaimVerdict.PREDICTED
    assert found.ours == pytest.approx(2.1)
    assert len(found.findings) == 3
    strict = f"{rule}, relative_to: {{stack: raw_udp}}, equals: 2, within: 1 %"
    assert judged(strict, formula, kind="ratio").verdict is ClaimVerdict.NOT_REPRODUCED


def test_a_ratio_to_another_point_and_to_another_column(judged: JudgeRules) -> None:
    formula = along_loss(1000.0, rise=0.5)
    rule = "column: wire_bytes_offered, stacks: [raw_udp], part: loss, at: {path.loss: 20 %}"
    other = f"{rule}, relative_to: {{at: {{path.loss: 0 %}}}}, equals: 1.5, within: 10 %"
    assert judged(other, formula, kind="ratio").verdict is ClaimVerdict.PREDICTED
    half = f"{rule}, relative_to: {{column: wire_bytes_up_offered}}, equals: 200 %, within: 5 %"
    assert judged(half, formula, kind="ratio").verdict is ClaimVerdict.PREDICTED


def test_a_ratio_to_several_points_is_none(judged: JudgeRules) -> None:
    rule = "column: latency_mean, stacks: [raw_udp], part: loss, at: {path.loss: 0 %}"
    found = judged(f'{rule}, relative_to: {{at: {{path.loss: "> 0 %"}}}}, below: 1', latency(1.0))
    assert found.verdict is ClaimVerdict.UNDECIDED
    assert found.reason == "there is nothing to relate it to"


@pytest.mark.parametrize(
    ("requirement", "rise", "verdict"),
    [
        ("above: 2 %", 0.0, ClaimVerdict.NOT_REPRODUCED),
        ("below: 2 %", 0.01, ClaimVerdict.HOLDS),
        ("below: 2 %", 0.05, ClaimVerdict.NOT_REPRODUCED),
        ("above: 5 %", 0.30, ClaimVerdict.HOLDS),
        ("above: -5 %", -0.2, ClaimVerdict.NOT_REPRODUCED),
        ("below: 0 %", -0.2, ClaimVerdict.HOLDS),
        ("above: 100 B", 0.2, ClaimVerdict.HOLDS),
        ("above: 300 B", 0.2, ClaimVerdict.NOT_REPRODUCED),
    ],
)
def test_a_change_over_a_sweep_is_that_of_a_fitted_line(
    judged: JudgeRules, requirement: str, rise: float, verdict: ClaimVerdict
) -> None:
    rule = "column: wire_bytes_offered, stacks: [raw_udp], part: loss, change_over: path.loss"
    found = judged(f"{rule}, {requirement}", along_loss(1000.0, rise=rise))
    assert found.verdict is verdict, found.reason
    wanted = rise if "%" in requirement else 1000.0 * rise
    assert found.ours == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    assert plain(found.findings[0].point) == "path loss 0 % to path loss 20 %"


def test_what_is_constant_rises_by_nothing(judged: JudgeRules) -> None:
    def constant(_stack: str, _part: str, _at: Mapping[str, Any], _repetition: int) -> Measured:
        return {"latency_mean_ms": 0.1 + 0.2}

    rule = "column: latency_mean, stacks: [raw_udp], part: loss, change_over: path.loss"
    assert judged(f"{rule}, above: 0 %", constant).verdict is ClaimVerdict.NOT_REPRODUCED
    assert judged(f"{rule}, at_least: 0 %", constant).verdict is ClaimVerdict.HOLDS
    assert judged(f"{rule}, at_most: 0 %", constant).verdict is ClaimVerdict.HOLDS


def test_a_swept_value_that_is_no_number_expects_nothing(load: Load) -> None:
    rule = "column: loss_ratio, stacks: [raw_udp], part: loss, equals: path.loss"
    study = load(many(1, rule).replace("threshold", "value"))
    runs = runs_of(study, latency(1.0)).with_columns(path_loss=pl.lit(None, pl.Float64))
    (found,) = judge(study.claims, runs)
    assert found.verdict is ClaimVerdict.UNDECIDED
    assert found.reason.endswith("the swept key is not a number here")


def test_one_point_is_enough_where_another_has_no_value(judged: JudgeRules) -> None:
    def formula(_stack: str, _part: str, at: Mapping[str, Any], repetition: int) -> Measured:
        return {"latency_mean_ms": None if at["path_loss"] else spread(100.0, repetition)}

    rule = "column: latency_mean, stacks: [raw_udp], part: loss, holds_at: any"
    assert judged(f"{rule}, above: 90 ms", formula).verdict is ClaimVerdict.HOLDS
    assert (
        judged(f"{rule}, equals: 100 ms", formula, kind="value").verdict is ClaimVerdict.PREDICTED
    )
    assert judged(f"{rule}, above: 900 ms", formula).verdict is ClaimVerdict.UNDECIDED


def test_a_grid_has_a_sweep_for_each_of_its_other_values(judged: JudgeRules) -> None:
    rule = "column: wire_bytes_offered, stacks: [raw_udp], part: grid, change_over: path.loss"
    found = judged(f"{rule}, above: 5 %", along_loss(1000.0, rise=0.5))
    assert found.verdict is ClaimVerdict.HOLDS
    assert len(found.findings) == 2
    assert [plain(one.point).count("100 ms") for one in found.findings] == [2, 0]


def test_the_place_of_a_peak_is_compared(judged: JudgeRules) -> None:
    def formula(stack: str, _part: str, at: Mapping[str, Any], repetition: int) -> Measured:
        top = 0.1 if stack == "raw_udp" else 0.2
        return {"latency_mean_ms": spread(100 - 100 * abs(at["path_loss"] - top), repetition)}

    rule = "column: latency_mean, part: loss, peak_over: path.loss"
    first = judged(f"{rule}, lowest_first: [raw_udp, json_udp]", formula)
    assert first.verdict is ClaimVerdict.HOLDS
    value = judged(f"{rule}, stacks: [json_udp], equals: 20 %", formula, kind="value")
    assert (value.verdict, value.ours, value.unit) == (ClaimVerdict.PREDICTED, 0.2, "fraction")


def test_of_two_peaks_at_the_edge_of_a_sweep_nothing_is_known(judged: JudgeRules) -> None:
    def formula(stack: str, _part: str, at: Mapping[str, Any], repetition: int) -> Measured:
        top = {"mqtt qos=1": 0.1}.get(stack, 0.5)
        return {"latency_mean_ms": spread(100 - 100 * abs(at["path_loss"] - top), repetition)}

    rule = "column: latency_mean, part: loss, peak_over: path.loss"
    beyond = judged(f"{rule}, lowest_first: [raw_udp, json_udp]", formula)
    assert beyond.verdict is ClaimVerdict.UNDECIDED
    assert (
        beyond.reason == "both peak at the edge of the sweep, or beyond it, in 5 of 5 repetitions"
    )
    inside = judged(f"{rule}, lowest_first: ['mqtt qos=1', json_udp]", formula)
    assert inside.verdict is ClaimVerdict.HOLDS
    later = judged(f"{rule}, lowest_first: [json_udp, 'mqtt qos=1']", formula)
    assert later.verdict is ClaimVerdict.NOT_REPRODUCED


def test_the_mean_over_a_sweep_is_a_number_a_repetition(judged: JudgeRules) -> None:
    def formula(stack: str, _part: str, at: Mapping[str, Any], repetition: int) -> Measured:
        slow = 30.0 if stack == "json_udp" else 0.0
        return {"latency_mean_ms": spread(100 + slow + 600 * at["path_loss"], repetition)}

    rule = "column: latency_mean, part: loss, mean_over: path.loss"
    value = judged(f"{rule}, stacks: [raw_udp], equals: 160 ms, within: 5 %", formula, kind="value")
    assert (value.verdict, value.unit, value.n) == (ClaimVerdict.PREDICTED, "ms", 5)
    assert value.ours == pytest.approx(160)
    assert value.published == "160 ms on average over path loss"
    low = judged(f"{rule}, stacks: [json_udp], below: 170 ms", formula, kind="threshold")
    assert low.verdict is ClaimVerdict.NOT_REPRODUCED
    order = judged(f"{rule}, highest_first: [json_udp, raw_udp]", formula)
    assert (order.verdict, order.unit) == (ClaimVerdict.HOLDS, "fraction")
    assert order.ours == pytest.approx(190 / 160)


def test_a_mean_over_a_sweep_needs_each_of_its_points(judged: JudgeRules) -> None:
    def formula(_stack: str, _part: str, at: Mapping[str, Any], repetition: int) -> Measured:
        return {"latency_mean_ms": None if at["path_loss"] == 0.2 else spread(100.0, repetition)}

    rule = "column: latency_mean, part: loss, mean_over: path.loss, stacks: [raw_udp]"
    found = judged(f"{rule}, above: 1 ms", formula, kind="threshold")
    assert found.verdict is ClaimVerdict.UNDECIDED
    assert found.reason == "no value in 5 of 5 repetitions"


def test_an_order_may_name_stacks_of_several_parts(judged: JudgeRules) -> None:
    def formula(stack: str, part: str, at: Mapping[str, Any], repetition: int) -> Measured:
        level = {"raw_udp": 100.0, "json_udp": 130.0}.get(stack, 0.0)
        level += {"far": 60.0}.get(part, 0.0) + 100 * at["path_loss"]
        return {"latency_mean_ms": spread(level, repetition)}

    order = "[raw_udp, json_udp, {stack: raw_udp, part: far}, {stack: json_udp, part: far}]"
    rule = "column: latency_mean, part: loss"
    found = judged(f"{rule}, lowest_first: {order}", formula)
    assert found.verdict is ClaimVerdict.HOLDS, found.reason
    assert len(found.findings) == 3 * 3
    assert found.published == "raw_udp < json_udp < raw_udp in far < json_udp in far"
    assert "json_udp < raw_udp in far" in {one.stack for one in found.findings}
    mean = judged(f"{rule}, mean_over: path.loss, highest_first: {order}", formula)
    assert mean.verdict is ClaimVerdict.NOT_REPRODUCED
    assert len(mean.findings) == 3


def test_stacks_of_parts_without_a_point_in_common_are_not_compared(judged: JudgeRules) -> None:
    order = "[raw_udp, {stack: json_udp, part: grid}]"
    found = judged(f"column: latency_mean, part: far, lowest_first: {order}", latency(100.0))
    assert found.verdict is ClaimVerdict.UNDECIDED
    assert found.reason == "no run at a point as the rule asks for"


def test_an_expected_value_may_be_a_multiple_of_a_swept_key(judged: JudgeRules) -> None:
    def lossy(_stack: str, _part: str, at: Mapping[str, Any], repetition: int) -> Measured:
        return {"delivery_ratio": 1 - spread(2 * at["path_loss"], repetition)}

    rule = "column: loss_ratio, stacks: [raw_udp], part: loss"
    double = f"{rule}, equals: 2 * path.loss, within: 1 percentage point"
    assert judged(double, lossy, kind="value").verdict is ClaimVerdict.PREDICTED
    single = judged(f"{rule}, equals: path.loss, within: 2 percentage points", lossy, kind="value")
    assert single.verdict is ClaimVerdict.NOT_REPRODUCED
    assert plain(single.reason).startswith("raw_udp, loss, path loss 20 %: ")


def test_a_claim_is_judged_for_the_half_that_is_covered(judged: JudgeRules) -> None:
    rule = "column: latency_mean, part: loss, above: 1 ms"
    both = judged(f"{rule}, stacks: [raw_udp, mqtt_sn qos=1]", latency(100.0))
    assert both.verdict is ClaimVerdict.HOLDS
    assert both.reason.endswith("; without mqtt_sn qos=1 (mqtt_sn is not built yet)")
    none = judged(f"{rule}, stacks: [mqtt_sn qos=1]", latency(100.0))
    assert none.verdict is ClaimVerdict.NOT_COVERED
    assert none.reason == "mqtt_sn qos=1 (mqtt_sn is not built yet)"
    order = "column: latency_mean, part: loss, lowest_first: [mqtt_sn qos=1, raw_udp]"
    assert judged(order, latency(100.0)).verdict is ClaimVerdict.NOT_COVERED
    chosen = f"{rule}, stacks: [mqtt_sn qos=1], at: {{path.loss: lowest}}"
    where = judged(f"{chosen}, where: delivery_ratio >= 99 %", latency(100.0))
    assert where.verdict is ClaimVerdict.NOT_COVERED


def test_a_note_has_no_verdict_and_what_is_not_covered_its_reason(load: Load) -> None:
    study = load(
        "claims:\n"
        "  - {id: N1, kind: note, what: for the record}\n"
        "  - {id: N2, kind: value, what: needs a radio, not_covered: there is no radio model}\n"
    )
    note, uncovered = judge(study.claims, runs_of(study, latency(1.0)))
    assert (note.verdict, note.reason) == (None, "a note, not judged")
    assert uncovered.verdict is ClaimVerdict.NOT_COVERED
    assert uncovered.reason == "there is no radio model"


def test_runs_that_failed_are_told(load: Load) -> None:
    claims = (
        f"claims:\n  - {{id: A1, kind: threshold, what: x, rules: [{{{AT_10}, above: 1 ms}}]}}\n"
    )
    study = load(claims)
    runs = runs_of(study, latency(100.0), statuses={"raw_udp": ("failed", "no session")})
    (found,) = judge(study.claims, runs)
    assert found.verdict is ClaimVerdict.UNDECIDED
    assert plain(found.reason).startswith("failed: no session")


def test_what_runs_say_of_themselves_is_told(load: Load) -> None:
    claims = (
        f"claims:\n  - {{id: A1, kind: threshold, what: x, rules: [{{{AT_10}, above: 1 ms}}]}}\n"
    )
    study = load(claims)
    runs = runs_of(study, latency(100.0), statuses={"raw_udp": ("completed", "overload")})
    (found,) = judge(study.claims, runs)
    assert found.verdict is ClaimVerdict.PREDICTED
    assert found.reason.endswith("; overload in 5 of 5 runs")


def many(count: int, rule: str) -> str:
    """Write the same claim many times."""
    lines = [
        f"  - {{id: A{n}, kind: threshold, what: x, rules: [{{{rule}}}]}}\n" for n in range(count)
    ]
    return "claims:\n" + "".join(lines)


def test_what_one_claim_shows_many_leave_open(load: Load) -> None:
    rule = f"{AT_10}, above: 98.5 ms"
    alone, crowd = load(many(1, rule)), load(many(20, rule))
    runs = runs_of(alone, latency(100.0))
    (single,) = judge(alone.claims, runs)
    assert single.verdict is ClaimVerdict.PREDICTED
    together = judge(crowd.claims, runs)
    assert {found.verdict for found in together} == {ClaimVerdict.UNDECIDED}
    assert together[0].interval == single.interval
    assert together[0].p_value == pytest.approx(20 * (single.p_value or 0))
    assert together[0].reason.endswith("which the correction over 20 claims leaves open")


def test_the_correction_makes_no_verdict(load: Load) -> None:
    # Outside of the range for the 95 % interval, inside for the corrected one: not "reproduced".
    rule = f"{AT_10}, equals: 100 ms, within: 1 %"
    claims = many(20, rule).replace("threshold", "value")
    study = load(claims)
    found = judge(study.claims, runs_of(study, latency(102.6)))
    assert {one.findings[0].fails for one in found} == {True}
    assert {one.verdict for one in found} == {ClaimVerdict.UNDECIDED}


def test_renamed_stacks_and_parts_are_judged_like_others(load: Load) -> None:
    study = load(many(1, f"{AT_10}, above: 90 ms"))
    runs = runs_of(study, latency(100.0)).filter(pl.col("stack") == "json_udp")
    renamed = runs.with_columns(stack=pl.lit("raw_udp"))
    (found,) = judge(study.claims, renamed)
    assert found.verdict is ClaimVerdict.PREDICTED


def test_the_order_of_the_rows_does_not_matter(load: Load) -> None:
    study = load(
        many(3, "column: latency_mean, stacks: [raw_udp, json_udp], part: grid, above: 90 ms")
    )
    runs = runs_of(study, latency(100.0, json_udp=95.0))
    plain = [found.as_json() for found in judge(study.claims, runs)]
    shuffled = runs.sample(fraction=1.0, shuffle=True, seed=3)
    assert [found.as_json() for found in judge(study.claims, shuffled)] == plain


def test_json_has_no_infinite_number(load: Load) -> None:
    study = load(many(1, f"{AT_10}, above: 90 ms"))
    (found,) = judge(study.claims, runs_of(study, latency(100.0)))
    written = found.as_json()
    assert list(written)[:6] == ["id", "what", "kind", "source", "published", "ours"]
    assert written["findings"][0]["range"] == [90.0, None]
    assert all(math.isfinite(end) for end in written["interval"])


LONG_FORM = """\
study: long
duration: 1 min
paths: {line: {}}
servers: {head_end: {}}
fleet: {meters: {count: 1, path: line, server: head_end}}
traffic: {index: {from: meters, report: 100 B, every: 1 s}}
stacks: [raw_udp]
claims: published.yaml
sweep:
  - {name: far, paths.line.delay: [10 ms, 300 ms], traffic.index.session: [keep, per 10]}
repeat: 5
"""


def test_points_of_a_study_with_named_paths_are_told_apart(tmp_path: Path) -> None:
    claim = "claims:\n  - id: A1\n    kind: value\n    what: a claim\n    rules:\n      - {}\n"
    rule = (
        "{column: latency_mean, stacks: [raw_udp], part: far, equals: 300 ms,"
        " at: {paths.line.delay: 300 ms, traffic.index.session: keep}}"
    )
    (tmp_path / "published.yaml").write_text(claim.format(rule), encoding="utf-8")
    (tmp_path / "study.yaml").write_text(LONG_FORM, encoding="utf-8")
    study = load_study(tmp_path / "study.yaml")

    def formula(_stack: str, _part: str, at: Mapping[str, Any], repetition: int) -> Measured:
        late = at["paths_line_delay_ms"] * (1 if at["traffic_index_session"] == "keep" else 9)
        return {"latency_mean_ms": spread(late, repetition)}

    found = judge(study.claims, runs_of(study, formula))[0]
    assert found.verdict is ClaimVerdict.PREDICTED, found.reason
    assert [finding.ours and finding.ours.mean for finding in found.findings] == [
        pytest.approx(300)
    ]
