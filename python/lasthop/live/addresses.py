"""Where servers listen, and what clients ask for."""

import ipaddress
import re
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from lasthop.errors import EnvironmentFailure, UsageError

DEFAULT_PORTS = {"mqtt": 1883, "coap": 5683, "coap_tcp": 5683, "json_udp": 40_001}
"""The port of each server where none is named."""

SECURED_PORTS = {"mqtts": 8883}
"""The port of each secured scheme where none is named."""

_HOST_AND_PORT = re.compile(r"^(?:\[(?P<v6>[^\]]*)\]|(?P<host>[^:\[\]]*))(?::(?P<port>\d*))?$")
_LAST_PORT = 65_535


@dataclass(frozen=True, slots=True)
class Target:
    """What a URL names: a server, and something there."""

    url: str
    host: str
    port: int
    path: str
    query: tuple[str, ...]
    is_secured: bool = False

    def resolve(self, *, stream: bool) -> str:
        """Return the server's IP address and port."""
        kind = socket.SOCK_STREAM if stream else socket.SOCK_DGRAM
        try:
            found = socket.getaddrinfo(self.host, self.port, type=kind)
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or "no such host"
            message = f"{self.url}: {self.host}: {why.lower()}"
            raise EnvironmentFailure(message) from error
        return join(str(found[0][4][0]), self.port)


def join(address: str, port: int) -> str:
    """Write an IP address and a port.

    Examples
    --------
    >>> join("::1", 1883)
    '[::1]:1883'
    """
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def read_listen_addresses(texts: Iterable[str], served: Sequence[str]) -> dict[str, list[str]]:
    """Read where a server is to listen: addresses of all that it serves, or URLs of one of them.

    Examples
    --------
    >>> read_listen_addresses(["127.0.0.1"], ["mqtt", "coap"])
    {'mqtt': ['127.0.0.1:1883'], 'coap': ['127.0.0.1:5683']}
    >>> read_listen_addresses(["coap://[::1]:5700"], ["coap"])
    {'coap': ['[::1]:5700']}
    """
    addresses: dict[str, list[str]] = {name: [] for name in served}
    for text in texts:
        scheme, separator, place = text.partition("://")
        name = scheme.lower().replace("+", "_")
        if separator and name not in served:
            message = f'--listen: "{text}" is for none that is served; write {served[0]}://{place}'
            raise UsageError(message)
        if not separator and len(served) > 1 and (split(text, -1) or ("", -1))[1] >= 0:
            message = (
                f'--listen: "{text}" has a port, and {len(served)} are served; '
                f"write {served[0]}://{text}"
            )
            raise UsageError(message)
        for one in [name] if separator else served:
            addresses[one].append(read_listen_address(place if separator else text, one))
    for name in served:
        if not addresses[name]:
            example = join("127.0.0.1", DEFAULT_PORTS[name])
            message = f"--listen: no address is for {name}; write {name}://{example}"
            raise UsageError(message)
    return addresses


def read_listen_address(text: str, served: str) -> str:
    """Read where one service is to listen: an IP address, with a port or without.

    Examples
    --------
    >>> read_listen_address("127.0.0.1", "mqtt")
    '127.0.0.1:1883'
    """
    default = DEFAULT_PORTS[served]
    hint = f"write {join('127.0.0.1', default)} or {join('::1', default)}"
    host, port = split(text, default) or ("", -1)
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        message = f'--listen: "{text}" is no IP address and port; {hint}'
        raise UsageError(message) from None
    if not 0 <= port <= _LAST_PORT:
        message = f"--listen: a port is at most {_LAST_PORT}; {hint}"
        raise UsageError(message)
    return join(str(address), port)


def read_target(url: str, scheme: str, what: str) -> Target:
    """Read a URL.

    Parameters
    ----------
    url
        As the user wrote it.
    scheme
        The one that there must be.
    what
        What its path names, for the message when there is none.

    Examples
    --------
    >>> read_target("coap://[::1]/a/b?c=1", "coap", "path").query
    ('c=1',)
    >>> read_target("mqtt://localhost/house/+/t", "mqtt", "topic").path
    'house/+/t'
    """
    default_port = DEFAULT_PORTS[scheme.replace("+", "_")]
    example = f"{scheme}://127.0.0.1:{default_port}/{what}"
    head, separator, rest = url.partition("://")
    is_secured = head.lower() == f"{scheme}s" and f"{scheme}s" in SECURED_PORTS
    if is_secured:
        default_port = SECURED_PORTS[head.lower()]
    if not separator or (head.lower() != scheme and not is_secured):
        message = f'URL: "{url}" does not begin with {scheme}://; write {example}'
        raise UsageError(message)
    authority, slash, path = rest.partition("/")
    if not slash and "?" in authority:
        authority, _, path = authority.partition("?")
        path = f"?{path}"
    host, port = split(authority, default_port) or ("", -1)
    if not host or not 0 < port <= _LAST_PORT:
        message = f'URL: "{url}" names no host and port; write {example}'
        raise UsageError(message)
    # A topic may hold what stands for a query or a fragment elsewhere.
    path, _, query = path.partition("?") if scheme.startswith("coap") else (path, "", "")
    arguments = tuple(unquote(argument) for argument in query.split("&") if argument)
    return Target(
        url=url,
        host=host,
        port=port,
        path=unquote(path),
        query=arguments,
        is_secured=is_secured,
    )


def split(text: str, default_port: int) -> tuple[str, int] | None:
    """Take a host and its port apart; None where it is neither.

    Examples
    --------
    >>> split("[::1]:1883", 0), split("broker", 1883)
    (('::1', 1883), ('broker', 1883))
    """
    match = _HOST_AND_PORT.match(text)
    if match is None:
        return None
    port = match["port"]
    return match["v6"] or match["host"] or "", int(port) if port else default_port
