"""Listen addresses of servers and target URLs of clients."""

import ipaddress
import re
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.live.schemes import SCHEMES, Scheme, scheme_of

_HOST_AND_PORT = re.compile(r"^(?:\[(?P<v6>[^\]]*)\]|(?P<host>[^:\[\]]*))(?::(?P<port>\d*))?$")
_LAST_PORT = 65_535


@dataclass(frozen=True, slots=True)
class Target:
    """The server and the path or topic of a URL."""

    url: str
    host: str
    port: int
    path: str
    query: tuple[str, ...]
    scheme: Scheme = SCHEMES[0]

    @property
    def authority(self) -> str:
        """Return host and port as a URL's authority."""
        return join(self.host, self.port)

    def resolve(self, *, stream: bool) -> str:
        """Return the server's IP address and port."""
        kind = socket.SOCK_STREAM if stream else socket.SOCK_DGRAM
        try:
            found = socket.getaddrinfo(self.host, self.port, type=kind)
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or "there is no such host"
            message = f"{self.url}: {self.host}: {why.lower()}; check the host name"
            raise EnvironmentFailure(message) from error
        return join(str(found[0][4][0]), self.port)


def join(address: str, port: int) -> str:
    """Format an IP address and a port.

    Examples
    --------
    >>> join("::1", 1883)
    '[::1]:1883'
    """
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def read_listen_addresses(texts: Iterable[str], schemes: Sequence[Scheme]) -> dict[str, list[str]]:
    """Parse the listen addresses of a server: plain addresses, or URLs of single services.

    Examples
    --------
    >>> mqtt, coap = scheme_of("mqtt", secured=False), scheme_of("coap", secured=False)
    >>> read_listen_addresses(["127.0.0.1"], [mqtt, coap])
    {'mqtt': ['127.0.0.1:1883'], 'coap': ['127.0.0.1:5683']}
    >>> read_listen_addresses(["coap://[::1]:5700"], [coap])
    {'coap': ['[::1]:5700']}
    """
    addresses: dict[str, list[str]] = {scheme.served: [] for scheme in schemes}
    first = schemes[0].name
    for text in texts:
        name, separator, place = text.partition("://")
        named = [scheme for scheme in schemes if _is_called(scheme, name)]
        if separator and not named:
            message = f'--listen: "{text}" fits none of the servers; write {first}://{place}'
            raise UsageError(message)
        if not separator and len(schemes) > 1 and (split(text, -1) or ("", -1))[1] >= 0:
            message = (
                f'--listen: "{text}" has a port, but {len(schemes)} servers start; '
                f"write the scheme too, {first}://{text}"
            )
            raise UsageError(message)
        for scheme in named if separator else schemes:
            address = read_listen_address(place if separator else text, scheme)
            addresses[scheme.served].append(address)
    for scheme in schemes:
        if not addresses[scheme.served]:
            example = join("127.0.0.1", scheme.port)
            message = (
                f"--listen: {scheme.name} has no address; add --listen {scheme.name}://{example}"
            )
            raise UsageError(message)
    return addresses


def in_the_clear(
    addresses: Mapping[str, Sequence[str]], schemes: Mapping[str, Scheme]
) -> list[str]:
    """Return the URLs that other machines reach without encryption, metrics excluded.

    Examples
    --------
    >>> mqtt = scheme_of("mqtt", secured=False)
    >>> in_the_clear({"mqtt": ["127.0.0.1:1883", "0.0.0.0:1883"]}, {"mqtt": mqtt})
    ['mqtt://0.0.0.0:1883']
    """
    return [
        f"{schemes[served].name}://{address}"
        for served, places in addresses.items()
        if not (schemes[served].is_secured or schemes[served].is_dtls or served == "metrics")
        for address in places
        if not ipaddress.ip_address((split(address, 0) or ("", 0))[0]).is_loopback
    ]


def _is_called(scheme: Scheme, name: str) -> bool:
    """Return whether a URL scheme names this service, with or without its secured form."""
    plain = scheme_of(scheme.served, secured=False)
    return name.lower().replace("_", "+") in {one.name.replace("_", "+") for one in (scheme, plain)}


def read_listen_address(text: str, scheme: Scheme) -> str:
    """Parse the listen address of one service: an IP address with an optional port.

    Examples
    --------
    >>> read_listen_address("127.0.0.1", scheme_of("mqtt", secured=False))
    '127.0.0.1:1883'
    """
    default = scheme.port
    hint = f"write {join('127.0.0.1', default)} or {join('::1', default)}"
    host, port = split(text, default) or ("", -1)
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        message = f'--listen: "{text}" is not an IP address with a port; {hint}'
        raise UsageError(message) from None
    if not 0 <= port <= _LAST_PORT:
        message = f"--listen: the port is above {_LAST_PORT}; {hint}"
        raise UsageError(message)
    return join(str(address), port)


def read_target(url: str, served: Sequence[str], what: str) -> Target:
    """Parse the target URL of a client.

    Parameters
    ----------
    url
        The URL as the user wrote it.
    served
        Possible services, the default first.
    what
        Noun for the path of the URL, for the error if it is missing.

    Examples
    --------
    >>> read_target("coap://[::1]/a/b?c=1", ["coap"], "path").query
    ('c=1',)
    >>> read_target("ws://localhost/house/+/t", ["mqtt", "mqtt_ws"], "topic").path
    'house/+/t'
    """
    usual = scheme_of(served[0], secured=False)
    example = f"{usual.name}://127.0.0.1:{usual.port}/{what}"
    head, separator, rest = url.partition("://")
    named = [it for it in SCHEMES if it.name == head.lower() and it.served in served]
    if not separator or not named:
        message = f'URL: "{url}" does not begin with {usual.name}://; write {example}'
        raise UsageError(message)
    scheme = named[0]
    authority, slash, path = rest.partition("/")
    if not slash and "?" in authority:
        authority, _, path = authority.partition("?")
        path = f"?{path}"
    host, port = split(authority, scheme.port) or ("", -1)
    if not host or not 0 < port <= _LAST_PORT:
        message = f'URL: "{url}" is not a valid address; write {example}'
        raise UsageError(message)
    # A topic may hold what stands for a query or a fragment elsewhere.
    path, _, query = path.partition("?") if scheme.name.startswith("coap") else (path, "", "")
    arguments = tuple(unquote(argument) for argument in query.split("&") if argument)
    return Target(
        url=url,
        host=host,
        port=port,
        path=unquote(path),
        query=arguments,
        scheme=scheme,
    )


def split(text: str, default_port: int) -> tuple[str, int] | None:
    """Split a host and its port; None if it is neither.

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
