"""Pauses that are longer than timers, between two bursts of each stack."""

import json
from pathlib import Path

import pytest

from . import pauses
from .composition import Outcome, simulated
from .pauses import Pause, breaches_of

CHUNKS = 2

pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_pause_costs_a_session_at_most(chunk: int, tmp_path: Path) -> None:
    found = [
        breach
        for pause in pauses.pauses()[chunk::CHUNKS]
        for breach in breaches_of(pause, tmp_path)
    ]
    assert not found, "\n".join(found)


def test_a_session_for_each_message_is_a_breach(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def one_a_message(spec_json: str) -> Outcome:
        spec = json.loads(spec_json)
        if len(spec["flows"]) > 1:
            for flow in spec["flows"]:
                flow["session"] = {"per": 1}
        return simulated(json.dumps(spec))

    monkeypatch.setattr(pauses, "simulated", one_a_message)
    found = next(breaches_of(Pause("http", "wan", "report", 400), tmp_path))
    assert "B of set-up" in found


def test_messages_that_are_lost_after_a_pause_are_a_breach(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pauses, "NOT_COVERED", {})
    found = list(breaches_of(Pause("json_udp/dtls", "nat", "report", 400), tmp_path))
    assert [one.rpartition(": ")[2] for one in found] == [
        "9 of 9 messages are lost after the pause"
    ]
