"""Compositions beside themselves: a device without its group, and a group more."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from . import variants
from .composition import Composition, Outcome, Refusal, planned, simulated
from .factors import STACKS, array
from .variants import NOT_INDEPENDENT, independence, locality, with_group_beside

SEED = 1
CHUNKS = 2

pytestmark = pytest.mark.timeout(300)

Run = tuple[Composition, str, Outcome]


def _runs(compositions: list[Composition], folder: Path) -> Iterator[Run]:
    for it in compositions:
        run = planned(it.text, folder)
        if not isinstance(run, Refusal):
            outcome = simulated(run.spec_json)
            if outcome.summary["status"] == "completed":
                yield it, run.spec_json, outcome


def _of_groups() -> list[Composition]:
    calm = {replace(it, event="none"): None for it in array(SEED) if it.devices > 1}
    return [it for it in calm if not any(holds(it) for holds in NOT_INDEPENDENT.values())]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_device_is_alone_what_it_is_among_others(chunk: int, tmp_path: Path) -> None:
    runs = list(_runs(_of_groups()[chunk::CHUNKS], tmp_path))
    found = [str(breach) for run in runs for breach in independence(*run)]
    assert not found, "\n".join(found)
    assert len(runs) > 30


DRAWS_FOR_ALL = ("coap", "raw_udp", "mqtt/quic", "http/quic", "dds")
"""Stacks whose servers draw the times of what they send for all devices."""


def test_what_is_lost_of_others_changes_nothing_for_a_device(tmp_path: Path) -> None:
    of_stacks = [
        Composition(stack, "lossy", 3, kind, 100, 40.0)
        for stack in STACKS
        for kind in ("report", "command", "round_trip")
        if kind == "report" or not stack.startswith(DRAWS_FOR_ALL)
    ]
    asked = [it for it in of_stacks if it.stack != "dds"]
    runs = list(_runs(asked, tmp_path))
    found = [str(breach) for run in runs for breach in independence(*run)]
    assert not found, "\n".join(found)
    assert len(runs) == len(asked)


def _one(composition: Composition, folder: Path, *, shared: bool = False) -> Run:
    run = planned(composition.text, folder)
    assert not isinstance(run, Refusal)
    spec = json.loads(run.spec_json)
    if shared:
        spec["paths"]["p"]["hops"][0]["scope"] = "all"
    text = json.dumps(spec)
    return composition, text, simulated(text)


SLOW = Composition("mqtt", "slow", 20, "report", 2000, 40.0)


def test_devices_that_share_a_bottleneck_are_not_independent(tmp_path: Path) -> None:
    assert list(independence(*_one(SLOW, tmp_path))) == []
    (found,) = independence(*_one(SLOW, tmp_path, shared=True))
    assert found.relation == "R1 independence"
    assert "other times" in found.what


def test_a_device_that_draws_as_another_one_is_not_independent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def of_another_seed(spec_json: str) -> Outcome:
        return simulated(json.dumps({**json.loads(spec_json), "seed": 5}))

    run = _one(SLOW, tmp_path)
    monkeypatch.setattr(variants, "simulated", of_another_seed)
    (found,) = independence(*run)
    assert "other times" in found.what


def test_a_group_at_the_same_bottleneck_is_felt(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def on_the_same_link(spec: variants.Spec) -> variants.Spec:
        found = with_group_beside(spec)
        found["groups"][-1]["path"] = "p"
        return found

    run = _one(SLOW, tmp_path, shared=True)
    assert list(locality(*run)) == []
    monkeypatch.setattr(variants, "with_group_beside", on_the_same_link)
    assert [breach.relation for breach in locality(*run)] == ["R2 locality"]
