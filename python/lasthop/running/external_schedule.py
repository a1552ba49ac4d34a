"""The message schedule for real-software devices, equal to that of simulated ones."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lasthop.adapters import Errand, Message
from lasthop.results.arrow_stream import read_stream
from lasthop.study.run_spec import RELAYED
from lasthop.study.stacks.catalogue import catalogue
from lasthop.study.stacks.notation import parse_stack
from lasthop.study.stacks.spec import stack_spec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lasthop.adapters import Card, Offer
    from lasthop.results.part import Stream
    from lasthop.running.engine import NativeEngine

_SOFTWARE = ("software", "client")


def _ours(stack: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a simulated stack with the same schedule if the stack itself has no model."""
    layers = tuple(layer["name"] for layer in stack["layers"][:-1])
    built = catalogue().applications[stack["application"]["name"]].built
    if layers not in map(catalogue().completed, built):
        return stack_spec(parse_stack("mqtt qos=0"))
    return {key: it for key, it in stack.items() if key not in _SOFTWARE}


@dataclass(frozen=True, slots=True)
class ExternalDevice:
    """A device of a run that is real software.

    Parameters
    ----------
    group, number
        Its group, and its number in the run.
    client
        Name of the client software.
    path
        Path of its packets, as in a run spec, and its name.
    device
        Hardware limits, if the study sets them.
    """

    group: str
    number: int
    path_name: str
    path: Mapping[str, Any]
    client: str
    device: Mapping[str, Any] | None = None

    @property
    def address(self) -> str:
        """Return the device's IP address before any NAT."""
        return f"198.19.0.{self.number + 1}"

    @property
    def name(self) -> str:
        """Return the name of the device at the server, as for simulated devices."""
        return f"device-{self.number}"

    @property
    def topic(self) -> str:
        """Return the topic of the device, as for simulated devices."""
        return f"device/{self.number}"


@dataclass(frozen=True, slots=True)
class ExternalSchedule:
    """The devices of a run, and the messages of the simulated run with the same seed.

    Parameters
    ----------
    planned
        Message rows of the simulated run. Their due times apply.
    cards
        Credentials for a server that requires tokens, by device name.
    """

    spec: Mapping[str, Any]
    devices: Sequence[ExternalDevice]
    planned: Sequence[dict[str, Any]]
    cards: Mapping[str, Card] = field(default_factory=dict)

    @classmethod
    def of(cls, spec_json: str, native: NativeEngine) -> ExternalSchedule:
        """Return the message schedule of a run, from simulating it with simulated devices."""
        spec = json.loads(spec_json)
        ours = {
            **spec,
            "engine": "virtual",
            "measure": {**spec["measure"], "messages": "each"},
            "stacks": {name: _ours(stack) for name, stack in spec["stacks"].items()},
        }
        simulated = native.simulate(
            json.dumps(ours), run_id="", captures={}, switch=native.switch()
        )
        groups = [
            group
            for group in spec["groups"]
            for _ in range(group["population"]["staying"]["devices"])
        ]
        devices = [
            ExternalDevice(
                group["name"],
                number,
                group["path"],
                spec["paths"][group["path"]],
                client=str(spec["stacks"][group["clients"][0]["stack"]]["client"]),
                device=group.get("device"),
            )
            for number, group in enumerate(groups)
        ]
        return cls(spec, devices, _messages(simulated["messages"]))

    def sender_of(self, message: Mapping[str, Any]) -> str:
        """Return the name of the device that sends a message."""
        return self._first(message["group"], message["device"])

    def receiver_of(self, message: Mapping[str, Any]) -> str | None:
        """Return the name of a message's receiver if the flow has several; otherwise None."""
        if message["receiver"] is None:
            return None
        flow = next(it for it in self.spec["flows"] if it["name"] == message["flow"])
        return self._first(flow["to"], message["receiver"])

    def _first(self, group: str, place: int) -> str:
        """Return the name of a device from its number in its group."""
        first = next(device.number for device in self.devices if device.group == group)
        return self.devices[first + place].name

    def errand(self, device: ExternalDevice, server: Offer) -> Errand:
        """Return the errand of a device at a server."""
        flows = {flow["name"]: flow for flow in self.spec["flows"]}
        card, presented = self.cards.get(device.name), server.presented
        messages = [
            Message(
                topic=device.topic if card is None else card.topic,
                flow=message["flow"],
                number=message["message"],
                due_ns=message["intended_ns"],
                size_bytes=next(iter(flows[message["flow"]]["payload"].values()))["bytes"],
            )
            for message in self.planned
            if message["group"] == device.group
            and self.sender_of(message) == device.name
            and not message["receiver"]
        ]
        return Errand(
            address=server.address,
            port=server.port,
            transport=server.transport,
            name=device.name,
            options=dict(server.options),
            messages=tuple(sorted(messages, key=lambda message: message.due_ns)),
            hears=tuple(self._heard_by(device)),
            card=card,
            server="" if presented is None else presented.name,
            authority="" if presented is None else str(presented.roots),
            session=self._session_of(device),
            own=device.address,
            device=device.device,
        )

    def is_kept(self, message: Mapping[str, Any]) -> bool:
        """Return whether the server stores and acknowledges a message without forwarding it."""
        flow = next(it for it in self.spec["flows"] if it["name"] == message["flow"])
        return bool(flow["kind"] == "report")

    def _session_of(self, device: ExternalDevice) -> int | None:
        """Return the number of messages per connection; None for a permanent connection."""
        for flow in self.spec["flows"]:
            if flow["from"] == device.group and flow["session"] != "keep":
                return int(flow["session"]["per"])
        return None

    def _heard_by(self, device: ExternalDevice) -> list[str]:
        topics: list[str] = []
        for flow in self.spec["flows"]:
            if flow["kind"] in RELAYED and flow["to"] == device.group:
                topics += [it.topic for it in self.devices if it.group == flow["from"]]
            elif flow["kind"] == "round_trip" and flow["from"] == device.group:
                topics.append(device.topic)
        return list(dict.fromkeys(topics))


def _messages(stream: Stream) -> list[dict[str, Any]]:
    content = stream if isinstance(stream, bytes) else stream.read_bytes()
    return read_stream(content).rows(named=True)
