"""Parts of a study, resolved from either form: groups, servers, paths and flows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lasthop.study.nbiot.form import Nbiot
from lasthop.study.paths.media import Scope, medium_of
from lasthop.study.paths.path import Nat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lasthop.study.fleet.aimed import AimedFaultForm
    from lasthop.study.fleet.device import DeviceForm
    from lasthop.study.fleet.devices import Arriving
    from lasthop.study.fleet.energy import Energy
    from lasthop.study.fleet.events import EventForm
    from lasthop.study.fleet.tariff import TariffForm
    from lasthop.study.text.faults import Location
    from lasthop.study.traffic.session import SessionPolicy
    from lasthop.study.traffic.traffic import Traffic


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """A hop of a path: a link, a NAT or a network such as NB-IoT.

    Parameters
    ----------
    name
        Name of the hop, which also identifies its random streams.
    scope
        Who shares the hop: one device, its group, or all devices.
    settings
        Settings of a link (``Path``), a NAT or a medium.
    location
        Location in the study.
    """

    name: str
    scope: Scope
    settings: Any
    location: Location

    @property
    def kind(self) -> str:
        """Return the kind of the hop: ``link``, ``nat``, or the key of a network."""
        if isinstance(self.settings, Nat):
            return "nat"
        medium = medium_of(self.settings)
        return "link" if medium is None else medium.key


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """Devices of a group with the same coupling loss.

    Parameters
    ----------
    weight
        Number of real devices that each device represents.
    """

    name: str
    devices: int
    weight: float
    coupling_loss_db: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A group of devices with equal settings.

    Parameters
    ----------
    devices
        Number of simulated devices, or the rate of arriving devices.
    weight
        Number of real devices that each device represents.
    servers
        Servers of the group, the default first, including servers of its flows.
    apart
        Servers with which the devices use a separate stack.
    location, count_at
        Locations of the group and of its device number in the study.
    device
        Hardware limits of the devices; None without limits.
    tariff
        Tariff of each device's SIM; None without a tariff.
    is_gateway
        Whether this is the single device of a gateway, named after its server.
    """

    name: str
    devices: int | Arriving
    path: str
    servers: tuple[str, ...]
    apart: tuple[str, ...] = ()
    location: Location
    count_at: Location
    weight: float = 1.0
    strata: tuple[Stratum, ...] = ()
    energy: Energy | None = None
    device: DeviceForm | None = None
    tariff: TariffForm | None = None
    is_gateway: bool = False

    def client(self, server: str) -> str:
        """Return the name of the stack that the devices use with a server."""
        return client_name(self.name, server) if server in self.apart else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Forwards:
    """Settings with which a gateway forwards messages.

    Parameters
    ----------
    to
        The server that receives the forwarded messages.
    batch, wait_ns
        Maximum number of messages in a batch, and the maximum wait of the first one.
    room
        Maximum number of waiting messages.
    cache
        Cache size of a caching proxy in bytes; None otherwise.
    stale_if_error_ns
        Additional time for stale answers while the server does not respond.
    """

    to: str
    path: str
    batch: int
    wait_ns: int
    room: int
    cache: int | None = None
    stale_if_error_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Service times, workers and queue of a server.

    Parameters
    ----------
    of
        Service times as in the run spec, by protocol with layers.
    workers
        Number of concurrent workers.
    queue_bytes
        Maximum size of the queue.
    """

    of: Mapping[str, Mapping[str, int]]
    workers: int
    queue_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server with its ports and service times.

    Parameters
    ----------
    ports
        Ports by protocol with layers; the default port if none is given.
    location
        Location in the study.
    forwards
        Forwarding settings of a gateway; None otherwise.
    work
        Service times; None if processing takes no time.
    device
        Hardware limits of the server; None without limits.
    """

    name: str
    location: Location
    ports: Mapping[str, int]
    forwards: Forwards | None = None
    work: Work | None = None
    device: DeviceForm | None = None

    def is_cache_before(self, server: str) -> bool:
        """Return whether it is a caching proxy in front of a server."""
        forwards = self.forwards
        return forwards is not None and forwards.cache is not None and forwards.to == server


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """A flow of messages: sender, receiver and traffic.

    Parameters
    ----------
    server
        Server at one end of the flow; between two groups, the relaying server.
    share
        Share of the group's devices that take part, from 0 to 1.
    to_all
        Whether each message is for every device of the other group.
    resource
        Name of the resource at the server; None without a name.
    """

    name: str
    sender: str
    receiver: str
    server: str
    traffic: Traffic
    location: Location
    share: float = 1.0
    to_all: bool = False
    resource: str | None = None

    @property
    def is_relayed(self) -> bool:
        """Return whether devices of another group receive the messages."""
        return self.server not in (self.sender, self.receiver)

    @property
    def group(self) -> str:
        """Return the device group of the flow: its sender, or its receiver if the server sends."""
        return self.receiver if self.sender == self.server else self.sender


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event at one or more times of a run."""

    form: EventForm
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """All parts of a study except the stacks."""

    groups: tuple[Group, ...]
    servers: tuple[Server, ...]
    paths: Mapping[str, tuple[Hop, ...]]
    flows: tuple[Flow, ...]
    events: tuple[Event, ...]
    faults: tuple[AimedFaultForm, ...]

    def group(self, name: str) -> Group | None:
        """Return the group with a name, or None."""
        return next((group for group in self.groups if group.name == name), None)

    def group_of(self, flow: Flow) -> Group:
        """Return the device group of a flow."""
        return next(one for one in self.groups if one.name == flow.group)

    def flows_of(self, group: Group) -> list[Flow]:
        """Return the flows of a group's devices."""
        return [flow for flow in self.flows if flow.group == group.name]

    def hops_of(self, group: Group) -> Iterator[Hop]:
        """Yield the hops of every path of a group, also of those that it changes to in a run."""
        moves = (one.form for one in self.events if one.form.target == group.name)
        later = (move.to for move in moves if move.to is not None)
        for path in dict.fromkeys((group.path, *later)):
            yield from self.paths.get(path, ())

    def heard_by(self, group: Group) -> list[Flow]:
        """Return the flows of other groups that the devices of a group receive."""
        return [flow for flow in self.flows if flow.is_relayed and flow.receiver == group.name]

    def hears_at(self, flow: Flow) -> str:
        """Return the server from which a group receives a report, possibly a cache."""
        hearers = self.group(flow.receiver)
        talked_to = () if hearers is None else hearers.servers
        if flow.server in talked_to:
            return flow.server
        caches = (one.name for one in self.servers if one.is_cache_before(flow.server))
        return next((name for name in caches if name in talked_to), flow.server)

    def audience_of(self, flow: Flow) -> int:
        """Return the number of receivers of each message: one, or all devices of a group."""
        hearers = self.group(flow.receiver) if flow.to_all else None
        devices = 1 if hearers is None else hearers.devices
        return devices if isinstance(devices, int) else 1

    def session_of(self, flow: Flow) -> SessionPolicy:
        """Return the session policy of a flow, which is that of the devices' own messages."""
        return next(iter(self._opening(flow)), flow).traffic.session

    @property
    def begins_established(self) -> bool:
        """Return whether sessions are established before the run."""
        return any(self.session_of(flow) == "established" for flow in self.flows)

    def is_opened_by_devices(self, flow: Flow) -> bool:
        """Return whether devices send messages between the ends of a flow."""
        return bool(self._opening(flow))

    def cells_of(self, group: Group) -> int:
        """Return the number of radio cells of a group."""
        return next((network.cells for network in networks(self.paths[group.path])), 1)

    def hops(self) -> Iterator[Hop]:
        """Yield every hop of every path."""
        for hops in self.paths.values():
            yield from hops

    def _opening(self, flow: Flow) -> list[Flow]:
        ends = (flow.group, flow.server)
        flows = (one for one in self.flows if (one.group, one.server) == ends)
        return [one for one in flows if not one.traffic.begins_at_server]


def client_name(group: str, server: str) -> str:
    """Return the name of the stack between a group and one of its servers."""
    return f"{group}.{server}"


def networks(hops: Iterable[Hop]) -> Iterator[Nbiot]:
    """Yield the NB-IoT networks among the hops."""
    for hop in hops:
        if isinstance(hop.settings, Nbiot):
            yield hop.settings
