"""Servers and clients on sockets, which `serve`, `pub`, `sub` and `get` share."""

from lasthop.live.access import read_access, read_user
from lasthop.live.addresses import (
    Target,
    in_the_clear,
    join,
    read_listen_addresses,
    read_target,
)
from lasthop.live.dtls import DtlsAsked, DtlsOffered
from lasthop.live.faults import one_line_errors
from lasthop.live.gateway_data import read_gateway_data
from lasthop.live.gateway_folder import check_folder
from lasthop.live.limits import Limit, limits_of, read_limits
from lasthop.live.schemes import SERVED, Scheme, dtls_scheme_of, has_secured, scheme_of
from lasthop.live.stopping import stopped_by_signals
from lasthop.live.tls import read_clients, read_tls, read_trust

__all__ = [
    "SERVED",
    "DtlsAsked",
    "DtlsOffered",
    "Limit",
    "Scheme",
    "Target",
    "check_folder",
    "dtls_scheme_of",
    "has_secured",
    "in_the_clear",
    "join",
    "limits_of",
    "one_line_errors",
    "read_access",
    "read_clients",
    "read_gateway_data",
    "read_limits",
    "read_listen_addresses",
    "read_target",
    "read_tls",
    "read_trust",
    "read_user",
    "scheme_of",
    "stopped_by_signals",
]
