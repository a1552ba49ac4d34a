"""Checks whether the packets of a stack fit the MTU of each hop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lasthop.study.fields.quantity import SIZE, format_quantity, parse
from lasthop.study.paths.path import LinkForm, Nat
from lasthop.study.rules.datagrams import SIDES, record_bytes
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lasthop.study.fleet.assembly import Assembly, Flow, Group
    from lasthop.study.stacks.arm import StudyArm
    from lasthop.study.stacks.notation import ResolvedStack

IPV6_MTU_BYTES = 1_280

_QUIC_DATAGRAM_BYTES = 1_200
_UDP_BYTES = 8
_TCP_BYTES = 20
_IP_BYTES = {"4": 20, "6": 40}
_COAP_HEADER_BYTES = 4
_COAP_OPTIONS_BYTES = 32
"""Reserve for CoAP headers in bytes: token, Uri-Path, block option, payload marker and others."""
_BLOCK_SIZES = (16, 32, 64, 128, 256, 512, 1024)
_DTLS_LEAST_BYTES = 64
_RTPS_FRAGMENT_BYTES = 20 + 16 + 12 + 36
"""Overhead of an RTPS fragment: headers, INFO_DST, INFO_TS (DDSI-RTPS 2.5, 8.3.3, 9.4.5.5)."""
_RTPS_SAMPLE_BYTES = 20 + 16 + 12 + 24 + 32 + 4 + 32
"""Overhead of a whole RTPS sample: headers, inline QoS, length and the following HEARTBEAT."""
_RTPS_ALIGNMENT_BYTES = 4
"""A whole sample is padded to a multiple of this (DDSI-RTPS 2.5, 9.4.1)."""
_LEAST_FRAGMENT_BYTES = 64
_TCP_LEAST_SEGMENT_BYTES = 88
"""Smallest MSS that Linux accepts from a peer (`TCP_MIN_MSS`)."""


_HEARD = {
    kind: tuple({"up": "down", "down": "up"}[side] for side in sides)
    for kind, sides in SIDES.items()
}
"""Directions of a relayed message as its receiver sees them."""


@dataclass(frozen=True)
class Need:
    """The smallest MTU for a stack, and the remedy below it."""

    mtu_bytes: int
    why: str
    instead: Callable[[int], str]
    """Remedy for a given MTU of the path."""
    sides: Sequence[str] = ("up", "down")
    """Directions that need this MTU."""


def check_mtu(assembly: Assembly, arm: StudyArm) -> None:
    """Check that unfragmented packets of an arm fit the paths, and that peers are discoverable.

    Segments of TCP fit the interface, and shrink behind it, down to the smallest that there are.

    Raises
    ------
    Fault
        If a datagram that is not fragmented would be dropped each time that it leaves; if DDS is
        to find a peer behind a translator.
    """
    for group in assembly.groups:
        for flow in assembly.flows_of(group):
            stack = arm.stacks[group.client(flow.server)]
            if flow.traffic.session != "established":
                _check_reachable(stack, group, assembly)
            for need in _needs(stack, flow, SIDES[flow.traffic.kind]):
                _check_hops(need, group, assembly)
        for flow in assembly.heard_by(group):
            stack = arm.stacks[group.client(assembly.hears_at(flow))]
            for need in _needs(stack, flow, _HEARD[flow.traffic.kind]):
                _check_hops(need, group, assembly)


def _check_hops(need: Need, group: Group, assembly: Assembly) -> None:
    for hop in assembly.hops_of(group):
        for side in need.sides if isinstance(hop.settings, LinkForm) else ():
            mtu_bytes = getattr(hop.settings, side).mtu
            if mtu_bytes < need.mtu_bytes:
                instead = need.instead(mtu_bytes)
                raise Fault(
                    need.why,
                    hint=f'write "{need.mtu_bytes} B" or more, or {instead}',
                    location=(*hop.location, side, "mtu"),
                )


def _check_reachable(stack: ResolvedStack, group: Group, assembly: Assembly) -> None:
    # Over TCP it is answered on the connection that the device has opened.
    if stack.layers[0] != "dds" or "udp" not in stack.layers:
        return
    for hop in assembly.hops_of(group):
        if isinstance(hop.settings, Nat):
            raise Fault(
                f"{show(stack.name)} finds its peers by the addresses that they "
                "announce, and these are not reachable behind a NAT",
                hint='remove the NAT from this path, write "session: established" '
                "in each flow, or use a stack whose devices connect first: "
                "dds/rtps_tcp, mqtt, coap",
                location=hop.location,
            )


def _needs(stack: ResolvedStack, flow: Flow, sides: Sequence[str]) -> Iterator[Need]:
    if stack.options.get("ip.version") == "6":
        yield Need(
            IPV6_MTU_BYTES,
            f"{show(stack.name)} uses IPv6, which needs an MTU of at least "
            f"{IPV6_MTU_BYTES} B (RFC 8200, 5)",
            lambda _: '"ip.version=4" in the stack',
        )
    for layer, need in _WHOLE.items():
        if layer in stack.layers:
            yield from need(stack, flow, sides)


def _of_quic(stack: ResolvedStack, _flow: Flow, _sides: Sequence[str]) -> Iterator[Need]:
    mtu = _QUIC_DATAGRAM_BYTES + _headers(stack)
    yield Need(
        mtu,
        f"{show(stack.name)} uses QUIC, which begins with datagrams of "
        f"{_QUIC_DATAGRAM_BYTES} B, that is packets of {mtu} B (RFC 9000, 14)",
        lambda _: "a stack over TCP",
    )


def _of_dtls(stack: ResolvedStack, _flow: Flow, _sides: Sequence[str]) -> Iterator[Need]:
    if stack.options["dtls.auth"] != "certificate":
        return
    largest = int(parse(stack.options["dtls.mtu"], SIZE))
    beside = _headers(stack)
    yield Need(
        largest + beside,
        f"{show(stack.name)} uses DTLS with certificates, which sends datagrams of "
        f"up to {largest} B, that is packets of {largest + beside} B",
        lambda mtu: f'"dtls.mtu={max(mtu - beside, _DTLS_LEAST_BYTES)}B" in the stack',
    )


def _of_tcp(stack: ResolvedStack, _flow: Flow, _sides: Sequence[str]) -> Iterator[Need]:
    mtu = _TCP_LEAST_SEGMENT_BYTES + _TCP_BYTES + _IP_BYTES[stack.options.get("ip.version", "4")]
    yield Need(
        mtu,
        f"{show(stack.name)} uses TCP, whose segments have {_TCP_LEAST_SEGMENT_BYTES} B or more",
        lambda _: "a stack over UDP",
    )


def _of_coap(stack: ResolvedStack, flow: Flow, sides: Sequence[str]) -> Iterator[Need]:
    if "udp" not in stack.layers:
        return
    block = int(stack.options["block_size"])
    beside = _headers(stack) + record_bytes(stack, flow) + _COAP_HEADER_BYTES
    part = min(block, _largest(flow))
    yield Need(
        part + beside,
        f"{show(stack.name)} sends {format_quantity(part, SIZE)} of a message in one datagram, "
        "which is not fragmented",
        lambda mtu: (
            f'"block_size={_block_within(mtu - beside - _COAP_OPTIONS_BYTES)}" in the stack'
        ),
        sides,
    )


def _block_within(room: int) -> int:
    """Return the largest CoAP block size that fits (RFC 7959, 2.2)."""
    return max((size for size in _BLOCK_SIZES if size <= room), default=_BLOCK_SIZES[0])


def _of_dds(stack: ResolvedStack, flow: Flow, sides: Sequence[str]) -> Iterator[Need]:
    if "udp" not in stack.layers:
        return
    fragment = int(parse(stack.options["fragment_size"], SIZE))
    largest = _largest(flow)
    is_whole = largest < fragment
    beside = _headers(stack) + (_RTPS_SAMPLE_BYTES if is_whole else _RTPS_FRAGMENT_BYTES)
    part = largest if is_whole else fragment
    padding = -part % _RTPS_ALIGNMENT_BYTES if is_whole else 0
    yield Need(
        part + padding + beside,
        f"{show(stack.name)} sends {format_quantity(part, SIZE)} of a sample in one datagram, "
        "which is not fragmented further",
        lambda mtu: f'"fragment_size={_fragment_within(mtu - _headers(stack))}B" in the stack',
        sides,
    )


def _fragment_within(room: int) -> int:
    """Return the largest fragment size with which unfragmented samples fit as well."""
    return max(room - _RTPS_SAMPLE_BYTES, _LEAST_FRAGMENT_BYTES)


_WHOLE: dict[str, Callable[[ResolvedStack, Flow, Sequence[str]], Iterator[Need]]] = {
    "quic": _of_quic,
    "dtls": _of_dtls,
    "tcp": _of_tcp,
    "coap": _of_coap,
    "dds": _of_dds,
}
"""Layers with datagrams of a fixed size, independent of the path."""


def _headers(stack: ResolvedStack) -> int:
    return _UDP_BYTES + _IP_BYTES[stack.options.get("ip.version", "4")]


def _largest(flow: Flow) -> int:
    traffic = flow.traffic
    if traffic.kind == "download":
        return traffic.download or 0
    payload = traffic.payload
    return payload * traffic.batch if isinstance(payload, int) else 0
