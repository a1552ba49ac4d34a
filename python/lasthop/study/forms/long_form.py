"""The long form of a study: named groups of devices, servers, paths and flows."""

# ruff: noqa: TC001  (pydantic reads what is imported)

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field, ValidationInfo, field_validator

from lasthop.study.fleet.assembly import Assembly, Event, Flow, Group, Hop, Server, client_name
from lasthop.study.fleet.devices import Arriving, check_arriving
from lasthop.study.fleet.energy import energy_of_radio
from lasthop.study.fleet.flows import flow_of
from lasthop.study.fleet.gateway import check_gateway
from lasthop.study.fleet.group import GroupForm
from lasthop.study.fleet.hops import hops_of
from lasthop.study.fleet.server import ServerForm
from lasthop.study.fleet.strata import strata_of
from lasthop.study.forms.model import Stacks, StudyForm, check_name
from lasthop.study.paths.path import LinkForm, PathForm
from lasthop.study.stacks.arm import StudyArm
from lasthop.study.stacks.comparing import compared_arms
from lasthop.study.text.faults import Fault, Location, show, suggestion
from lasthop.study.traffic.flow import FlowForm

if TYPE_CHECKING:
    from collections.abc import Iterable

MAXIMUM_PARTS = 100

LONG_KEYS = ("fleet", "paths", "servers", "compare")
"""Keys that the short form of a study does not have."""

_SHORT_FORM = 'it cannot be used with a fleet; see "the long form" in docs/reference/study.md'


class LongForm(StudyForm):
    """A study of a fleet: groups, servers, paths and flows by name."""

    elsewhere: ClassVar[dict[str, str]] = StudyForm.elsewhere | {
        "devices": 'write "count: 100" in a group of the fleet',
        "path": 'write "paths: {cell: ..}"',
        "energy": "write it in a group of the fleet",
    }

    fleet: dict[str, GroupForm] = Field(
        min_length=1,
        max_length=MAXIMUM_PARTS,
        examples=["{meters: {count: 200000, simulate: 600, path: cell}}"],
    )
    """Groups of devices by their names."""
    paths: dict[str, PathForm] = Field(
        default_factory=dict,
        max_length=MAXIMUM_PARTS,
        examples=["{cell: [{nbiot: {coupling_loss: 144 dB}}, {nat: {udp: 120 s}}]}"],
    )
    """Paths by their names: one link, one radio network, or a list of hops."""
    servers: dict[str, ServerForm] = Field(
        default_factory=dict, max_length=MAXIMUM_PARTS, examples=["{head_end: {}}"]
    )
    """Servers by their names. Default: one server with the name `server`."""
    traffic: dict[str, FlowForm] = Field(
        min_length=1,
        max_length=MAXIMUM_PARTS,
        examples=["{index: {from: meters, report: 96 B, every: 1 d}}"],
    )
    """Flows of messages by their names."""
    stacks: Stacks | None = Field(
        default=None, examples=["{coap: coap type=con, mqtt: mqtt qos=1}", "[coap, mqtt]"]
    )
    """Stacks by name, or the compared stacks for every group without its own stack."""
    compare: dict[str, Any] | None = Field(
        default=None, examples=["{fleet.meters.stack: [coap, mqtt]}"]
    )
    """Stacks that are compared, for a group (`fleet.alarms.stack`), for a group with one of its
    servers (`fleet.alarms.stacks.archive`), or for a gateway (`servers.NAME.forwards.stack`)."""

    @field_validator("traffic", mode="before")
    @classmethod
    def _flows(cls, flows: object) -> object:
        if isinstance(flows, dict):
            for key, value in flows.items():
                if key in FlowForm.written_keys() and not (
                    isinstance(value, dict) and value.keys() & FlowForm.written_keys()
                ):
                    raise Fault(
                        "with a fleet, each flow needs a name",
                        hint='write "traffic: {index: {from: meters, report: 96 B, every: 1 d}}"',
                        location=(key,),
                        at_key=True,
                    )
        return flows

    @field_validator("fleet", "paths", "servers", "traffic", mode="before")
    @classmethod
    def _names(cls, parts: object, info: ValidationInfo) -> object:
        if not isinstance(parts, dict):
            example = cls.model_fields[str(info.field_name)].examples or ["{name: ..}"]
            hint = f'write "{info.field_name}: {example[0]}"'
            raise Fault(f"{show(parts)} is not a mapping of names", hint=hint)
        for name in parts:
            try:
                check_name(name, of_part=True)
            except Fault as fault:
                raise Fault(fault.what, hint=fault.hint, location=(name,), at_key=True) from None
        return parts

    def arms(self) -> tuple[StudyArm, ...]:
        """Return the compared arms."""
        clients: dict[str, str | None] = {
            name: form.forwards.stack for name, form in self._servers().items() if form.forwards
        }
        gateways = frozenset(clients)
        for name, group in self.fleet.items():
            clients[name] = group.stack
            apart = self._apart(name).items()
            clients |= {client_name(name, server): text for server, text in apart}
        return compared_arms(clients, stacks=self.stacks, compare=self.compare, gateways=gateways)

    def _apart(self, group: str) -> dict[str, str | None]:
        """Return a group's stacks for single servers; None for a compared stack."""
        apart: dict[str, str | None] = dict(self.fleet[group].stacks)
        for key in self.compare or {}:
            match key.split("."):
                case ["fleet", name, "stacks", server] if name == group:
                    apart.setdefault(server, None)
                case _:
                    pass
        return apart

    def assemble(self) -> Assembly:
        """Return the parts of the study with all names resolved."""
        self._check_names()
        paths = {
            name: hops_of(path, name=name, location=("paths", name))
            for name, path in self._paths().items()
        }
        servers = tuple(self._server(name, form, paths) for name, form in self._servers().items())
        known = {name: self._usual_server_of(name) for name in self.fleet}
        flows = tuple(
            flow_of(form, name=name, groups=known, servers=[server.name for server in servers])
            for name, form in self.traffic.items()
        )
        return Assembly(
            groups=(
                *(_gateway(server, paths) for server in servers if server.forwards),
                *(self._group(name, paths, flows) for name in self.fleet),
            ),
            servers=servers,
            paths=paths,
            flows=flows,
            events=tuple(
                Event(form=form, location=("events", place))
                for place, form in enumerate(self.events)
            ),
            faults=tuple(self.faults),
        )

    def _paths(self) -> dict[str, Any]:
        return dict(self.paths) or {"path": LinkForm()}

    def _servers(self) -> dict[str, ServerForm]:
        return dict(self.servers) or {"server": ServerForm()}

    def _check_names(self) -> None:
        """Raise an error if two parts share a name, because names identify random streams."""
        seen: dict[str, str] = {}
        for key, names in (("fleet", self.fleet), ("servers", self.servers)):
            for name in names:
                if name in seen:
                    raise Fault(
                        f"{show(name)} is the name of a group and of a server",
                        hint="rename one of them",
                        location=(key, name),
                        at_key=True,
                    )
                seen[name] = key

    def _server(self, name: str, form: ServerForm, paths: dict[str, tuple[Hop, ...]]) -> Server:
        location = ("servers", name)
        forwards = None
        if form.forwards is not None:
            check_gateway(name, self._servers())
            path = _one(form.forwards.path, paths, "path", (*location, "forwards"))
            forwards = form.forwards.resolved(path)
        return Server(
            name=name,
            location=location,
            ports=form.ports(),
            forwards=forwards,
            work=form.work(),
            device=form.device,
        )

    def _is_heard_by_cache(self, flow: Flow, group: str, usual: str | None) -> bool:
        """Return whether a group receives a flow at a cache before the flow's server."""
        form = None if usual is None else self._servers()[usual].forwards
        is_before = form is not None and form.cache is not None and form.to == flow.server
        return is_before and flow.is_relayed and flow.receiver == group

    def _usual_server_of(self, group: str) -> str | None:
        """Return the default server of a group; None if its flows must name the server."""
        written, servers = self.fleet[group].server, self._servers()
        if written is None and len(servers) > 1:
            return None
        return _one(written, servers, "server", ("fleet", group))

    def _group(
        self, name: str, paths: dict[str, tuple[Hop, ...]], flows: tuple[Flow, ...]
    ) -> Group:
        form, location = self.fleet[name], ("fleet", name)
        path = _one(form.path, paths, "path", location)
        hops = paths[path]
        its = [flow for flow in flows if name in (flow.sender, flow.receiver)]
        for flow in its:
            if isinstance(form.count, Arriving) and flow.group == name:
                at = ((*location, "count"), flow.location)
                check_arriving(form.count, flow.traffic, hops, self.duration, at=at)
        usual = self._usual_server_of(name)
        if usual is None and not its:
            _one(None, self._servers(), "server", location)
        used = [flow.server for flow in its if not self._is_heard_by_cache(flow, name, usual)]
        servers = dict.fromkeys(used if usual is None else [usual, *used])
        apart = self._apart(name)
        for server in apart:
            if server not in servers:
                what = f"the devices of {name} do not use the server {show(server)}"
                hint = suggestion(server, servers, kind="servers")
                place = _place_of_apart(name, server, form)
                raise Fault(what, hint=hint, location=place, at_key=True)
        if servers and set(apart) >= set(servers):
            raise _spoken_with_nobody(name, form, servers)
        devices = form.count if isinstance(form.count, Arriving) else form.simulated
        real = form.count if isinstance(form.count, int) else None
        try:
            strata = strata_of(hops, devices, real=real, minimum=form.minimum)
        except Fault as fault:
            raise fault if fault.location else _too_few(fault, form, location) from None
        energy_at = "energy" if form.battery is None else "battery"
        return Group(
            name=name,
            devices=devices,
            path=path,
            servers=tuple(servers),
            apart=tuple(apart),
            location=location,
            count_at=(*location, "count"),
            weight=1.0 if real is None or not form.simulated else real / form.simulated,
            strata=strata,
            energy=energy_of_radio(form.living_on(), hops, location=(*location, energy_at)),
            device=form.device,
            tariff=None if isinstance(form.count, Arriving) else form.tariff or self.tariff,
        )


def _gateway(server: Server, paths: dict[str, tuple[Hop, ...]]) -> Group:
    """Return the gateway as a device group of the server behind it."""
    forwards, location = server.forwards, (*server.location, "forwards")
    assert forwards is not None  # noqa: S101  (the caller has looked)
    return Group(
        name=server.name,
        devices=1,
        path=forwards.path,
        servers=(forwards.to,),
        location=location,
        count_at=location,
        energy=energy_of_radio(None, paths[forwards.path]),
        is_gateway=True,
    )


def _too_few(fault: Fault, form: GroupForm, location: Location) -> Fault:
    key = "simulate" if form.simulate is not None else "count"
    return Fault(fault.what, hint=fault.hint, location=(*location, key))


def _spoken_with_nobody(name: str, form: GroupForm, servers: Iterable[str]) -> Fault:
    """Return the error on a group's stack that no server uses."""
    first = next(iter(servers))
    if first in form.stacks:
        instead = f'write "stack: {form.stacks[first]}" and remove {first} here'
    else:
        instead = f'write "fleet.{name}.stack"'
    return Fault(
        f"every server of {name} ({' and '.join(servers)}) has its own stack, so "
        'the group\'s "stack" is never used',
        hint=instead,
        location=_place_of_apart(name, first, form),
        at_key=True,
    )


def _place_of_apart(group: str, server: str, form: GroupForm) -> Location:
    if server in form.stacks:
        return ("fleet", group, "stacks", server)
    return ("compare", f"fleet.{group}.stacks.{server}")


def _one(written: str | None, known: dict[str, Any], noun: str, location: Location) -> str:
    """Return a name that must exist, or the only name if none is written."""
    if written is None:
        if len(known) == 1:
            return next(iter(known))
        raise Fault(
            f'the key "{noun}" is missing, and the study has {len(known)} {noun}s',
            hint=f'write "{noun}: {next(iter(known))}"',
            location=location,
        )
    if written not in known:
        raise Fault(
            f"there is no {noun} {show(written)}",
            hint=suggestion(written, known, kind=f"{noun}s"),
            location=(*location, noun),
        )
    return written
