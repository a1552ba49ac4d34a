"""Where the servers are that are to bear a load."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.live.addresses import Target, split
from lasthop.study.stacks.catalogue import catalogue
from lasthop.study.under_load import Targets, loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lasthop.study.registered_devices import Registered

_LAST_PORT = 65_535
_SECURED = ("mqtts", "coaps", "coaps+tcp", "wss", "ws", "quic")
_PATIENCE_S = 5.0


def read_targets(texts: Iterable[str], registered: Sequence[Registered] = ()) -> Targets:
    """Read where servers are: of all protocols, or of the one that a URL names.

    Raises
    ------
    UsageError
        An address cannot be read, or two are for one protocol.
    EnvironmentFailure
        There is no such host, or nobody listens there.

    Examples
    --------
    >>> read_targets(["raw_udp://127.0.0.1:7"]).at
    {'raw_udp/udp': '127.0.0.1:7'}
    """
    at: dict[str, str] = {}
    for text in texts:
        found = _read(text)
        for stack in found:
            if stack in at:
                message = f"--against: {text} and {at[stack]} are both for {stack}; leave one out"
                raise UsageError(message)
        at |= found
    refused = _refused(at)
    there = {stack: at[stack] for stack in at if stack not in refused}
    return Targets(there, refused, registered)


def _read(text: str) -> dict[str, str]:
    scheme, separator, place = text.partition("://")
    if not separator:
        scheme, place = "", text
    if scheme in _SECURED:
        message = f"--against: {scheme} is not built for sockets yet; write mqtt://{place}, say"
        raise UsageError(message)
    stacks = {
        stack: port
        for stack, port in _stacks().items()
        if not separator or _scheme(stack) == scheme
    }
    if not stacks:
        known = ", ".join(dict.fromkeys(map(_scheme, _stacks())))
        message = f'--against: "{scheme}" is no protocol of a load; write one of {known}'
        raise UsageError(message)
    found = {}
    for stack, default in stacks.items():
        host, port = split(place.rstrip("/"), default) or ("", -1)
        if not host or not 0 < port <= _LAST_PORT:
            message = f'--against: "{text}" names no host and port; write mqtt://127.0.0.1:1883'
            raise UsageError(message)
        target = Target(url=f"--against {text}", host=host, port=port, path="", query=())
        found[stack] = target.resolve(stream=stack.endswith("/tcp"))
    return found


def _stacks() -> dict[str, int]:
    """Give the usual port of each protocol and its layers that sockets carry."""
    return {
        "/".join((name, *layers)): application.ports["/".join(layers)]
        for name, application in catalogue().applications.items()
        for layers in application.built
        if loads(name, layers)
    }


def _scheme(stack: str) -> str:
    return {"coap/tcp": "coap+tcp"}.get(stack, stack.partition("/")[0])


def _refused(at: dict[str, str]) -> dict[str, str]:
    """Look who does not listen, where that can be asked without saying anything."""
    refused = {}
    for stack, address in at.items():
        if not stack.endswith("/tcp"):
            continue
        host, port = split(address, -1) or ("", -1)
        try:
            socket.create_connection((host, port), timeout=_PATIENCE_S).close()
        except OSError as error:
            refused[stack] = f"{address}: {(error.strerror or str(error)).lower()}"
    # An address for all protocols is for those that are there.
    if refused and len(refused) == len(at):
        raise EnvironmentFailure(
            f"--against {next(iter(refused.values()))}; is the server running?"
        )
    return refused
