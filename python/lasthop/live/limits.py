"""Limits of a server for its clients."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from lasthop import _native
from lasthop.errors import UsageError
from lasthop.study.text.faults import nearest


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of a server: name, range, default and servers."""

    name: str
    servers: tuple[str, ...]
    default: int
    unit: str
    meaning: str


def all_limits() -> list[Limit]:
    """Return the limits of all servers."""
    rows = json.loads(_native.serve_limits())
    return [Limit(**{**row, "servers": tuple(row["servers"])}) for row in rows]


def limits_of(*served: str) -> list[Limit]:
    """Return the limits of the given servers."""
    return [limit for limit in all_limits() if set(served) & set(limit.servers)]


def read_limits(texts: Iterable[str], *served: str) -> dict[str, int]:
    """Parse ``NAME=VALUE`` limits of the given servers.

    Examples
    --------
    >>> read_limits(["in_flight=5", "peers=9"], "mqtt", "coap")
    {'in_flight': 5, 'peers': 9}
    """
    known = {limit.name: limit for limit in limits_of(*served)}
    values: dict[str, int] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in known:
            whose = " ".join(served)
            near = nearest(name, known) or next(iter(known))
            message = (
                f'--limit: {whose} has no limit "{name}"; write for example '
                f"{near}={known[near].default}"
            )
            raise UsageError(message)
        if not (value.isascii() and value.isdigit()) or int(value) == 0:
            limit = known[name]
            message = (
                f'--limit: "{value}" is not a number of {limit.unit} of 1 or more; '
                f"write for example {name}={limit.default}"
            )
            raise UsageError(message)
        values[name] = min(int(value), 2**64 - 1)
    return values
