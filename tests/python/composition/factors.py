"""The factors of compositions, and arrays that cover their levels."""

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from covertable import make

from .composition import EVENTS, LOSSLESS, Composition

STACKS = (
    "mqtt",
    "mqtt qos=0",
    "mqtt/tls",
    "mqtt/quic",
    "mqtt/ws",
    "coap",
    "coap type=non",
    "coap/dtls",
    "coap/dtls dtls.cid=8B",
    "coap/tcp",
    "coap/tls",
    "http",
    "http/tls",
    "http/quic",
    "dds",
    "raw_udp",
    "raw_udp ack=on",
    "raw_udp/dtls ack=on",
    "raw_tcp",
    "json_udp",
    "json_udp/dtls",
)

INTERVALS_S = (1.0, 40.0, 100.0, 400.0, 7200.0)
"""On both sides of inactivity timers, keep-alives, mappings of UDP and TCP, EXCHANGE_LIFETIME."""

Row = Mapping[str, Any]

LEVELS: Mapping[str, Sequence[Any]] = {
    "stack": STACKS,
    "devices": (1, 2, 20),
    "interval_s": INTERVALS_S,
    "path": LOSSLESS,
    "kind": ("report", "command", "round_trip"),
    "payload": (8, 100, 1100, 2000, 20_000, 60_000),
    "groups": (1, 2),
    "event": tuple(EVENTS),
    "energy": (False, True),
}
"""The levels of each factor: all pairs are covered, and all triples of the first three."""

_LARGE = 2_000
_SHORT_S = 10
_RADIO = ("nbiot", "nbiot nat")
_DATAGRAMS = ("raw_udp", "json_udp")


def _is_carried_in_time(row: Row) -> bool:
    """More than this is overload of the path, which is another question."""
    slow = row["path"] in (*_RADIO, "slow")
    return (row["payload"] <= _LARGE or not slow) and (
        row["interval_s"] > _SHORT_S or row["payload"] <= _LARGE
    )


EXCLUDED: Mapping[tuple[str, ...], Callable[[Row], bool]] = {
    ("payload", "path", "interval_s"): _is_carried_in_time,
    ("interval_s", "path"): lambda row: row["interval_s"] > _SHORT_S or row["path"] not in _RADIO,
    ("energy", "path"): lambda row: not row["energy"] or row["path"] in _RADIO,
    ("stack", "payload"): lambda row: (
        not row["stack"].startswith(_DATAGRAMS) or row["payload"] < _LARGE
    ),
}
"""What may be together, by the factors that it is about."""


def array(seed: int) -> list[Composition]:
    """Give compositions that cover the levels; what is left open is drawn from the seed."""
    rows = make(
        {name: list(levels) for name, levels in LEVELS.items()},
        strength=2,
        salt=str(seed),
        presets=_triples(random.Random(seed)),  # noqa: S311  (nothing secret)
        constraints=[
            {"operator": "fn", "requires": list(factors), "evaluate": fits}
            for factors, fits in EXCLUDED.items()
        ],
    )
    return [Composition(**row) for row in rows]


def draw(stream: random.Random, **fixed: object) -> Row:
    """Draw a composition of levels that may be together."""
    while not is_allowed(row := any_row(stream, **fixed)):
        pass
    return row


def any_row(stream: random.Random, **fixed: object) -> Row:
    """Draw levels, whether they may be together or not."""
    return {name: stream.choice(levels) for name, levels in LEVELS.items()} | fixed


def is_allowed(row: Row) -> bool:
    """Whether levels may be together."""
    return all(fits(row) for fits in EXCLUDED.values())


def _triples(stream: random.Random) -> list[Row]:
    return [
        draw(stream, stack=stack, devices=devices, interval_s=interval_s)
        for stack, devices, interval_s in product(STACKS, LEVELS["devices"], INTERVALS_S)
    ]
