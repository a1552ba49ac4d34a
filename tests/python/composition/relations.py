"""What holds of every composition, whatever its numbers are.

`docs/relations.md` says what each relation means and why its exceptions are ones.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from .composition import EVENT_S, MESSAGES, Composition, Outcome

PACKETS_OF_A_SEGMENT = 40
PACKETS_IN_FIVE_SECONDS = 30
_SEGMENT_BYTES = 256
_RECOVERY_S = 300
_NAT_UDP_S = 60
_NAT_TCP_S = 1_200
_TCP_PATIENCE_S = 1_000
_REFUSED = ("mtu 600", "mtu 1200", "smaller hop", "nat", "nbiot nat")
_ONE_DATAGRAM = "in one unfragmented datagram"
_RADIO = ("nbiot", "nbiot nat")
_BY_ADDRESS_ALONE = ("raw_udp", "raw_udp ack=on", "json_udp", "coap", "coap type=non")
_DISCOVERY_S = 15
_DISCOVERED_ON_A_SLOW_PATH = 20
_UNANSWERED = ("raw_udp", "coap type=non", "json_udp", "json_udp/dtls")
_OVER_TCP = ("mqtt", "coap/tcp", "coap/tls", "http", "raw_tcp")


@dataclass(frozen=True)
class Breach:
    """A relation that does not hold."""

    relation: str
    composition: Composition
    what: str

    def __str__(self) -> str:
        return f"{self.relation}: {self.composition}: {self.what}"


def _is_over_tcp(it: Composition) -> bool:
    return it.stack.startswith(_OVER_TCP) and "quic" not in it.stack


def _forgets_mapping(it: Composition) -> bool:
    """The translator has forgotten the device before it goes on.

    A kept connection of TCP finds out by its timeouts, which cost a message; so does a session of
    DTLS without a connection ID, if anything is acknowledged at all.
    """
    is_by_address = it.stack in _BY_ADDRESS_ALONE and it.kind == "report"
    if "nat" not in it.path.split() or is_by_address:
        return False
    return it.interval_s > (_NAT_TCP_S if _is_over_tcp(it) else _NAT_UDP_S)


def _keeps_no_mapping(it: Composition) -> bool:
    """Commands come in, and nothing goes out that would keep the mapping of a translator."""
    lasts_s = it.interval_s * MESSAGES
    return "nat" in it.path.split() and it.kind == "command" and lasts_s > _NAT_UDP_S


def _is_filled_by_discovery(it: Composition) -> bool:
    """What the queue of the path dropped is asked for again, and there are as many as devices."""
    many = it.devices * it.groups > _DISCOVERED_ON_A_SLOW_PATH
    return it.stack == "dds" and it.path == "slow" and (many or it.interval_s < _DISCOVERY_S)


EXCEPTIONS: Mapping[str, Callable[[Composition], bool]] = {
    "a mapping of a NAT ends": _forgets_mapping,
    "commands that nothing answers keep no mapping": lambda it: (
        it.stack in _UNANSWERED and _keeps_no_mapping(it)
    ),
    "the discovery of DDS fills a slow path": _is_filled_by_discovery,
    "a device that sleeps hears no command": lambda it: it.path in _RADIO and it.kind == "command",
    "many devices set up sessions at once by a radio": lambda it: (
        it.path in _RADIO and it.devices > 1
    ),
}
"""Where not all is delivered, by its reason."""


def completeness(it: Composition, outcome: Outcome) -> Iterator[Breach]:
    """R3: a path without loss delivers everything that was accepted."""
    if it.event != "none" or any(holds(it) for holds in EXCEPTIONS.values()):
        return
    if outcome.summary["status"] != "completed":
        yield Breach("R3 completeness", it, _status(outcome))
    elif outcome.delivered < 1:
        reasons = outcome.summary["failure_reasons"]
        yield Breach("R3 completeness", it, f"{outcome.fates}, {reasons}")


def bounds(it: Composition, outcome: Outcome) -> Iterator[Breach]:
    """R6: packets are at most so many times what was offered."""
    if outcome.summary["status"] != "completed" or _is_filled_by_discovery(it):
        return
    segments = 1 + it.payload // _SEGMENT_BYTES
    messages = sum(outcome.fates.values())
    fives = it.devices * it.groups * (1 + outcome.summary["simulated_s"] / 5)
    most = PACKETS_OF_A_SEGMENT * messages * segments + PACKETS_IN_FIVE_SECONDS * fives
    packets = int(outcome.tables["packets"]["packets"].sum())
    if packets > most:
        yield Breach("R6 bounds", it, f"{packets} packets, more than {most:.0f}")


def _status(outcome: Outcome) -> str:
    return f"{outcome.summary['status']}: {outcome.summary.get('reason')}"


NOTIFIED = ("new address told", "handovers")
"""Events of which the programs of the devices are told."""

NOT_RECOVERING: Mapping[str, Callable[[Composition], bool]] = {
    "a server cannot reach who has moved": lambda it: (
        it.kind == "command" and it.event not in NOTIFIED
    ),
    "a topic is subscribed to once": lambda it: (
        it.stack.startswith("json_udp") and it.kind == "round_trip"
    ),
    "a participant of DDS that is not told goes on announcing its old address": lambda it: (
        it.stack.startswith("dds") and it.kind == "round_trip" and it.event == "new address"
    ),
    "nobody says that anything was heard": lambda it: it.stack == "json_udp/dtls",
    "TCP gives a silent peer up after a quarter of an hour": lambda it: (
        _is_over_tcp(it) and it.interval_s < _TCP_PATIENCE_S
    ),
    **EXCEPTIONS,
}
"""Who need not be back after an event, by the reason."""


def recovery(it: Composition, outcome: Outcome) -> Iterator[Breach]:
    """R7: after an event, a stack that may recover does so within its own timers.

    The first message later may be the one by which it finds out.
    """
    if it.event == "none" or any(holds(it) for holds in NOT_RECOVERING.values()):
        return
    if outcome.summary["status"] != "completed":
        yield Breach("R7 recovery", it, _status(outcome))
        return
    over_ns = (it.event_at_s + EVENT_S + _RECOVERY_S) * 10**9
    later = outcome.tables["messages"].filter(pl.col("intended_ns") > over_ns)
    first = pl.col("intended_ns").min().over("group", "flow", "device")
    later = later.filter(pl.col("intended_ns") > first)
    lost = later.filter(pl.col("status") != "delivered")
    if len(lost):
        yield Breach("R7 recovery", it, f"{len(lost)} of {len(later)} messages are lost later")


RELATIONS = (completeness, bounds, recovery)


def breaches(it: Composition, outcome: Outcome) -> list[Breach]:
    """Give what does not hold."""
    if outcome.refusal is not None:
        is_foreseen = it.path in _REFUSED or _ONE_DATAGRAM in outcome.refusal
        is_said = is_foreseen and "write " in outcome.refusal
        return [] if is_said else [Breach("R3 completeness", it, outcome.refusal)]
    return [breach for relation in RELATIONS for breach in relation(it, outcome)]
