"""What the servers on sockets bound."""

from __future__ import annotations

from docs.generator.markdown import code, table
from lasthop.live.limits import all_limits


def limits() -> str:
    """Write a row for each limit."""
    rows = (
        [
            code(limit.name),
            ", ".join(code(server) for server in limit.servers),
            f"{limit.default:,} {limit.unit}",
            limit.meaning,
        ]
        for limit in all_limits()
    )
    return table(["limit", "server", "default", "what it bounds"], rows)
