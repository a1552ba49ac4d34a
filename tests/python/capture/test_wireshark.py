"""Wireshark reads our captures, and finds in them what the tables say."""

from collections.abc import Callable, Iterator

import pytest

from . import tshark
from .cases import CASES, HOSTS, Case
from .conftest import Outcome
from .tshark import Frame

GOOD, ABSENT = "1", ""

OTHER_SIDE = {"up": "server", "down": "device"}
OWN_SIDE = {"up": "device", "down": "server"}


def test_no_packet_is_malformed_but_by_the_link(frames: list[Frame]) -> None:
    judged = list(_undisturbed(frames))
    assert judged
    assert [frame for frame in judged if frame.is_malformed and not frame.is_corrupted] == []


def _undisturbed(frames: list[Frame]) -> Iterator[Frame]:
    """Give the frames of each host up to where its stream gets out of order.

    Behind that, tshark takes the middle of a message for its beginning. Datagrams have no order.
    """
    disturbed: set[str] = set()
    for frame in frames:
        if frame.is_disturbed or (":tcp" in frame.protocols and frame.is_corrupted):
            disturbed.add(frame.host)
        if frame.host not in disturbed:
            yield frame


def test_no_checksum_is_bad_but_by_the_link(outcome: Outcome, frames: list[Frame]) -> None:
    # IPv6 has no checksum of its own.
    intact = (ABSENT if "ip.version=6" in outcome.case.stack else GOOD, GOOD)
    bad = [frame for frame in frames if (frame.ip_checksum, frame.transport_checksum) != intact]
    assert [frame for frame in bad if not frame.is_corrupted] == []
    # It does look: most of what the link changed is noticed.
    assert 2 * len(bad) >= sum(frame.is_corrupted for frame in frames)


def test_the_link_corrupts_where_it_should(outcome: Outcome, frames: list[Frame]) -> None:
    corrupted = [frame for frame in frames if frame.is_corrupted]
    assert bool(corrupted) == outcome.case.corrupts
    assert not any(frame.is_outbound for frame in corrupted)


def test_wireshark_sees_the_protocol_that_is_spoken(outcome: Outcome, frames: list[Frame]) -> None:
    version = "ipv6" if "ip.version=6" in outcome.case.stack else "ip"
    below = f"raw:{version}:{outcome.case.transport}"
    protocols = set(outcome.case.protocols)
    seen = {frame.protocols for frame in frames if not frame.is_corrupted}
    assert all(stacked.startswith(below) for stacked in seen), seen
    above = {layer for stacked in seen for layer in stacked.removeprefix(below).split(":")}
    assert protocols <= above
    # Not every segment carries something, and not every something ends with its segment.
    assert above <= {"", "data", "media", "tcp.segments", "json", "data-text-lines"} | protocols


def test_drop_reasons_stand_as_comments(outcome: Outcome, frames: list[Frame]) -> None:
    comments = [comment for frame in frames for comment in frame.comments]
    dropped = outcome.packets.filter(outcome.packets["fate"] == "dropped")
    for reason in sorted(set(dropped["reason"])):
        expected = dropped.filter(dropped["reason"] == reason)["packets"].sum()
        assert comments.count(f"dropped: {reason}") == expected, reason
    total = sum(comment.startswith("dropped: ") for comment in comments)
    assert total == dropped["packets"].sum()


def test_duplicates_stand_as_comments(outcome: Outcome, frames: list[Frame]) -> None:
    comments = [comment for frame in frames for comment in frame.comments]
    duplicated = sum(outcome.packet_count(direction, "duplicated") for direction in OWN_SIDE)
    assert comments.count("duplicated by the link") == duplicated


def test_captured_bytes_are_the_wire_bytes_of_every_direction(
    outcome: Outcome, frames: list[Frame]
) -> None:
    for direction in ("up", "down"):
        entered = sum(
            frame.length
            for frame in frames
            if frame.is_outbound and frame.side == OWN_SIDE[direction]
        )
        left = sum(
            frame.length
            for frame in frames
            if not frame.is_outbound and frame.side == OTHER_SIDE[direction]
        )
        assert entered == outcome.summary[f"wire_bytes_{direction}_offered"]
        assert entered == outcome.bytes_in_ledger(direction, "offered")
        assert left == outcome.summary[f"wire_bytes_{direction}_delivered"]
        assert left == outcome.bytes_in_ledger(direction, "delivered")


def test_the_capture_of_a_host_has_what_passes_its_interface(frames: list[Frame]) -> None:
    for host in sorted({frame.host for frame in frames}):
        assert host in HOSTS
        times = [frame.time_s for frame in frames if frame.host == host]
        assert times == sorted(times)


@pytest.mark.skipif(tshark.PROGRAM is None, reason="tshark is missing")
def test_the_interface_of_a_capture_is_called_as_its_host(
    simulate: Callable[[Case], Outcome],
) -> None:
    # tshark 4.0 knows the names of the first section only: each file by itself.
    for host, capture in simulate(CASES[0]).captures.items():
        assert {frame.interface for frame in tshark.read_all({host: capture})} == {host}


def test_a_packet_has_one_number_at_both_ends(frames: list[Frame]) -> None:
    sent = {frame.number: frame for frame in frames if frame.is_outbound}
    assert sorted(sent) == list(range(sum(frame.is_outbound for frame in frames)))
    for frame in frames:
        if not frame.is_outbound:
            assert sent[frame.number].side != frame.side
            assert sent[frame.number].time_s <= frame.time_s
            assert sent[frame.number].length == frame.length
    received = {frame.number for frame in frames if not frame.is_outbound}
    for number, frame in sent.items():
        ended = any(comment.startswith(("dropped", "under way")) for comment in frame.comments)
        assert ended or number in received


# Wireshark follows the sequence numbers of segments that the link damaged, whatever their checksum.
# There it counts a few retransmissions too many.
@pytest.mark.parametrize(
    "outcome",
    [case for case in CASES if not (case.corrupts and case.transport == "tcp")],
    ids=lambda case: case.name,
    indirect=True,
)
def test_retransmissions_at_the_senders_are_those_of_the_table(
    outcome: Outcome, frames: list[Frame]
) -> None:
    # A repetition within a round trip of other data is "out of order" to Wireshark.
    repeated = sum(frame.is_repeated for frame in frames if frame.is_outbound)
    assert repeated == outcome.summary["retransmissions_transport"]
