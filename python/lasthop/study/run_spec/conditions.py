"""Builds the parts of a run spec that do not depend on stacks and seed."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lasthop.study.fields.quantity import ARRIVALS
from lasthop.study.fleet.devices import Arriving
from lasthop.study.fleet.energy import energy_spec
from lasthop.study.fleet.tariff import tariff_spec
from lasthop.study.run_spec.events import event_spec
from lasthop.study.run_spec.faults import fault_spec
from lasthop.study.run_spec.flows import flow_spec
from lasthop.study.run_spec.hops import hop_spec
from lasthop.study.run_spec.reader import RUN_SPEC_FORMAT

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Mapping

    from lasthop.study.fleet.assembly import Assembly, Group, Server
    from lasthop.study.forms.timing import Timing

Spec = dict[str, Any]


def conditions_spec(  # noqa: PLR0913  (what a study says beside its groups)
    assembly: Assembly,
    spans: Timing,
    *,
    engine: str,
    messages: str | None,
    folder: pathlib.Path,
    at: Mapping[str, str] | None = None,
    credentials: str | None = None,
) -> Spec:
    """Return the parts of a run spec that do not depend on stacks and seed.

    Parameters
    ----------
    assembly
        The study at one point of its grid.
    engine
        Name of the engine.
    messages
        Detail of messages in the results: ``each``, ``summed``, or None for the default.
    folder
        Folder of trace files.
    at
        Addresses of external servers, by protocol with layers.
    credentials
        Digest of the public part of credentials from files.

    Raises
    ------
    Fault
        If the point contradicts itself.
    """
    arriving = any(isinstance(group.devices, Arriving) for group in assembly.groups)
    return {
        "format": RUN_SPEC_FORMAT,
        "engine": engine,
        "paths": {
            name: {"hops": [hop_spec(hop, folder) for hop in hops]}
            for name, hops in assembly.paths.items()
        },
        "servers": _servers(assembly, at),
        "groups": [_group(group, assembly, spans.duration_ns) for group in assembly.groups],
        "flows": [flow_spec(flow, assembly, spans.duration_ns) for flow in assembly.flows],
        # A quick look ends before some of them.
        "events": [
            event_spec(event, assembly, spans)
            for event in assembly.events
            if event.form.first < spans.duration_ns
        ],
        # Left out where there are none, as the run spec has it.
        **({"faults": [fault_spec(fault) for fault in assembly.faults]} if assembly.faults else {}),
        **({} if credentials is None else {"credentials": {"identity": credentials}}),
        "measure": {
            "warm_up_ns": spans.warm_up_ns,
            "drain_ns": spans.drain_ns,
            "set_up_ns": spans.set_up_ns,
            "messages": messages or ("summed" if arriving else "each"),
        },
    }


def _servers(assembly: Assembly, at: Mapping[str, str] | None) -> list[Spec]:
    """Return the servers of a run spec. Their ports depend on the arm.

    One that is somewhere else takes its own time.
    """
    return [
        {
            "name": server.name,
            "layout": "per_device"
            if any(
                isinstance(group.devices, Arriving)
                for group in assembly.groups
                if server.name in group.servers
            )
            else "shared",
            "services": [
                {
                    "stack": group.client(server.name),
                    "port": dict(server.ports),
                    **({} if at is None else {"at": dict(at)}),
                }
                for group in assembly.groups
                if server.name in group.servers
            ],
            **({} if server.forwards is None else {"forwards": _forwards(server)}),
            **({"service_time": asdict(server.work)} if server.work and at is None else {}),
            **({} if server.device is None else {"device": server.device.spec()}),
        }
        for server in assembly.servers
    ]


def _forwards(server: Server) -> Spec:
    """Return how a gateway forwards messages, as part of the run spec."""
    assert server.forwards is not None  # noqa: S101  (the caller has looked)
    forwards = server.forwards
    cache = {"room_bytes": forwards.cache, "stale_if_error_ns": forwards.stale_if_error_ns}
    return {
        "by": server.name,
        "batch": forwards.batch,
        "wait_ns": forwards.wait_ns,
        "room": forwards.room,
        **({} if forwards.cache is None else {"cache": cache}),
    }


def _group(group: Group, assembly: Assembly, duration_ns: int) -> Spec:
    return {
        "name": group.name,
        "population": _population(group, assembly, duration_ns),
        "weight": group.weight,
        "strata": [
            {
                "name": stratum.name,
                "devices": stratum.devices,
                "weight": stratum.weight,
                "coupling_loss_db": stratum.coupling_loss_db,
            }
            for stratum in group.strata
        ],
        "path": group.path,
        "clients": [{"stack": group.client(server), "server": server} for server in group.servers],
        "energy": energy_spec(group.energy),
        **({} if group.tariff is None else {"tariff": tariff_spec(group.tariff)}),
        **({} if group.device is None else {"device": group.device.spec()}),
    }


def _population(group: Group, assembly: Assembly, duration_ns: int) -> Spec:
    devices = group.devices
    if not isinstance(devices, Arriving):
        return {"staying": {"devices": devices}}
    cells = 1 if devices.per == "cell" else assembly.cells_of(group)
    return {
        "arriving": {
            "per_second_per_cell": devices.arrive / ARRIVALS.column_factor / cells,
            "until_ns": duration_ns,
            "linger_ns": devices.linger,
            "give_up_ns": devices.give_up,
        }
    }
