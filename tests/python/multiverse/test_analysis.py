"""Each claim in each universe: in how many it holds, and what decides it."""

from pathlib import Path

import pytest

from lasthop.claims import ClaimVerdict
from lasthop.multiverse import ClaimAcross
from lasthop.study import PlannedRun

from .conftest import MULTIVERSE, Analyse, Measure

COUNTING = MULTIVERSE.replace(
    "stack: mqtt qos=1}",
    "stack: mqtt qos=1, counting: {latency: [round_trip, one_leg], "
    "application_bytes: [both_legs, one_leg], wire_bytes: [offered, delivered], "
    "frame_headers: [ethernet, none]}}",
)


def late(**reasons: float) -> Measure:
    """Make runs late by a part for each reason that holds, and a little by their seed."""

    def measure(run: PlannedRun) -> dict[str, float]:
        spread = run.seed % 7 / 10
        told = f"{run.stack} {run.parameters['path_reordering']}"
        added = {"qos0": "qos=0", "nagle": "nodelay=off", "in_order": " off"}
        late_ms = sum(ms for name, ms in reasons.items() if told.find(added[name]) >= 0)
        if "json_udp" in run.stack:
            return {"latency_mean_ms": 40.0 + spread}
        return {"latency_mean_ms": 100.0 + spread + late_ms}

    return measure


def claim(analysed: Analyse, measure: Measure, name: str, text: str = MULTIVERSE) -> ClaimAcross:
    found = {each.id: each for each in analysed(measure, text).claims}
    return found[name]


def test_a_claim_is_judged_in_every_universe(analysed: Analyse) -> None:
    found = claim(analysed, late(qos0=200), "LATE")
    assert found.overall.universes == 8
    assert found.overall.holding == 4
    assert found.verdicts[ClaimVerdict.NOT_REPRODUCED] == 4
    assert sum(found.verdicts.values()) == 8
    assert (found.low, found.high, found.unit) == (75.0, 125.0, "ms")


def test_the_weightiest_choice_decides(analysed: Analyse) -> None:
    found = claim(analysed, late(qos0=200, nagle=5), "LATE")
    assert found.decided_by is not None
    assert found.decided_by.choice.name == "qos"
    assert found.decided_by.weight == 1.0
    assert [effect.choice.name for effect in found.effects] == [
        "qos",
        "tcp.nodelay",
        "path.reordering",
    ]
    shares = {value: each.share for value, each in found.effects[0].by_value.items()}
    assert shares == {"1": 1.0, "0": 0.0}
    assert found.effects[1].weight == 0.0


def test_choices_that_act_together_share_the_weight(analysed: Analyse) -> None:
    found = claim(analysed, late(nagle=20, in_order=20), "LATE")
    weights = {effect.choice.name: effect.weight for effect in found.effects}
    assert weights == {"tcp.nodelay": 0.5, "path.reordering": 0.5, "qos": 0.0}


def test_where_every_universe_agrees_no_choice_decides(analysed: Analyse) -> None:
    found = claim(analysed, late(), "LATE")
    assert found.overall.share == 1.0
    assert found.decided_by is None
    assert found.as_json()["decided_by"] is None


def test_the_first_universe_has_the_first_value_of_each_choice(analysed: Analyse) -> None:
    found = claim(analysed, late(qos0=200, nagle=3, in_order=7), "LATE")
    assert found.first.changed is None
    first = found.first.ours or 0.0
    assert first == pytest.approx(100.3, abs=0.4)
    changed = {each.changed: each for each in found.one_change}
    assert list(changed) == [("qos", "0"), ("tcp.nodelay", "off"), ("path.reordering", "off")]
    rise = {name: each.ours - first for name, each in changed.items() if each.ours}
    expected = {("qos", "0"): 200, ("tcp.nodelay", "off"): 3, ("path.reordering", "off"): 7}
    assert rise == pytest.approx(expected)
    assert changed["qos", "0"].verdict is ClaimVerdict.NOT_REPRODUCED


def test_an_arm_of_another_application_stands_for_itself_in_every_universe(
    analysed: Analyse,
) -> None:
    found = claim(analysed, late(qos0=-80), "ORDER")
    assert found.overall.universes == 8
    assert found.overall.holding == 4
    assert found.decided_by is not None
    assert found.decided_by.choice.name == "qos"


def test_half_of_a_round_trip_is_one_leg(analysed: Analyse) -> None:
    found = claim(analysed, late(), "LATE", COUNTING)
    assert found.overall.universes == 16
    by_way = {each.changed: each.ours for each in found.one_change}
    assert found.first.ours is not None
    assert by_way["latency", "one_leg"] == pytest.approx(found.first.ours / 2)


def test_control_bytes_are_counted_in_every_way(analysed: Analyse) -> None:
    def measure(_: PlannedRun) -> dict[str, int]:
        return {
            "wire_bytes_up_offered": 40_000,
            "wire_bytes_down_offered": 35_000,
            "wire_bytes_up_delivered": 36_000,
            "wire_bytes_down_delivered": 31_000,
            "packets_up_delivered": 90,
        }

    found = claim(analysed, measure, "CONTROL", COUNTING)
    assert found.overall.universes == 8 * 2 * 2 * 2
    legs, leg = 2 * 60 * 409, 60 * 409
    wire, arrived = 75_000 + 14 * 200, 67_000 + 14 * 190
    assert found.first.ours == pytest.approx(100 * (wire - legs) / legs)
    by_way = {each.changed: each.ours for each in found.one_change}
    assert by_way["application_bytes", "one_leg"] == pytest.approx(100 * (wire - leg) / leg)
    assert by_way["wire_bytes", "delivered"] == pytest.approx(100 * (arrived - legs) / legs)
    assert by_way["frame_headers", "none"] == pytest.approx(100 * (75_000 - legs) / legs)


def test_what_the_multiverse_cannot_tell_says_why(analysed: Analyse) -> None:
    found = analysed(late())
    assert [each.id for each in found.claims] == ["LATE", "CONTROL", "ORDER"]
    assert found.not_judged == {
        "RISE": "needs the part loss",
        "UDP": "it is not about mqtt qos=1",
        "DDS": "needs the stack mqtt_sn",
        "NOTE": "a note, not judged",
    }


def test_a_swept_key_of_the_study_itself_is_no_choice(analysed: Analyse) -> None:
    text = MULTIVERSE.replace("name: bad,", "name: loss, path.loss: [0 %, 20 %],")

    def measure(run: PlannedRun) -> dict[str, int]:
        lost = run.parameters["path_loss"] == 0.2
        in_order = run.parameters["path_reordering"] == "off"
        return {"wire_bytes_up_offered": 30_000 + (6_000 if lost and in_order else 0)}

    found = claim(analysed, measure, "RISE", text)
    assert found.overall.universes == 8
    assert found.overall.holding == 4
    assert found.decided_by is not None
    assert found.decided_by.choice.name == "path.reordering"


def test_a_half_that_is_not_built_leaves_the_other_half(analysed: Analyse) -> None:
    found = claim(analysed, late(qos0=200), "DDS", MULTIVERSE.replace("json_udp", "mqtt_sn"))
    assert (found.overall.holding, found.overall.universes) == (4, 8)


def test_arms_with_names_are_readings_by_their_options(analysed: Analyse, folder: Path) -> None:
    original = folder / "study.yaml"
    listed = "[mqtt qos=1, json_udp, mqtt_sn]"
    original.write_text(
        original.read_text().replace(
            listed, "{ours: mqtt qos=1, json_udp: json_udp, mqtt_sn: mqtt_sn}"
        )
    )
    claims = folder / "published.yaml"
    claims.write_text(claims.read_text().replace("mqtt qos=1", "ours"))
    text = MULTIVERSE.replace("stack: mqtt qos=1", "stack: ours").replace(
        'stacks: ["mqtt qos={1,0} tcp.nodelay={on,off}", json_udp]',
        'stacks: {reading: "mqtt qos={1,0} tcp.nodelay={on,off}", json_udp: json_udp}',
    )
    found = claim(analysed, late(qos0=200, nagle=5), "LATE", text)
    assert (found.overall.universes, found.overall.holding) == (8, 4)
    assert found.decided_by is not None
    assert found.decided_by.choice.name == "qos"
