"""Checks whether a message fits into one datagram if its stack requires that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.fields.quantity import SIZE, format_quantity, parse
from lasthop.study.fleet.devices import Arriving
from lasthop.study.paths.path import LinkForm
from lasthop.study.text.faults import Fault
from lasthop.study.traffic.payload import FieldsPayload

if TYPE_CHECKING:
    from lasthop.study.fleet.assembly import Assembly, Flow, Group
    from lasthop.study.stacks.arm import StudyArm
    from lasthop.study.stacks.notation import ResolvedStack

ONE_DATAGRAM = ("raw_udp", "json_udp")
"""Stacks that can only send a message in a single datagram."""

NBIOT_MTU_BYTES = 1600
"""The largest packet of an NB-IoT network (TS 36.331, maximum size of a PDCP SDU)."""

_UDP_OVER_IPV4_BYTES = 28
_UDP_OVER_IPV6_BYTES = 48
_ACKNOWLEDGED_BYTES = 4
_DTLS_1_2_RECORD_BYTES = 13 + 8 + 8
"""Overhead of a DTLS 1.2 record: header, explicit nonce, AES-CCM-8 tag (RFC 6655, 3)."""
_DTLS_1_3_RECORD_BYTES = 5 + 1 + 16
"""Overhead of a DTLS 1.3 record: unified header, content type, tag (RFC 9147, 4)."""
_CID_TYPE_BYTES = 1
"""Byte of the content type, which a connection ID moves into the ciphertext (RFC 9146, 4)."""
_PUBLICATION = '{"op":"pub","topic":"device/","data":}'
_QUOTES_BYTES = 2
_CHANNEL_BYTES = 2
_UP_BYTES = 3

SIDES = {
    "report": ("up",),
    "pull": ("up",),
    "round_trip": ("up", "down"),
    "command": ("down",),
    "download": ("down",),
}
"""Directions of the messages of each kind of traffic."""


def check_carried(assembly: Assembly, arm: StudyArm) -> None:
    """Check that each stack can carry the messages of its flows.

    Raises
    ------
    Fault
        Where it would have to fit a datagram, and does not fit the path; where it would have to be
        text, and is not.
    """
    for flow in assembly.flows:
        group = assembly.group_of(flow)
        stack = arm.stacks[group.client(flow.server)]
        application = stack.layers[0]
        if application == "json_udp":
            _check_text(flow)
        size = _payload_bytes(flow)
        if application not in ONE_DATAGRAM or size is None:
            continue
        each = size // flow.traffic.batch
        room = _mtu(flow, assembly, group) - _overhead(flow, assembly, stack)
        if size > room:
            kind = flow.traffic.kind
            what = f"{kind.replace('_', ' ')} of {format_quantity(each, SIZE)}"
            if flow.traffic.batch > 1:
                what = f"bundle of {flow.traffic.batch} times {format_quantity(each, SIZE)}"
            least = f'"{room // flow.traffic.batch} B" or less' if room > 0 else "a larger mtu"
            raise Fault(
                f"{application} sends each message in one unfragmented datagram, "
                f"and a {what} does not fit",
                hint=f"write {least}, or use a stack that splits large messages: coap, mqtt",
                location=(*flow.location, kind),
            )


def record_bytes(stack: ResolvedStack, flow: Flow) -> int:
    """Return the overhead of a DTLS record in bytes; 0 without DTLS.

    Connection IDs are of the server: only the device writes one.
    """
    if "dtls" not in stack.layers:
        return 0
    if stack.options.get("dtls.version") == "1.3":
        return _DTLS_1_3_RECORD_BYTES
    cid = int(parse(stack.options.get("dtls.cid", "0B"), SIZE))
    writes_cid = cid > 0 and "up" in SIDES[flow.traffic.kind]
    return _DTLS_1_2_RECORD_BYTES + (cid + _CID_TYPE_BYTES if writes_cid else 0)


def _check_text(flow: Flow) -> None:
    payload = flow.traffic.payload
    if isinstance(payload, FieldsPayload) and not payload.is_plain:
        raise Fault(
            "json_udp carries only uncompressed JSON and text",
            hint='write "encoding: json" without compression, or use another stack',
            location=(*flow.location, flow.traffic.kind),
        )


def _payload_bytes(flow: Flow) -> int | None:
    """Return the payload of a datagram in bytes; None if only a run determines it."""
    traffic = flow.traffic
    if traffic.kind == "download":
        return traffic.download
    payload = traffic.payload
    if isinstance(payload, int):
        return payload * traffic.batch
    # What is bundled loses the padding of each reading.
    return payload.size_in_a_batch if traffic.batch == 1 else None


def _overhead(flow: Flow, assembly: Assembly, stack: ResolvedStack) -> int:
    """Return the largest overhead of a datagram in bytes, for the longest device number."""
    is_v6 = stack.options.get("ip.version") == "6"
    headers = _UDP_OVER_IPV6_BYTES if is_v6 else _UDP_OVER_IPV4_BYTES
    headers += record_bytes(stack, flow)
    if stack.layers[0] == "raw_udp":
        return headers + (_ACKNOWLEDGED_BYTES if stack.options.get("ack") == "on" else 0)
    counts = (group.devices for group in assembly.groups)
    devices = sum(int(count) for count in counts if not isinstance(count, Arriving))
    topic = len(str(max(devices, 1)))
    if assembly.flows_of(assembly.group_of(flow))[0] is not flow:
        topic += _CHANNEL_BYTES
    if flow.traffic.kind in ("round_trip", "pull"):
        topic += _UP_BYTES
    is_text = flow.traffic.kind == "download" or isinstance(flow.traffic.payload, int)
    return headers + len(_PUBLICATION) + topic + (_QUOTES_BYTES if is_text else 0)


def _mtu(flow: Flow, assembly: Assembly, group: Group) -> int:
    """Return the smallest MTU on the paths of a group, in the direction of a flow."""
    links = (hop.settings for hop in assembly.hops_of(group))
    largest = [
        getattr(link, side).mtu
        for link in links
        if isinstance(link, LinkForm)
        for side in SIDES[flow.traffic.kind]
    ]
    return min(largest, default=NBIOT_MTU_BYTES)
