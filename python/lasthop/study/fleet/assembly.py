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
        Of its random streams.
    scope
        Whose it is: of each device, of its group, of all.
    settings
        Of a link (``Path``), of a NAT, or of a medium.
    location
        Where it stands in the study.
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
        How many real devices each stands for.
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
        How many are simulated, or how many come and go.
    weight
        How many real devices each of them stands for.
    servers
        That they talk to, the usual one first: each that a flow goes by.
    apart
        Those of them with which they speak another stack than with the others.
    location, count_at
        Where it stands in the study, and where it says how many there are.
    device
        What they have little of, None where that is nothing.
    tariff
        What the SIM of each costs, None where nobody asks.
    is_gateway
        Whether it is the one device of a gateway, which has the name of its server.
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
        The server behind it.
    batch, wait_ns
        So many messages go in one, of which the first waits so long at most.
    room
        So many are held at most.
    cache
        How many bytes it keeps of what it fetches, where it is a caching proxy.
    stale_if_error_ns
        How long it gives out what is fresh no longer while the server behind gives no answer.
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
        The times, as the run spec has them, by the protocol and its layers.
    workers
        How many pieces of work go on at the same time.
    queue_bytes
        How much waits for them at most.
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
        On which it is found, by the protocol and its layers; the usual one where none is named.
    location
        Where it stands in the study.
    forwards
        Where its messages go on, None where they end.
    work
        How long it works, None where that takes no time.
    device
        What the device has little of that it runs on, None where it runs on none.
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
        That it goes to or comes from; between two groups, the one that passes it on.
    share
        Of the devices of its group that take part, from 0 to 1.
    to_all
        Whether each message is for every device of the other group.
    resource
        What it is about at its server, by a name; None where that has none.
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
        """Yield the hops of every path that a group uses, including later paths."""
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
