"""The URL schemes: their layers and default ports."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scheme:
    """A URL scheme of a server."""

    name: str
    served: str
    """Name of the protocol in `lasthop serve`."""
    port: int
    is_secured: bool = False
    is_dtls: bool = False
    """Whether datagrams are secured by DTLS, with pre-shared keys or certificates."""
    is_web: bool = False
    """Whether connections begin with HTTP, as WebSocket does."""
    is_quic: bool = False
    """Whether connections run over QUIC."""
    stack: str = ""
    """Stack that `lasthop load` uses for this scheme."""


SCHEMES = (
    Scheme("mqtt", "mqtt", 1883, stack="mqtt/tcp"),
    Scheme("mqtts", "mqtt", 8883, is_secured=True, stack="mqtt/tls/tcp"),
    # For MQTT over WebSocket no port is registered: those of EMQX and NanoMQ.
    Scheme("ws", "mqtt_ws", 8083, is_web=True, stack="mqtt/ws/tcp"),
    Scheme("wss", "mqtt_ws", 8084, is_secured=True, is_web=True, stack="mqtt/ws/tls/tcp"),
    # Nor for MQTT over QUIC: that of EMQX.
    Scheme("quic", "mqtt_quic", 14_567, is_secured=True, is_quic=True, stack="mqtt/quic/udp"),
    # Those that need no rights.
    Scheme("http", "http", 8080, stack="http/tcp"),
    Scheme("https", "http", 8443, is_secured=True, stack="http/tls/tcp"),
    # HTTP/3 has no scheme of its own; this one says that it is meant.
    Scheme("h3", "http_quic", 8443, is_secured=True, is_quic=True, stack="http/quic/udp"),
    # Always in the clear; no port is registered.
    Scheme("metrics", "metrics", 9464),
    Scheme("coap", "coap", 5683, stack="coap/udp"),
    Scheme("coaps", "coap", 5684, is_dtls=True, stack="coap/dtls/udp"),
    Scheme("coap+tcp", "coap_tcp", 5683, stack="coap/tcp"),
    Scheme("coaps+tcp", "coap_tcp", 5684, is_secured=True, stack="coap/tls/tcp"),
    Scheme("json+udp", "json_udp", 40_001),
)

SERVED = ("mqtt", "coap", "coap_tcp", "json_udp", "gateway")
"""Names that `lasthop serve` accepts."""


def scheme_of(served: str, *, secured: bool) -> Scheme:
    """Return the secured or plain scheme of a server; the plain one if no other exists.

    Examples
    --------
    >>> scheme_of("mqtt", secured=True).name, scheme_of("coap", secured=True).name
    ('mqtts', 'coap')
    """
    known = [scheme for scheme in SCHEMES if scheme.served == served]
    wanted = [scheme for scheme in known if scheme.is_secured == secured]
    return (wanted or known)[0]


def dtls_scheme_of(served: str) -> Scheme | None:
    """Return the scheme of a DTLS server, or None.

    Examples
    --------
    >>> dtls_scheme_of("coap").name, dtls_scheme_of("mqtt")
    ('coaps', None)
    """
    return next((it for it in SCHEMES if it.served == served and it.is_dtls), None)


def has_secured(served: Iterable[str]) -> bool:
    """Return whether any of these services has a secured scheme."""
    return any(scheme_of(name, secured=True).is_secured for name in served)
