"""Reads properties of runs from their specs. Only it and the writer know the format."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Spec = dict[str, Any]

RUN_SPEC_FORMAT = 2

_SECOND_NS = 10**9
_MOST_DEVICES = 1 << 23

RELAYED = frozenset({"relay", "relay_to_all"})
"""Kinds of flows from one group to another."""

PAYLOAD_BYTES = tuple(f"$.flows[0].payload.{form}.bytes" for form in ("json", "text", "encoded"))
"""JSON paths of the payload size in the spec of a run with one flow."""


@dataclass(frozen=True, slots=True)
class Direction:
    """One direction of a link, with its random effects.

    Parameters
    ----------
    settings
        Settings of the direction, as in the spec.
    is_up
        Whether it leads away from the device.
    """

    settings: Mapping[str, Any]
    is_up: bool


@dataclass(frozen=True, slots=True)
class FlowLoad:
    """The load of a flow: its messages and their size.

    Parameters
    ----------
    messages
        Mean number of messages in the run; one per device if the schedule does not determine it.
    payload_bytes
        Payload size; None if only the fields determine it.
    """

    messages: float
    payload_bytes: int | None


@dataclass(frozen=True, slots=True)
class RunSpecReader:
    """Reads properties of a run from its spec, with or without stacks and seed."""

    spec: Mapping[str, Any]

    @classmethod
    def of(cls, spec_json: str) -> Self:
        """Parse the JSON of a run spec."""
        return cls(json.loads(spec_json))

    @property
    def conditions(self) -> Spec:
        """Return the settings that all stacks share at one point: all except stack and seed."""
        if self.spec.get("format") != RUN_SPEC_FORMAT:
            # Results of an earlier version: a stack of its own, no names.
            return {name: it for name, it in self.spec.items() if name not in {"stack", "seed"}}
        shared = {name: it for name, it in self.spec.items() if name not in {"stacks", "seed"}}
        # On which ports a server listens, and what equal stacks are called, follows from them.
        servers = [{**server, "services": None} for server in self.spec["servers"]]
        groups = [
            {**group, "clients": [client["server"] for client in group["clients"]]}
            for group in self.spec["groups"]
        ]
        return {**shared, "servers": servers, "groups": groups}

    @property
    def is_live(self) -> bool:
        """Return whether the run has real software and therefore cannot be repeated."""
        return bool(self.spec["engine"] == "live")

    @property
    def networks(self) -> list[Mapping[str, Any]]:
        """Return the settings of each NB-IoT network."""
        return [hop["nbiot"] for hop in self._hops() if "nbiot" in hop]

    @property
    def layers(self) -> frozenset[str]:
        """Return the layers of all stacks, without applications."""
        stacks = self.spec["stacks"].values()
        return frozenset(layer["name"] for stack in stacks for layer in stack["layers"])

    @property
    def has_radio(self) -> bool:
        """Return whether a path has a radio with an energy model."""
        return bool(self.networks)

    @property
    def has_arrivals(self) -> bool:
        """Return whether devices arrive and leave during the run."""
        return any("arriving" in group["population"] for group in self.spec["groups"])

    @property
    def has_staying(self) -> bool:
        """Return whether permanent devices exist."""
        return any("staying" in group["population"] for group in self.spec["groups"])

    @property
    def staying_devices(self) -> int:
        """Return the number of permanent devices."""
        return sum(map(_staying, self.spec["groups"]))

    @property
    def flows_of_groups(self) -> Mapping[str, Sequence[str]]:
        """Return the flows of each group, without groups that have none."""
        ends = [(flow["name"], {flow["from"], flow["to"]}) for flow in self.spec["flows"]]
        found = {
            group["name"]: [name for name, between in ends if group["name"] in between]
            for group in self.spec["groups"]
        }
        return {group: flows for group, flows in found.items() if flows}

    def numbers_of(self, group: str) -> range:
        """Return the device numbers of a group. Permanent devices come first."""
        first = 0
        for one in self.spec["groups"]:
            if one["name"] == group:
                if "arriving" in one["population"]:
                    return range(self.staying_devices, _MOST_DEVICES)
                return range(first, first + _staying(one))
            first += _staying(one)
        raise LookupError(group)

    @property
    def devices_by_group(self) -> Mapping[str, int | None]:
        """Return the number of devices of each group; None if they arrive and leave."""
        return {
            group["name"]: None if "arriving" in group["population"] else _staying(group)
            for group in self.spec["groups"]
        }

    def channel(self, group: str, flow: str) -> int:
        """Return the index of a flow among the flows of its group."""
        names = [
            one["name"]
            for one in self.spec["flows"]
            if group in (one["from"], one["to"])
            and (one["from"] == group or one["kind"] not in RELAYED)
        ]
        return names.index(flow)

    def applications_of(self, group: str) -> frozenset[str]:
        """Return the protocols of a group's devices."""
        clients = next(one["clients"] for one in self.spec["groups"] if one["name"] == group)
        stacks = (self.spec["stacks"][client["stack"]] for client in clients)
        return frozenset(stack["application"]["name"] for stack in stacks)

    def kind_of(self, flow: str) -> str:
        """Return the kind of a flow, such as ``report``."""
        return next(str(one["kind"]) for one in self.spec["flows"] if one["name"] == flow)

    @property
    def hosts_by_server(self) -> Mapping[str, int | None]:
        """Return the number of hosts of each server; None if arriving devices determine it."""
        return {server["name"]: self._hosts_of(server) for server in self.spec["servers"]}

    def _hosts_of(self, server: Mapping[str, Any]) -> int | None:
        if not server["services"]:
            return 0
        if server["layout"] == "shared":
            return 1
        users = [
            group
            for group in self.spec["groups"]
            if any(client["server"] == server["name"] for client in group["clients"])
        ]
        if any("arriving" in group["population"] for group in users):
            return None
        return sum(map(_staying, users))

    @property
    def keeps_messages(self) -> bool:
        """Return whether the results have a row for each message."""
        return bool(self.spec["measure"]["messages"] == "each")

    @property
    def longest_flow_s(self) -> float:
        """Return the longest sending time of a flow in seconds."""
        return max((flow["duration_ns"] for flow in self.spec["flows"]), default=0) / _SECOND_NS

    @property
    def waiting_s(self) -> float:
        """Return the time in seconds that a real-time run waits. It is 0 if simulated."""
        if self.spec["engine"] == "virtual":
            return 0.0
        return self.longest_flow_s + float(self.spec["measure"]["drain_ns"]) / _SECOND_NS

    def connections(self) -> Mapping[str, int]:
        """Return the number of connections to each server address under load."""
        at = {
            (server["name"], service["stack"]): str(service.get("at", ""))
            for server in self.spec["servers"]
            for service in server["services"]
        }
        found: Counter[str] = Counter()
        for group in self.spec["groups"]:
            for client in group["clients"]:
                found[at[client["server"], client["stack"]]] += _staying(group)
        return found

    @property
    def draws_send_times(self) -> bool:
        """Return whether messages are sent at random times."""
        return any("poisson" in flow["arrivals"] for flow in self.spec["flows"])

    def directions(self) -> Iterator[Direction]:
        """Yield both directions of each link that all groups share."""
        paths = {group["path"] for group in self.spec["groups"]}
        if len(paths) != 1:
            return
        for hop in self.spec["paths"][paths.pop()]["hops"]:
            if "link" in hop:
                yield Direction(hop["link"]["up"], is_up=True)
                yield Direction(hop["link"]["down"], is_up=False)

    def flow_loads(self) -> Iterator[FlowLoad]:
        """Return the load of each flow. A message to all devices of a group counts for each."""
        groups = {group["name"]: group for group in self.spec["groups"]}
        for flow in self.spec["flows"]:
            group = groups[flow["from"] if flow["from"] in groups else flow["to"]]
            ((_, payload),) = flow["payload"].items()
            size = payload["bytes"]
            bytes_each = None if size is None else size * flow["batch"]
            audience = _staying(groups[flow["to"]]) if flow["kind"] == "relay_to_all" else 1
            yield FlowLoad(self._messages(flow, group) * audience, bytes_each)

    def shortened(self, share: float) -> Spec:
        """Return the run spec with shortened sending times, and without later events."""
        flows = [
            {
                **flow,
                "start_ns": int(flow["start_ns"] * share),
                "duration_ns": _part(flow, share),
            }
            for flow in self.spec["flows"]
        ]
        longest = max((flow["duration_ns"] for flow in flows), default=1)
        groups = [_come_within(group, share) for group in self.spec["groups"]]
        measure = dict(self.spec["measure"])
        measure["warm_up_ns"] = min(measure["warm_up_ns"], longest // 2)
        events = [_until(event, longest) for event in self.spec["events"]]
        events = [event for event in events if event["at_ns"] < longest]
        return {
            **self.spec,
            "flows": flows,
            "groups": groups,
            "events": events,
            "measure": measure,
        }

    def with_devices(self, devices: int) -> Self:
        """Return the run with approximately this many permanent devices, at least one per group.

        Groups with strata stay as they are: their devices are told apart.
        """
        share = devices / self.staying_devices
        groups = [
            group
            if group["strata"] or not _staying(group)
            else {
                **group,
                "population": {"staying": {"devices": max(1, round(_staying(group) * share))}},
            }
            for group in self.spec["groups"]
        ]
        return type(self)({**self.spec, "groups": groups})

    def _messages(self, flow: Mapping[str, Any], group: Mapping[str, Any]) -> float:
        arriving = group["population"].get("arriving")
        if arriving is not None:
            rate = float(arriving["per_second_per_cell"]) * self._cells(group)
            return rate * int(arriving["until_ns"]) / _SECOND_NS
        at_once = _staying(group) * float(flow["share"]) * int(flow["burst"])
        if flow["arrivals"] == "once":
            return at_once
        paused = flow["arrivals"].get("paused")
        if paused is not None:
            in_time = int(flow["duration_ns"]) // int(paused["pause_ns"]) + 1
            most = paused["messages"]
            return at_once * (in_time if most is None else min(in_time, int(most)))
        ((interval_ns,),) = (law.values() for law in flow["arrivals"].values())
        return at_once * int(flow["duration_ns"]) / (int(interval_ns) * int(flow["batch"]))

    def _cells(self, group: Mapping[str, Any]) -> int:
        for hop in self.spec["paths"][group["path"]]["hops"]:
            if "nbiot" in hop:
                return int(hop["nbiot"]["placement"].get("deployment", {}).get("cells", 1))
        return 1

    def _hops(self) -> Iterator[Mapping[str, Any]]:
        for path in self.spec["paths"].values():
            yield from path["hops"]


def _staying(group: Mapping[str, Any]) -> int:
    return int(group["population"].get("staying", {}).get("devices", 0))


def _part(flow: Mapping[str, Any], share: float) -> int:
    return max(1, int(flow["duration_ns"] * share))


def _until(event: Mapping[str, Any], end_ns: int) -> Mapping[str, Any]:
    """Return an event that does not recur after an instant."""
    again = {
        kind: {**times, "until_ns": min(times["until_ns"], end_ns)}
        for kind, times in event.get("again", {}).items()
    }
    return {**event, "again": again} if again else event


def _come_within(group: Mapping[str, Any], share: float) -> Mapping[str, Any]:
    arriving = group["population"].get("arriving")
    if arriving is None:
        return group
    until = max(1, int(arriving["until_ns"] * share))
    return {**group, "population": {"arriving": {**arriving, "until_ns": until}}}
