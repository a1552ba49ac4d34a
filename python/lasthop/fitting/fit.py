"""Fits stack, settings, traffic and path to a capture, and lists what stays unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from lasthop.errors import UsageError
from lasthop.fitting.messages import BY_SIZE, KINDS, FlowFit, fit_flow, keep_alive_s, messages_in
from lasthop.fitting.packets import DOWN, UP, Captured
from lasthop.fitting.path import PathFit, fit_path

if TYPE_CHECKING:
    from collections.abc import Sequence

FITTED_SHARE = 2 / 3
"""Share of the capture's time that is used for the fit. The rest is held out."""

LEAST_MESSAGES = 12
"""Minimum number of messages to fit and to hold out."""

_STACKS = {
    "mqtt": "mqtt",
    "coap": "coap",
    "http": "http",
    "dtls": "coap/dtls",
    "udp": "raw_udp",
    "tcp": "raw_tcp",
    "websocket": "mqtt/ws",
}
_TLS_PORTS = {8883: "mqtt/tls", 443: "http/tls"}


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Measurements of the held-out part of the capture.

    Parameters
    ----------
    span_s
        Duration of the part in seconds.
    bytes_per_message
        IP bytes of both directions per message.
    response_ms
        Mean time from a message to the first packet back; None without responses.
    """

    span_s: float
    messages: int
    wire_bytes: int
    bytes_per_message: float
    response_ms: float | None


@dataclass(frozen=True, slots=True)
class Fit:
    """The parameters of a study that were fitted to a capture.

    Parameters
    ----------
    stack
        The stack in the notation of a study.
    by_size
        Whether payloads are encrypted, so that only sizes and times are known.
    session
        Session policy in the notation of a study: ``established`` or ``per_message``.
    unknown
        Settings that the capture does not show, each with the value that the study uses.
    """

    captured: Captured
    stack: str
    by_size: bool
    flows: Sequence[FlowFit]
    session: str
    path: PathFit
    held_out: HeldOut
    fitted_s: float
    unknown: Sequence[str]


def fit_capture(captured: Captured) -> Fit:
    """Fit a study to the first two thirds of a capture. The last third is held out.

    Raises
    ------
    UsageError
        There are too few messages, or none.
    """
    span_s = captured.span_s
    cut_s = FITTED_SHARE * span_s
    fitted, held = captured.until(cut_s), captured.since(cut_s)
    messages = messages_in(fitted, captured.protocol)
    later = messages_in(held, captured.protocol).filter(pl.col("size") > 0)
    count = messages.filter(pl.col("size") > 0).height
    if count + later.height < LEAST_MESSAGES or count == 0 or later.is_empty():
        raise UsageError(
            f"the capture has {count + later.height} messages of {captured.protocol} in "
            f"{captured.packets.height} packets, of which {later.height} are in its last third; a "
            f"fit needs at least {LEAST_MESSAGES}, some of them there; capture for longer"
        )
    stack, unknown = _stack(captured, fitted, messages)
    fits = (
        fit_flow(messages, direction, span_s=cut_s, devices=captured.devices)
        for direction in (UP, DOWN)
    )
    flows = [flow for flow in fits if flow is not None]
    is_confirmed = captured.protocol != "udp" and "type=non" not in stack
    path = fit_path(fitted, is_confirmed=is_confirmed)
    return Fit(
        captured=captured,
        stack=stack,
        by_size=captured.protocol in BY_SIZE,
        flows=_told(flows, captured.protocol),
        session=_session(fitted, count),
        path=path,
        held_out=_held_out(
            held, later, captured.protocol, span_s=span_s - cut_s, is_confirmed=is_confirmed
        ),
        fitted_s=cut_s,
        unknown=[*unknown, *_unknown_of_flows(flows, captured.protocol), *_unknown_of_path(path)],
    )


def _told(flows: Sequence[FlowFit], protocol: str) -> Sequence[FlowFit]:
    """Remove flows that are only a stack's own answers."""
    ways = {flow.direction for flow in flows}
    if protocol != "mqtt" and ways == {"up", "down"}:
        return [flow for flow in flows if flow.direction == "up"]
    return flows


def _stack(
    captured: Captured, packets: pl.DataFrame, messages: pl.DataFrame
) -> tuple[str, list[str]]:
    protocol, unknown = captured.protocol, []
    seen = set(packets["kind"].to_list()) | set(packets["second_kind"].to_list())
    options = []
    if protocol == "tls":
        stack = _TLS_PORTS.get(captured.port, "raw_tcp/tls")
        unknown.append(f"the protocol in TLS: {stack} is assumed by the port {captured.port}")
    else:
        stack = _STACKS.get(protocol, "raw_udp")
    if protocol == "mqtt":
        qos = 2 if KINDS["mqtt.PUBREC"] in seen else 1 if KINDS["mqtt.PUBACK"] in seen else 0
        options.append(f"qos={qos}")
        unknown.append("the version of MQTT: 3.1.1 is assumed")
        unknown.append("the length of topics: those of lasthop are used")
    if protocol == "coap":
        options.append("type=con" if KINDS["coap.CON"] in seen else "type=non")
        unknown.append("the ack_timeout of CoAP: 2 s is assumed")
    if protocol in {"mqtt", "tls"} and stack.startswith("mqtt"):
        every_s = keep_alive_s(packets, messages, protocol)
        if every_s is None:
            unknown.append("keep_alive: no keep-alive was seen; the default of the stack is used")
        else:
            options.append(f"keep_alive={max(1, round(every_s))}s")
    if protocol in BY_SIZE - {"http"}:
        unknown.append(
            "QoS, topics, headers and fields: hidden, so sizes are those of what is carried, less "
            "what sealing adds, and times tell one message from the next"
        )
    return " ".join([stack, *options]), unknown


def _session(packets: pl.DataFrame, messages: int) -> str:
    set_up = packets.filter(pl.col("set_up") > 0)["conversation"].n_unique()
    return "per_message" if set_up > messages / 2 else "established"


def _unknown_of_flows(flows: Sequence[FlowFit], protocol: str) -> list[str]:
    if protocol == "coap" and [flow.direction for flow in flows] == ["down"]:
        return [
            (
                "what devices ask for: their requests carry no payload, and the answers are sent "
                "as commands, so the bytes of the requests are missing"
            )
        ]
    return []


def _unknown_of_path(path: PathFit) -> list[str]:
    found = ["the rate of the link and its queue: none is assumed", "the timeout of a NAT: none"]
    if path.loss is None:
        found.append("loss: nothing that is lost is sent again; 0 % is assumed")
    else:
        found.append("loss before the place of the capture, which leaves no trace there")
    if path.round_trip_s is None:
        found.append("the round trip: nothing answers; 0 ms is assumed")
    else:
        found.append("how the round trip divides into up, down and the work of the server: halves")
    return found


def _held_out(
    held: pl.DataFrame, messages: pl.DataFrame, protocol: str, *, span_s: float, is_confirmed: bool
) -> HeldOut:
    told = messages
    if protocol != "mqtt" and messages["direction"].n_unique() > 1:
        told = messages.filter(pl.col("direction") == UP)
    path = fit_path(held, is_confirmed=is_confirmed)
    wire = int(held["bytes"].sum())
    answered_s = path.answered_s
    return HeldOut(
        span_s=span_s,
        messages=told.height,
        wire_bytes=wire,
        bytes_per_message=wire / max(1, told.height),
        response_ms=None if answered_s is None else 1000 * answered_s,
    )
