"""Every application protocol, the layers it may stand on, and its options with their defaults."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

OptionKind = Literal["word", "switch", "time", "seconds", "size", "count", "number", "name"]


@dataclass(frozen=True, slots=True)
class Option:
    """One setting of a layer.

    Parameters
    ----------
    name
        As written, with the prefix of its layer unless that is the first one.
    words
        The values that it may have; empty where its kind says enough.
    default
        Written out in the resolved stack; None is left out.
    follows
        Another option, written before, that the default depends on: it is the other's value, or
        what `by` gives for that value.
    needs
        Another option and the values, one of which it must have for this one to mean something.
    minimum, maximum
        Bounds of a count, a number or of whole seconds, of which 0 are allowed too.
    credentials
        What the two ends show each other to be believed, for the values that make them.
    """

    name: str
    summary: str
    kind: OptionKind = "word"
    words: tuple[str, ...] = ()
    default: str | None = None
    follows: str | None = None
    by: Mapping[str, str] | None = None
    needs: tuple[str, ...] = ()
    minimum: float = 0
    maximum: float = 1e6
    credentials: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Application:
    """An application protocol.

    Parameters
    ----------
    lower
        The layers it may stand on, the usual ones first.
    built
        The ones of these that can be run.
    port
        On which its servers listen.
    """

    name: str
    summary: str
    lower: tuple[str, ...]
    options: tuple[Option, ...]
    built: tuple[str, ...] = ()
    port: int = 0


_SWITCH = ("off", "on")


def _timers(
    needs: tuple[str, ...],
    *,
    waiting: tuple[str, ...] | None = None,
    awaited: str = "an acknowledgement",
) -> tuple[Option, ...]:
    """Give the options of retransmission; `waiting` is what the first two need, if not `needs`."""
    return (
        Option(
            "ack_timeout",
            f"first wait for {awaited}",
            kind="time",
            default="2s",
            needs=waiting or needs,
        ),
        Option(
            "ack_random_factor",
            "the first wait is drawn up to this factor longer",
            kind="number",
            default="1.5",
            needs=waiting or needs,
            minimum=1,
            maximum=10,
        ),
        Option(
            "max_retransmit",
            "how often a message is sent again",
            kind="count",
            default="4",
            needs=needs,
            maximum=20,
        ),
    )


_AUTH = Option(
    "auth",
    "what the client shows",
    words=("none", "jwt"),
    default="none",
    credentials={"jwt": "token"},
)

APPLICATIONS: dict[str, Application] = {
    application.name: application
    for application in (
        Application(
            "json_udp",
            "JSON publish/subscribe with a broker, one datagram a message",
            port=40001,
            lower=("udp",),
            options=(
                Option(
                    "subscribe_timeout",
                    "a subscription is sent again after this time without an answer",
                    kind="time",
                    default="1s",
                ),
            ),
            built=("udp",),
        ),
        Application(
            "raw_udp",
            "one datagram a message, acknowledged or not",
            port=40000,
            lower=("udp",),
            options=(
                Option(
                    "ack",
                    "acknowledge messages and send them again",
                    kind="switch",
                    words=_SWITCH,
                    default="off",
                ),
                *_timers(("ack", "on")),
            ),
            built=("udp",),
        ),
        Application(
            "raw_tcp",
            "messages with their length on one TCP connection",
            port=40001,
            lower=("tcp",),
            options=(),
            built=("tcp",),
        ),
        Application(
            "mqtt",
            "MQTT through a broker",
            port=1883,
            lower=("tcp", "tls/tcp", "quic", "ws/tcp", "ws/tls/tcp"),
            options=(
                Option("qos", "quality of service", words=("0", "1", "2"), default="1"),
                Option("version", "of MQTT", words=("3.1.1", "5"), default="3.1.1"),
                Option(
                    "keep_alive",
                    "the longest silence of a client, 0s for any",
                    kind="seconds",
                    default="1min",
                    minimum=1,
                    maximum=65535,
                ),
                Option(
                    "max_in_flight",
                    "messages of a client under way without their acknowledgement",
                    kind="count",
                    default="20",
                    needs=("qos", "1", "2"),
                    minimum=1,
                    maximum=65535,
                ),
                Option(
                    "topic_alias",
                    "a number stands for the topic from the second message on",
                    kind="switch",
                    words=_SWITCH,
                    default="off",
                    needs=("version", "5"),
                ),
                Option(
                    "streams",
                    "of QUIC",
                    words=("single", "per_topic"),
                    default="single",
                    needs=("layers", "quic"),
                ),
                _AUTH,
            ),
            built=("tcp",),
        ),
        Application(
            "mqtt_sn",
            "MQTT for sensor networks through a gateway",
            port=1884,
            lower=("udp",),
            options=(Option("qos", "quality of service", words=("0", "1", "2"), default="1"),),
        ),
        Application(
            "coap",
            "CoAP between device and server",
            port=5683,
            lower=("udp", "dtls/udp", "tcp", "tls/tcp"),
            options=(
                Option(
                    "type",
                    "of messages: confirmable or not",
                    words=("con", "non"),
                    default="con",
                    needs=("layers", "udp"),
                ),
                Option(
                    "nstart",
                    "exchanges at the same time",
                    kind="count",
                    default="1",
                    needs=("type", "con"),
                    minimum=1,
                    maximum=1000,
                ),
                *_timers(
                    ("type", "con"),
                    waiting=("type", "con", "non"),
                    awaited="an acknowledgement, or for the answer to a non-confirmable block",
                ),
                Option(
                    "push",
                    "how a message reaches the device",
                    words=("post", "put", "observe"),
                    default="post",
                ),
                Option(
                    "block_size",
                    "the largest part of a message that one datagram carries, in bytes",
                    words=("16", "32", "64", "128", "256", "512", "1024"),
                    default="1024",
                ),
                Option(
                    "echo",
                    "a stranger is sent at most three times its bytes until it has shown, by the "
                    "option Echo, that it is there",
                    kind="switch",
                    words=_SWITCH,
                    default="off",
                    needs=("layers", "udp"),
                ),
            ),
            built=("udp", "tcp"),
        ),
        Application(
            "http",
            "HTTP requests",
            port=80,
            lower=("tcp", "tls/tcp"),
            options=(
                Option("version", "of HTTP", words=("1.1", "2"), default="1.1"),
                _AUTH,
            ),
        ),
        Application(
            "dds",
            "DDS over RTPS",
            port=7400,
            lower=("udp",),
            options=(
                Option(
                    "reliability",
                    "of the topic",
                    words=("reliable", "best_effort"),
                    default="reliable",
                ),
            ),
        ),
    )
}

ALIASES = {"https": ("http", "tls/tcp")}
"""Short names of an application with its lower layers."""

# What a layer adds under it when the notation leaves it out.
IMPLIED = {"quic": "quic/udp", "tls": "tls/tcp", "dtls": "dtls/udp", "ws": "ws/tcp"}

LAYER_OPTIONS: dict[str, tuple[Option, ...]] = {
    "tls": (
        Option("tls.resume", "how a session is resumed", words=("none", "ticket"), default="none"),
    ),
    "dtls": (
        Option("dtls.cid", "length of the connection ID", kind="size", default="0B", maximum=20),
    ),
    "quic": (Option("quic.early_data", "0-RTT data", kind="switch", words=_SWITCH, default="off"),),
    "tcp": (
        Option(
            "tcp.profile",
            "which TCP implementation",
            words=("linux", "lwip_esp8266", "larmo_2019"),
            default="linux",
        ),
        Option(
            "tcp.nodelay", "send small segments at once", kind="switch", words=_SWITCH, default="on"
        ),
        Option(
            "tcp.nodelay_client",
            "of the device alone",
            kind="switch",
            words=_SWITCH,
            follows="tcp.nodelay",
        ),
        Option(
            "tcp.nodelay_server",
            "of the server alone",
            kind="switch",
            words=_SWITCH,
            follows="tcp.nodelay",
        ),
        Option(
            "tcp.congestion",
            "congestion control",
            words=("cubic", "reno"),
            follows="tcp.profile",
            by={"linux": "cubic", "lwip_esp8266": "reno", "larmo_2019": "reno"},
        ),
        Option(
            "tcp.timestamps",
            "time stamps of RFC 7323",
            kind="switch",
            words=_SWITCH,
            follows="tcp.profile",
            by={"linux": "on", "lwip_esp8266": "off", "larmo_2019": "on"},
        ),
        Option(
            "tcp.fast_open",
            "data with the SYN, RFC 7413",
            kind="switch",
            words=_SWITCH,
            default="off",
        ),
    ),
    "ip": (Option("ip.version", "of IP", kind="count", words=("4", "6"), default="4"),),
}
"""Options of the layers below the application."""

EVERYWHERE = (Option("impl", "which real software is run", kind="name"),)
"""Options of every stack."""
