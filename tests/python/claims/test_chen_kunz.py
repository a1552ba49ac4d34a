"""The claims of Chen & Kunz 2016 say what the paper does, and turn when the runs do."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lasthop.claims import ClaimVerdict, Judgement, judge
from lasthop.study import load_study

from .synthetic import Measured, runs_of, spread

FOLDER = Path(__file__).parent / "chen-kunz-2016"
DDS = "dds/rtps_tcp reliability=reliable"
MQTT = "mqtt qos=1"

Paper = Callable[[str, str, Mapping[str, Any]], dict[str, float]]


def paper(stack: str, part: str, at: Mapping[str, Any]) -> dict[str, float]:
    """Measure what the paper reports, as far as its text tells."""
    loss, delay = at["path_loss"] or 0.0, at["path_delay_around_ms"]
    if stack == MQTT:
        rises = 1 + 2 * loss - (0.2 * delay / 400 if part == "latency" else 0)
        caps = 1e6 / at["path_rate_bit_per_s"]
        return {
            "latency_mean_ms": 578.0
            if part == "low_quality"
            else 300 + 3 * delay + 4000 * loss + 10 * caps,
            "wire_bytes_up_offered": 5000 * rises,
            "delivery_ratio": 1.0,
        }
    if stack == DDS:
        return {
            "latency_mean_ms": 234.0 if part == "low_quality" else 2.05 * delay + 1,
            "wire_bytes_up_offered": 2 * paper(MQTT, part, at)["wire_bytes_up_offered"],
            "control_bytes_per_100_ethernet": 289.0,
            "delivery_ratio": 1.0,
        }
    one_leg = at["path_up_loss"] if part == "loss_up" else 1 - (1 - loss) ** 2
    return {
        "latency_mean_ms": 2.05 * delay + 1,
        "wire_bytes_up_offered": 4000 * (1 - loss),
        "delivery_ratio": 1 - (one_leg or 0.0),
    }


def judgements(measure: Paper) -> dict[str, Judgement]:
    study = load_study(FOLDER / "study.yaml")

    def formula(stack: str, part: str, at: Mapping[str, Any], repetition: int) -> Measured:
        measured = measure(stack, part, at)
        return {
            name: value if name == "delivery_ratio" else spread(value, repetition)
            for name, value in measured.items()
        }

    found = judge(study.claims, runs_of(study, formula))
    return {judgement.id: judgement for judgement in found}


def test_what_the_paper_measured_reproduces_all() -> None:
    found = judgements(paper)
    verdicts = {name: judgement.verdict for name, judgement in found.items()}
    assert verdicts.pop("CK14") is None
    reasons = {name: found[name].reason for name in verdicts}
    assert set(verdicts.values()) == {ClaimVerdict.PREDICTED, ClaimVerdict.HOLDS}, reasons
    assert set(found) == {f"CK{number}" for number in range(1, 15)}


def test_the_published_figure_stands_beside_ours() -> None:
    first = judgements(paper)["CK1"]
    assert first.published == "578 ms"
    assert first.ours == pytest.approx(578.0)
    assert first.source == "Chen & Kunz 2016, section V"
    assert first.kind == "value"


TURNS = {
    "CK1": {"latency_mean_ms": 1.4},
    "CK3": {"control_bytes_per_100_ethernet": 1.4},
    "CK6": {"delivery_ratio": 0.9},
    "CK7": {"delivery_ratio": 0.8},
    "CK8": {"latency_mean_ms": 0.5},
    "CK2": {"latency_mean_ms": 1.4},
    "CK4": {"control_bytes_per_100_ethernet": 1.4},
    "CK13": {"latency_mean_ms": 1.3},
}


@pytest.mark.parametrize(("claim", "factors"), TURNS.items(), ids=TURNS.keys())
def test_a_claim_turns_when_its_column_does(claim: str, factors: Mapping[str, float]) -> None:
    def turned(stack: str, part: str, at: Mapping[str, Any]) -> dict[str, float]:
        measured = {"control_bytes_per_100_ethernet": 76.0} | paper(stack, part, at)
        return {name: value * factors.get(name, 1.0) for name, value in measured.items()}

    found = judgements(turned)[claim]
    assert found.verdict is ClaimVerdict.NOT_REPRODUCED, found.reason


def test_dds_that_is_slower_than_mqtt_anywhere_refutes_the_ninth_claim() -> None:
    def turned(stack: str, part: str, at: Mapping[str, Any]) -> dict[str, float]:
        measured = paper(stack, part, at)
        if stack == DDS and part == "loss" and at["path_loss"] == 0.25:
            measured["latency_mean_ms"] = 5000.0
        return measured

    found = judgements(turned)["CK9"]
    assert found.verdict is ClaimVerdict.NOT_REPRODUCED, found.reason


def test_dds_that_takes_as_many_bytes_as_mqtt_refutes_the_fifth_claim() -> None:
    def turned(stack: str, part: str, at: Mapping[str, Any]) -> dict[str, float]:
        measured = paper(stack, part, at)
        if stack == DDS:
            measured["wire_bytes_up_offered"] /= 2
        return measured

    found = judgements(turned)["CK5"]
    assert found.verdict is ClaimVerdict.NOT_REPRODUCED, found.reason


def test_rising_bytes_of_a_datagram_stack_refute_the_tenth_claim() -> None:
    def turned(stack: str, part: str, at: Mapping[str, Any]) -> dict[str, float]:
        measured = paper(stack, part, at)
        if stack == "json_udp":
            measured["wire_bytes_up_offered"] = 4000 * (1 + (at["path_loss"] or 0.0))
        return measured

    found = judgements(turned)["CK10"]
    assert found.verdict is ClaimVerdict.NOT_REPRODUCED
    assert found.reason.startswith("json_udp, loss, ")


def test_a_cap_that_carries_nothing_does_not_count() -> None:
    def turned(stack: str, part: str, at: Mapping[str, Any]) -> dict[str, float]:
        measured = paper(stack, part, at)
        if part == "rate" and at["path_rate_bit_per_s"] < 50_000:
            measured |= {"delivery_ratio": 0.5, "latency_mean_ms": 1.0}
        return measured

    found = judgements(turned)["CK12"]
    assert found.verdict is ClaimVerdict.HOLDS
    assert found.findings[0].point.replace("\N{NO-BREAK SPACE}", " ") == "path rate 50 kbit/s"
