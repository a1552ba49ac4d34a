"""R3, R6 and R7 find what breaks them."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from . import composition
from .composition import Composition, outcome_of
from .relations import breaches

REPORTS = Composition("coap", "wan", devices=2, kind="report", payload=64, interval_s=600)


def _relations(it: Composition, folder: Path) -> Iterable[str]:
    return {breach.relation for breach in breaches(it, outcome_of(it, folder))}


def test_a_lost_message_is_a_breach(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    it = Composition("raw_udp", "wan", devices=2, kind="report", payload=64, interval_s=1)
    assert not _relations(it, tmp_path)
    monkeypatch.setitem(composition.PATHS, "wan", "[{delay: 60 ms, loss: 50 %}]")
    assert _relations(replace(it), tmp_path) == {"R3 completeness"}


def test_packets_without_end_are_a_breach(tmp_path: Path) -> None:
    said_often = "dds announcement_interval=100ms"
    it = Composition(said_often, "lan", devices=1, kind="report", payload=64, interval_s=60)
    assert "R6 bounds" in _relations(it, tmp_path)


def test_messages_that_stay_away_after_an_event_are_a_breach(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    it = replace(REPORTS, event="outage")
    assert not _relations(it, tmp_path)
    for_good = "{start: AT, outage: p, for: 30 min}"
    monkeypatch.setitem(composition.EVENTS, "outage", for_good)
    assert _relations(replace(it), tmp_path) == {"R7 recovery"}
