"""Gateways of the long form: servers that forward messages, and caching proxies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field, model_validator

from lasthop.study.fields.form import Form, LongPositiveTime, Quantity, Time
from lasthop.study.fields.quantity import SIZE
from lasthop.study.fleet.assembly import Forwards
from lasthop.study.fleet.devices import Arriving
from lasthop.study.text.faults import Fault, show, suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lasthop.study.fleet.assembly import Assembly, Flow
    from lasthop.study.fleet.server import ServerForm

MAXIMUM_BATCH = 10_000

CacheSize = Annotated[int, Quantity(SIZE, "64 kB")]

_WAIT_NS = 10 * 10**9
"""Default time that a batch waits for further messages, in ns."""


class ForwardsForm(Form):
    """How a gateway forwards the reports of devices."""

    to: str = Field(examples=["head_end"])
    """Server to which the gateway forwards. Latency counts from the device to this server."""
    path: str | None = Field(default=None, examples=["wan"])
    """Path between the gateway and that server. Default: the only path of the study."""
    stack: str | None = Field(default=None, examples=["mqtt qos=1"])
    """Stack between the gateway and that server: a name of `stacks`, or a stack in its notation.
    Default: the compared stack."""
    batch: Annotated[int, Field(ge=1, le=MAXIMUM_BATCH)] | None = Field(
        default=None, examples=["12"]
    )
    """Number of messages of all its devices in one forwarded message. Default: 1, or with `wait`
    all messages of that time."""
    wait: LongPositiveTime | None = Field(default=None, examples=["10 s"])
    """Longest time that the first message of a batch waits for the others. Default: 10 s with a
    batch."""
    room: Annotated[int, Field(ge=1, le=1_000_000)] = Field(default=MAXIMUM_BATCH, examples=["500"])
    """Largest number of messages that wait to be forwarded. Further messages fail."""

    cache: CacheSize | None = Field(default=None, examples=["64 kB"])
    """Size of the cache of a caching proxy for CoAP and HTTP. The proxy fetches a resource once,
    and answers with its copy for as long as the server allows (`max_age` of its stack). With `0 B`
    nothing is kept. A report is answered when the server has answered."""
    stale_if_error: Time = Field(default=0, examples=["1 min"])
    """Additional time during which the cache answers with an expired copy while the server does not
    respond."""

    @model_validator(mode="after")
    def _a_cache_is_no_queue(self) -> ForwardsForm:
        if self.cache is None:
            if "stale_if_error" in self.model_fields_set:
                raise Fault(
                    '"stale_if_error" has no effect without a cache',
                    hint='write "cache: 64 kB", or remove it',
                    location=("stale_if_error",),
                    at_key=True,
                )
            return self
        for key in ("batch", "wait", "room"):
            if key in self.model_fields_set:
                what = f'a cache forwards each request at once, so "{key}" has no effect'
                raise Fault(what, hint="remove it", location=(key,), at_key=True)
        return self

    @model_validator(mode="after")
    def _a_bundle_has_room(self) -> ForwardsForm:
        if self.batch is not None and self.batch > self.room:
            raise Fault(
                f'"room" holds {self.room} messages, fewer than a batch of {self.batch}',
                hint=f'write "room: {self.batch}" or more',
                location=("room",),
            )
        if self.batch == 1 and self.wait is not None:
            what, hint = (
                '"wait" has no effect with a batch of 1 message',
                'remove it, or write a larger "batch"',
            )
            raise Fault(what, hint=hint, location=("wait",), at_key=True)
        return self

    def resolved(self, path: str) -> Forwards:
        """Return the gateway's settings with all defaults."""
        window = min(MAXIMUM_BATCH, self.room)
        alone = self.wait is None and self.batch in (None, 1)
        return Forwards(
            to=self.to,
            path=path,
            batch=1 if alone else self.batch or window,
            wait_ns=0 if alone else self.wait or _WAIT_NS,
            room=self.room,
            cache=self.cache,
            stale_if_error_ns=self.stale_if_error,
        )


def check_gateway(name: str, servers: Mapping[str, ServerForm]) -> None:
    """Check that a gateway forwards to a server that exists and is not a gateway.

    Raises
    ------
    Fault
        If there is none of that name, or it is a gateway too.
    """
    form = servers[name].forwards
    if form is None:
        return
    location = ("servers", name, "forwards", "to")
    ends = [server for server, one in servers.items() if one.forwards is None]
    if form.to in ends:
        return
    if form.to == name:
        what = f"{name} forwards to itself"
    elif form.to in servers:
        what = f"{name} forwards to {form.to}, which is itself a gateway"
    else:
        what = f"there is no server {show(form.to)}"
    hint = suggestion(form.to, ends, kind="servers") if ends else 'add a server: "head_end: {}"'
    raise Fault(what, hint=hint, location=location)


def check_reports(assembly: Assembly) -> None:
    """Check that each gateway receives reports, and only flows that it can forward.

    Raises
    ------
    Fault
        With the place of the flow, or of the gateway.
    """
    for server in assembly.servers:
        if server.forwards is None:
            continue
        flows = [flow for flow in assembly.flows if flow.server == server.name]
        for flow in flows:
            _check_flow(flow, server.name, assembly)
        is_heard = any(
            assembly.hears_at(it) == server.name for it in assembly.flows if it.is_relayed
        )
        if not flows and not is_heard:
            what = f"no flow sends reports to {server.name}, which forwards reports"
            if server.forwards.cache is not None:
                what = f"no flow sends requests to {server.name}, which answers from its cache"
            hint = f'add "to: {server.name}" to a flow, or remove the server'
            raise Fault(what, hint=hint, location=server.location, at_key=True)


def _check_flow(flow: Flow, gateway: str, assembly: Assembly) -> None:
    server = next(server for server in assembly.servers if server.name == gateway)
    is_cache = server.forwards is not None and server.forwards.cache is not None
    if is_cache and flow.traffic.kind in {"report", "download"} and not flow.is_relayed:
        _check_stays(flow, assembly)
        return
    if is_cache:
        kind = "report to a group" if flow.is_relayed else flow.traffic.kind
        what = f"the cache {gateway} serves only downloads and reports, and this flow is a {kind}"
        hint = 'write "download: 40 B", or choose a server without a cache'
        if flow.is_relayed:
            behind = server.forwards.to if server.forwards is not None else gateway
            hint = f'write "server: {behind}" at {flow.sender}; the receivers may use {gateway}'
        raise Fault(what, hint=hint, location=flow.location, at_key=True)
    if flow.traffic.kind == "download":
        what = f"{gateway} forwards only reports, and this flow is a download"
        hint = 'add "cache: 64 kB" to the gateway, so that it answers downloads as a caching proxy'
        raise Fault(what, hint=hint, location=flow.location, at_key=True)
    if flow.traffic.kind != "report" or flow.is_relayed:
        kind = "report to a group" if flow.is_relayed else flow.traffic.kind
        what = f"{gateway} forwards only reports, and this flow is a {kind}"
        hint = 'write "report: 40 B", or choose a server without "forwards"'
        raise Fault(what, hint=hint, location=flow.location, at_key=True)
    _check_stays(flow, assembly)


def _check_stays(flow: Flow, assembly: Assembly) -> None:
    group = assembly.group_of(flow)
    if isinstance(group.devices, Arriving):
        what = f"{group.name} come and go, but the devices of a gateway must stay"
        raise Fault(what, hint='write "count: 100"', location=group.count_at)
