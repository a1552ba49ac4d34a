"""Addresses of the servers under load."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.live.addresses import Target, split
from lasthop.live.schemes import SCHEMES
from lasthop.study.rules.under_load import Targets, loads
from lasthop.study.stacks.catalogue import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lasthop.study.registered_devices import Registered

_LAST_PORT = 65_535
_PLAIN_LAYERS = 1
_PATIENCE_S = 5.0


def read_targets(texts: Iterable[str], registered: Sequence[Registered] = ()) -> Targets:
    """Parse server addresses: plain ones for all protocols, URLs for one protocol.

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
    named: dict[str, Target] = {}
    for text in texts:
        found = _read(text)
        for stack in found:
            if stack in named:
                other = named[stack].authority
                message = f"--against: {text} and {other} are both for {stack}; remove one of them"
                raise UsageError(message)
        named |= found
    at = {stack: target.resolve(stream=stack.endswith("/tcp")) for stack, target in named.items()}
    refused = _refused(at)
    there = {stack: at[stack] for stack in at if stack not in refused}
    names = {stack: (target.host, target.authority) for stack, target in named.items()}
    return Targets(there, refused, registered, names=names)


def _read(text: str) -> dict[str, Target]:
    scheme, separator, place = text.partition("://")
    if not separator:
        scheme, place = "", text
    stacks = {
        stack: port
        for stack, port in _stacks().items()
        if (_scheme(stack) == scheme if separator else stack.count("/") == _PLAIN_LAYERS)
    }
    if not stacks:
        known = ", ".join(dict.fromkeys(map(_scheme, _stacks())))
        message = f'--against: "{scheme}" is not a protocol of lasthop load; write one of {known}'
        raise UsageError(message)
    found = {}
    for stack, default in stacks.items():
        host, port = split(place.rstrip("/"), default) or ("", -1)
        if not host or not 0 < port <= _LAST_PORT:
            message = (
                f'--against: "{text}" is not a valid address; write for '
                "example mqtt://127.0.0.1:1883"
            )
            raise UsageError(message)
        found[stack] = Target(url=f"--against {text}", host=host, port=port, path="", query=())
    return found


def _stacks() -> dict[str, int]:
    """Return the default port of each stack that can run on sockets."""
    # No port is registered for MQTT over WebSocket.
    web = {scheme.name: scheme.port for scheme in SCHEMES if scheme.is_web}
    return {
        (stack := "/".join((name, *layers))): web.get(
            _scheme(stack), application.ports["/".join(layers)]
        )
        for name, application in catalogue().applications.items()
        for layers in application.built
        if loads(name, layers)
    }


def _scheme(stack: str) -> str:
    for scheme in SCHEMES:
        if scheme.stack == stack:
            return scheme.name
    # Without a name of its own: raw_tcp+tls.
    application, *layers, _ = stack.split("/")
    return "+".join((application, *layers))


def _refused(at: dict[str, str]) -> dict[str, str]:
    """Return the TCP stacks whose server refuses connections."""
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
            f"--against: {next(iter(refused.values()))}; check that the server is running"
        )
    return refused
