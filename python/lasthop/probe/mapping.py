"""How a NAT maps and filters, as two ports of a server see it (the words of RFC 4787)."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lasthop.probe.datagram import ECHO, OTHER_PORT, Datagram

if TYPE_CHECKING:
    from lasthop.probe.asking import Asking, Server

_TRIES = 4
_SILENT = "no answer"


def mapping(server: Server, *, test: int, patience_s: float) -> dict[str, Any]:
    """Compare from where requests to two ports of the server come, and let the other port answer.

    The server has one address. Whether a NAT maps or filters by the address of the other end is
    not seen.
    """
    host, port = server.address
    with server.ask() as asking:
        first = _seen(asking, test, patience_s)
        asking.point_at((host, port + 1))
        second = _seen(asking, test, patience_s)
        own = asking.own_address
    return {
        "own": list(own),
        "seen": first,
        "seen_at_other_port": second,
        "translates": None if first is None else _differs(own, first),
        "mapping": how_mapped(first, second),
        "filtering": _filtering(server, test, patience_s),
    }


def how_mapped(first: list[Any] | None, second: list[Any] | None) -> str:
    """Name the mapping by what two ports of the server saw.

    Examples
    --------
    >>> how_mapped(["203.0.113.1", 4000], ["203.0.113.1", 4000])
    'independent of the port'
    >>> how_mapped(["203.0.113.1", 4000], ["203.0.113.1", 4001])
    'by port'
    >>> how_mapped(["203.0.113.1", 4000], None)
    'no answer'
    """
    if first is None or second is None:
        return _SILENT
    return "independent of the port" if first == second else "by port"


def _differs(own: tuple[str, int], seen: list[Any]) -> bool:
    """Tell a NAT: of IPv6 only the port is known."""
    host, port = seen
    return bool(port != own[1] or (host is not None and host != own[0]))


def _seen(asking: Asking, test: int, patience_s: float) -> list[Any] | None:
    asked = Datagram(kind=ECHO, session=0, test=test)
    answer = asking.exchange(asked, tries=_TRIES, patience_s=patience_s)
    if answer is None:
        return None
    host = str(answer.seen_address) if int(answer.seen_address) else None
    return [host, answer.seen_port]


def _filtering(server: Server, test: int, patience_s: float) -> str:
    """Let the other port answer a request."""
    with socket.socket(server.family, socket.SOCK_DGRAM) as opened:
        for _ in range(_TRIES):
            asked = Datagram(kind=OTHER_PORT, session=server.session, test=test)
            content = asked.encode(32)
            server.meter.sent(len(content) + server.overhead)
            with suppress(OSError):
                opened.sendto(content, server.address)
            until = time.monotonic() + patience_s
            while (left := until - time.monotonic()) > 0:
                opened.settimeout(left)
                try:
                    answer, _ = opened.recvfrom(2048)
                except OSError:
                    break
                server.meter.received(len(answer) + server.overhead)
                found = Datagram.decode(answer)
                if found is not None and found.session == server.session:
                    return "independent of the port"
    return "by port"
