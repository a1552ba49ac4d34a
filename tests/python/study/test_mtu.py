"""What a stack sends whole is held against the hops of its path; what is hinted at arrives."""

import re
from collections.abc import Callable

import pytest

from lasthop import _native
from lasthop.errors import StudyError
from lasthop.results.arrow_stream import read_stream
from lasthop.study import Study

MOVES = """study: moves
duration: 10 min
fleet:
  meters: {count: 3, path: lan, server: cloud}
  screens: {count: 2, path: lan, server: cloud}
servers: {cloud: {}}
paths: {lan: {delay: 1 ms}, cellular: {delay: 40 ms, mtu: 600 B}}
traffic:
  reading: {from: meters, SENT: 2 kB, every: 1 min}
events: [{start: 5 min, change_path: MOVED, to: cellular}]
stacks: [STACK]
repeat: 1
"""

STUDY = """study: small-mtu
duration: 2 min
repeat: 1
measure: {drain: 5 min}
stacks: [STACK]
traffic: {KIND: 2 kB, every: 30 s}
path: [{delay: 10 ms}, {delay: 30 ms, mtu: MTU}, {delay: 1 ms}]
"""

FLOORS = {
    "coap": 1_056,
    "coap/dtls": 1_085,
    "coap block_size=256": 288,
    "dds": 1_456,
    "dds fragment_size=400B": 512,
    "dds/rtps_tcp": 128,
    "mqtt/quic": 1_228,
    "mqtt/quic ip.version=6": 1_280,
    "http/quic": 1_228,
    "coap/dtls block_size=64 dtls.auth=certificate": 1_228,
    "coap/dtls block_size=64 dtls.auth=certificate dtls.mtu=300B": 328,
    "mqtt": 128,
    "mqtt/tls ip.version=6": 1_280,
}
"""Below so many bytes each cannot work, by stack."""


def _study(stack: str, kind: str, mtu: int) -> str:
    return STUDY.replace("STACK", stack).replace("KIND", kind).replace("MTU", f"{mtu} B")


def _delivery_ratio(study: Study) -> float:
    (run,) = study.planned_runs()
    tables = _native.simulate(run.spec_json, run_id="0")
    (summary,) = read_stream(tables.summary).rows(named=True)
    return float(summary["delivery_ratio"])


@pytest.mark.parametrize("stack", FLOORS)
def test_less_than_a_stack_needs_is_refused_and_named(
    stack: str, load: Callable[..., Study]
) -> None:
    floor = FLOORS[stack]
    with pytest.raises(StudyError, match=rf'write "{floor} B" or more, or ') as refused:
        load(_study(stack, "report", floor - 1))
    assert "study.yaml:7:" in str(refused.value)
    load(_study(stack, "report", floor))


@pytest.mark.parametrize("kind", ["report", "command", "round_trip"])
@pytest.mark.parametrize(
    "stack",
    [
        "coap",
        "coap type=non",
        "coap/dtls dtls.cid=8B",
        "coap/dtls block_size=64 dtls.auth=certificate",
        "coap/dtls block_size=64 dtls.auth=certificate dtls.version=1.3",
        "dds",
    ],
)
def test_what_is_written_instead_delivers_all(
    stack: str, kind: str, load: Callable[..., Study]
) -> None:
    with pytest.raises(StudyError) as refused:
        load(_study(stack, kind, 600))
    (option,) = re.findall(r'"([\w.]+=\w+)" in the stack', str(refused.value))
    assert _delivery_ratio(load(_study(f"{stack} {option}", kind, 600))) == 1.0


@pytest.mark.parametrize("mtu", [128, 300, 600, 1200])
@pytest.mark.parametrize(
    "stack", ["mqtt", "mqtt/tls", "mqtt/ws", "http", "coap/tcp", "raw_tcp", "dds/rtps_tcp"]
)
def test_segments_of_tcp_are_as_large_as_the_smallest_hop_takes(
    stack: str, mtu: int, load: Callable[..., Study]
) -> None:
    assert _delivery_ratio(load(_study(stack, "report", mtu))) == 1.0


@pytest.mark.parametrize("mtu", [300, 600, 1200])
@pytest.mark.parametrize("stack", ["mqtt", "mqtt/ws", "http", "coap/tcp", "raw_tcp"])
def test_segments_that_meet_silence_are_followed_by_smaller_ones(
    stack: str, mtu: int, load: Callable[..., Study]
) -> None:
    # A handshake of TLS takes too long for that below 1,064 B: each try begins with large segments.
    study = _study(f"{stack} tcp.path_mtu=probing", "report", mtu)
    assert _delivery_ratio(load(study)) == 1.0


def test_a_hop_that_nobody_hears_of_is_a_black_hole(load: Callable[..., Study]) -> None:
    assert _delivery_ratio(load(_study("mqtt tcp.path_mtu=unknown", "report", 1200))) == 0.0


def test_a_peer_behind_a_nat_is_refused_to_dds_unless_they_know_each_other(
    load: Callable[..., Study],
) -> None:
    study = _study("dds", "report", 1500)
    study = study.replace("{delay: 1 ms}]", "{nat: {udp: 1 min}}]")
    with pytest.raises(StudyError, match="not reachable behind a NAT"):
        load(study)
    load(study.replace("every: 30 s", "every: 30 s, session: established"))
    load(study.replace("stacks: [dds]", "stacks: [dds/rtps_tcp]"))


@pytest.mark.parametrize("stack", ["coap", "mqtt/quic", "dds", "coap/dtls dtls.auth=certificate"])
@pytest.mark.parametrize("moved", ["meters", "screens"])
def test_a_path_that_devices_change_to_is_looked_at_for_who_sends_and_who_hears(
    stack: str, moved: str, load: Callable[..., Study]
) -> None:
    study = MOVES.replace("SENT: 2 kB", "to: screens, report: 2 kB").replace("MOVED", moved)
    with pytest.raises(
        StudyError,
        match=r"that is packets of|in one unfragmented datagram|in one datagram, which is not",
    ):
        load(study.replace("STACK", stack))


def test_a_datagram_fits_the_path_that_devices_change_to(load: Callable[..., Study]) -> None:
    study = MOVES.replace("MOVED", "meters").replace("STACK", "raw_udp").replace("2 kB", "1 kB")
    study = study.replace("  screens: {count: 2, path: lan, server: cloud}\n", "")
    with pytest.raises(StudyError, match='write "572 B" or less'):
        load(study.replace("SENT", "report").replace("from: meters", "from: meters, to: cloud"))
