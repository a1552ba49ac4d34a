"""Every byte and every packet is accounted for, whatever the path does."""

import pytest

from .conftest import Outcome

DIRECTIONS = ("up", "down")


def test_the_run_completes_and_moves_packets_both_ways_or_one(outcome: Outcome) -> None:
    assert outcome.summary["status"] == "completed"
    assert outcome.summary["packets_up_offered"] > 0


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_ledger_sums_to_the_wire_bytes(outcome: Outcome, direction: str) -> None:
    for fate in ("offered", "delivered"):
        wire = outcome.summary[f"wire_bytes_{direction}_{fate}"]
        assert outcome.bytes_in_ledger(direction, fate) == wire
        assert outcome.bytes_in_packets(direction, fate) == wire
        packets = outcome.summary[f"packets_{direction}_{fate}"]
        assert outcome.packet_count(direction, fate) == packets


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_what_enters_leaves_is_dropped_or_is_on_its_way(outcome: Outcome, direction: str) -> None:
    for count in (outcome.packet_count, outcome.bytes_in_packets, outcome.bytes_in_ledger):
        entered = count(direction, "offered") + count(direction, "duplicated")
        ended = sum(count(direction, fate) for fate in ("delivered", "dropped", "in_flight"))
        assert entered == ended, count


def test_every_layer_has_its_bytes(outcome: Outcome) -> None:
    offered = outcome.ledger.filter(outcome.ledger["fate"] == "offered")
    by_layer = {
        (direction, layer): int(rows["bytes"].sum())
        for (direction, layer), rows in offered.group_by(["direction", "layer"])
    }
    header = 40 if "ip.version=6" in outcome.case.stack else 20
    for direction in DIRECTIONS:
        packets = outcome.packet_count(direction, "offered")
        assert by_layer.get((direction, "ip"), 0) == packets * header
        if outcome.case.transport == "udp":
            assert by_layer.get((direction, "udp"), 0) == packets * 8
        else:
            assert by_layer.get((direction, "tcp"), 0) >= packets * 20


def test_packets_are_dropped_for_the_reasons_of_their_path(outcome: Outcome) -> None:
    dropped = outcome.packets.filter(outcome.packets["fate"] == "dropped")
    possible = {
        "clean": set(),
        "losing": {"loss"},
        "corrupting": {"loss"},
        "translating": {"nat_no_mapping", "nat_not_translatable"},
        "narrow": {"queue_full", "outage"},
        "short": {"too_big"},
        "copying_before_losing": {"loss"},
    }
    assert set(dropped["reason"]) <= possible[outcome.case.path]
