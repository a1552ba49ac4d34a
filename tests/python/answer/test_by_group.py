"""What holds for a group or stratum, and whether it differs from the fleet."""

from collections.abc import Mapping, Sequence

import polars as pl
import pytest

from lasthop.answer.by_group import (
    DecisionByGroup,
    answer_by_group,
    decide_by_group,
    has_several,
)
from lasthop.answer.decision import Outcome, decide
from lasthop.answer.expectation import ExpectationVerdict, judge_expectations
from lasthop.answer.expectation_words import expectation_line
from lasthop.answer.group_rows import rows_by_group
from lasthop.answer.verdict import verdict
from lasthop.errors import UsageError
from lasthop.measures import COLUMNS
from lasthop.measures.groups import MEASURED_BY_GROUP, WHOLE
from lasthop.results.schema import GROUPS

from .test_decision import SEEDS, runs, study

STACKS = ("a", "b")
Place = tuple[str, str | None, str]
NEAR: Place = ("meters", "144 dB", "index")
FAR: Place = ("meters", "164 dB", "index")
LOW = [100.0, 101.0, 99.0, 100.0, 102.0]
HIGH = [200.0, 201.0, 199.0, 200.0, 202.0]
FLEET = {"a": LOW, "b": HIGH}


def groups(
    latency: Mapping[Place, Mapping[str, Sequence[float]]], *, delivered: float = 1.0
) -> pl.DataFrame:
    """Lay out a row for each place, stack and seed."""
    rows = [
        {
            "run_id": f"{stack}-{seed}",
            "group": group,
            "stratum": stratum,
            "flow": flow,
            "devices": 10,
            "delivery_ratio": delivered,
            "latency_p50_ms": value,
            "energy_total_j": 1.0,
        }
        for (group, stratum, flow), stacks in latency.items()
        for stack, values in stacks.items()
        for seed, value in zip(SEEDS, values, strict=True)
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def asked(table: pl.DataFrame, **question: object) -> DecisionByGroup:
    """Ask which stack has the lowest latency, of the fleet and of each place."""
    described, fleet_runs = study(STACKS, **question), runs(FLEET)
    found = decide_by_group(fleet_runs, table, described, decide(fleet_runs, described))
    assert found is not None
    return found


def said(found: DecisionByGroup) -> str:
    """Give the sentence that stands beside the answer."""
    sentence = answer_by_group(found)
    assert sentence is not None
    return sentence.text


def test_a_group_without_strata_has_no_answer_of_its_own() -> None:
    table = groups({("meters", None, "index"): FLEET, ("meters", None, "alarm"): FLEET})
    described, fleet_runs = study(STACKS), runs(FLEET)
    assert not has_several(table)
    assert decide_by_group(fleet_runs, table, described, decide(fleet_runs, described)) is None


def test_what_leads_everywhere_is_said_to_be_the_same() -> None:
    found = asked(groups({NEAR: FLEET, FAR: FLEET}))
    assert not found.differing
    assert said(found) == "The answer is the same for each stratum."


def test_a_stratum_with_another_winner_is_named_with_it() -> None:
    found = asked(groups({NEAR: FLEET, FAR: {"a": HIGH, "b": LOW}}))
    assert [found.place(point) for point in found.differing] == [("164 dB",)]
    assert said(found) == (
        "The answer differs for stratum 164 dB: b has the lowest median latency; "
        "it is the same for the other one."
    )


def test_a_stratum_that_is_too_close_to_call_differs() -> None:
    found = asked(groups({NEAR: FLEET, FAR: {"a": LOW, "b": LOW}}))
    assert [point.outcome for point in found.differing] == [Outcome.TOO_CLOSE]
    assert "for stratum 164 dB: a and b are too close to call" in said(found)


def test_a_requirement_is_judged_in_each_stratum() -> None:
    poor = groups({FAR: FLEET}, delivered=0.5)
    found = asked(pl.concat([groups({NEAR: FLEET}), poor]), require=["delivery_ratio >= 99 %"])
    assert [point.outcome for point in found.differing] == [Outcome.NOTHING_QUALIFIES]
    assert "for stratum 164 dB: no stack meets" in said(found)


def test_leads_in_strata_are_corrected_together_as_those_at_points_are() -> None:
    found = asked(groups({NEAR: FLEET, FAR: FLEET}))
    alone = decide(runs(FLEET), study(STACKS)).points[0].p_value
    together = found.decision.points[0].p_value
    assert alone is not None
    assert together is not None
    assert together > alone


def test_groups_strata_and_flows_are_named_where_they_tell_places_apart() -> None:
    alarms: Place = ("alarms", None, "ring")
    found = asked(groups({NEAR: FLEET, FAR: FLEET, alarms: FLEET}))
    assert found.places == ("group", "stratum")
    assert [found.place(point) for point in found.decision.points] == [
        ("meters", "144 dB"),
        ("meters", "164 dB"),
        ("alarms", WHOLE),
    ]
    several = asked(groups({NEAR: FLEET, FAR: FLEET, ("alarms", None, "x"): FLEET, alarms: FLEET}))
    assert several.places == ("group", "stratum", "flow")


def test_nobody_is_ranked_by_what_is_of_whole_runs() -> None:
    table = groups({NEAR: FLEET, FAR: FLEET})
    found = asked(table, minimise="control_bytes_per_100")
    assert found.unmeasured == ("control_bytes_per_100",)
    assert not found.differing
    assert (
        said(found) == "By stratum nobody is ranked: control_bytes_per_100 is of whole runs only."
    )


def test_a_study_that_asks_nothing_gets_figures_and_no_sentence() -> None:
    found = asked(groups({NEAR: FLEET, FAR: FLEET}), minimise=None)
    assert answer_by_group(found) is None
    assert len(found.decision.points) == 2


def test_a_run_that_failed_stands_at_every_place() -> None:
    failed = pl.col("run_id") == "b-11"
    described = runs(FLEET).with_columns(
        status=pl.when(failed).then(pl.lit("failed")).otherwise("status")
    )
    rows = rows_by_group(described, groups({NEAR: FLEET, FAR: FLEET}).filter(~failed))
    assert rows.filter(failed)["stratum"].to_list() == ["144 dB", "164 dB"]
    assert rows.filter(failed)["latency_p50_ms"].to_list() == [None, None]


def test_what_is_swept_is_a_point_of_each_stratum() -> None:
    twice = pl.concat(
        runs(values, path_loss=loss, part="loss").with_columns(
            run_id=pl.concat_str("run_id", pl.lit(f"-{loss}"))
        )
        for loss, values in ((0.0, FLEET), (0.1, {"a": HIGH, "b": LOW}))
    )
    table = groups({NEAR: FLEET, FAR: FLEET})
    both = pl.concat(
        table.with_columns(run_id=pl.concat_str("run_id", pl.lit(f"-{loss}")))
        for loss in (0.0, 0.1)
    )
    swept = [{"key": "path.loss", "column": "path_loss", "unit": "fraction"}]
    described = {**study(STACKS), "parts": [{"name": "loss", "swept": swept}]}
    found = decide_by_group(twice, both, described, decide(twice, described))
    assert found is not None
    assert len(found.decision.points) == 4
    labels = [point.point.label for point in found.differing]
    assert labels == ["stratum 144 dB, path loss 10\xa0%", "stratum 164 dB, path loss 10\xa0%"]


def test_an_expectation_of_a_stratum_is_judged_there() -> None:
    table = pl.concat([groups({NEAR: FLEET}), groups({FAR: FLEET}, delivered=0.5)])
    runs_of_fleet = runs(FLEET).with_columns(repetition=pl.lit(1))
    texts = [f"delivery_ratio >= 99 % where stratum == '{loss}'" for loss in ("144 dB", "164 dB")]
    held, failed = judge_expectations(runs_of_fleet, texts, lambda: table)
    assert (held.verdict, held.applied) == (ExpectationVerdict.HELD, 10)
    assert "true in 10 rows by group, stratum and flow" in expectation_line(held)
    assert (failed.verdict, failed.failed) == (ExpectationVerdict.FAILED, 10)
    assert (
        "(a, group meters, stratum 164 dB, flow index, part base, repetition 1)"
        in expectation_line(failed)
    )


def test_other_conditions_hold_beside_that_of_a_group() -> None:
    runs_of_fleet = runs(FLEET).with_columns(repetition=pl.lit(1))
    text = "latency_p50 < 150 ms where group == 'meters' and stack == 'a'"
    table = groups({NEAR: FLEET, FAR: {"a": HIGH, "b": LOW}})
    (found,) = judge_expectations(runs_of_fleet, [text], lambda: table)
    assert (found.failed, found.applied) == (5, 10)


def test_groups_are_not_judged_without_a_table_of_them() -> None:
    with pytest.raises(UsageError, match=r"no groups\.parquet"):
        judge_expectations(runs(FLEET), ["delivery_ratio > 0 where group == 'meters'"])


def test_every_measure_of_the_table_of_groups_can_be_judged() -> None:
    stored = {"energy_j" if name == "energy_total_j" else name for name in GROUPS.names}
    assert stored & {column.name for column in COLUMNS if column.is_measured} == MEASURED_BY_GROUP


COMMAND: Place = ("meters", None, "valve")
REPORT: Place = ("meters", None, "index")
VALVES = "delivery_ratio >= 99 % where flow == 'valve'"


def delivering(place: Place, **ratios: float) -> pl.DataFrame:
    """Lay out rows at a place at which each stack delivers another share."""
    found = [groups({place: {stack: LOW}}, delivered=share) for stack, share in ratios.items()]
    return pl.concat(found)


def test_a_requirement_on_a_flow_excludes_who_misses_it_there() -> None:
    table = pl.concat([delivering(COMMAND, a=0.5, b=1.0), delivering(REPORT, a=1.0, b=0.5)])
    decision = decide(runs(FLEET), study(STACKS, require=[VALVES]), lambda: table)
    (point,) = decision.points
    assert [arm.stack for arm in point.ranked] == ["b"]
    assert [out.because[0].figure for out in point.excluded] == [
        "50\N{NO-BREAK SPACE}% for flow valve"
    ]
    said = [line.text.replace("\N{NO-BREAK SPACE}", " ") for line in verdict(decision).support]
    why = "share of messages delivered is 50 % for flow valve, at least 99 % is required"
    assert f"Excluded: a ({why})." in said


def test_every_place_that_a_requirement_means_must_meet_it_and_the_worst_is_named() -> None:
    near, far = ("meters", "144 dB", "valve"), ("meters", "164 dB", "valve")
    table = pl.concat([delivering(near, a=0.98, b=1.0), delivering(far, a=0.2, b=1.0)])
    (point,) = decide(runs(FLEET), study(STACKS, require=[VALVES]), lambda: table).points
    (left_out,) = point.excluded
    assert left_out.because[0].figure == "20\N{NO-BREAK SPACE}% for stratum 164 dB, flow valve"


def test_a_requirement_on_a_flow_is_judged_by_the_mean_over_the_runs() -> None:
    ratios = [1.0, 1.0, 1.0, 1.0, 0.96]
    table = delivering(COMMAND, a=1.0, b=1.0).with_columns(
        pl.Series("delivery_ratio", [*ratios, *[1.0] * 5])
    )
    (point,) = decide(runs(FLEET), study(STACKS, require=[VALVES]), lambda: table).points
    assert not point.excluded
    (leader, _) = point.ranked
    assert leader.warnings[-1] == (
        "share of messages delivered of at least 99 % in flow valve is missed in 1 of 5 runs"
    )


def test_a_requirement_on_a_group_leaves_the_answer_for_another_group_alone() -> None:
    alarms: Place = ("alarms", None, "ring")
    table = pl.concat([delivering(REPORT, a=0.5, b=1.0), delivering(alarms, a=0.5, b=1.0)])
    asked_for = study(STACKS, require=["delivery_ratio >= 99 % where group == 'meters'"])
    fleet = decide(runs(FLEET), asked_for, lambda: table)
    found = decide_by_group(runs(FLEET), table, asked_for, fleet)
    assert found is not None
    excluded = {found.place(point): len(point.excluded) for point in found.decision.points}
    assert excluded == {("meters",): 1, ("alarms",): 0}


def test_a_requirement_on_a_flow_cannot_be_judged_without_the_rows_by_group() -> None:
    with pytest.raises(UsageError, match="the results have no groups"):
        decide(runs(FLEET), study(STACKS, require=[VALVES]))


def test_where_nobody_takes_part_is_no_place() -> None:
    everywhere = groups({NEAR: FLEET, FAR: FLEET})
    nobody = everywhere.with_columns(
        devices=pl.when(pl.col("stratum") == "164 dB").then(0).otherwise(pl.col("devices"))
    )
    assert set(rows_by_group(runs(FLEET), nobody)["stratum"]) == {"144 dB"}
    assert has_several(everywhere)
    assert not has_several(nobody)
    # Where somebody takes part in some repetitions only, those tell.
    sometimes = everywhere.with_columns(
        devices=pl.when(pl.col("run_id") == "a-11").then(0).otherwise(pl.col("devices"))
    )
    assert rows_by_group(runs(FLEET), sometimes).height == everywhere.height - 2
