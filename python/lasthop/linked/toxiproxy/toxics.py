"""Toxics, as the clients of Toxiproxy write them, and what of a link they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_WAYS = {"upstream": "up", "downstream": "down"}

_ATTRIBUTES = {
    "latency": {"latency": 0, "jitter": 0},
    "bandwidth": {"rate": 0},
    "timeout": {"timeout": 0},
    "packet_loss": {"percent": 0},
}
"""The toxics that a link can be, with the attributes of each. The last one is ours: packets are
lost, and a TCP sends them again, where nothing is missing of the stream."""

_MOST = 1e9

_OF_STREAMS = ("slow_close", "slicer", "limit_data", "reset_peer")


class ApiError(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, what: str) -> None:
        super().__init__(what)
        self.status = status
        self.what = what


@dataclass(slots=True)
class Toxic:
    """An impairment of one direction of a proxy."""

    name: str
    type: str
    stream: str
    attributes: dict[str, float] = field(default_factory=dict)

    @classmethod
    def read(cls, body: dict[str, Any]) -> Toxic:
        """Read one.

        Raises
        ------
        ApiError
            If no link can be that.
        """
        kind, stream = body.get("type"), body.get("stream") or "downstream"
        if kind in _OF_STREAMS:
            raise ApiError(
                400,
                f"invalid toxic type: {kind} works on the bytes of a stream, and a link carries "
                "packets; use latency, bandwidth, timeout or packet_loss",
            )
        if kind not in _ATTRIBUTES:
            raise ApiError(400, f"invalid toxic type: use one of {', '.join(_ATTRIBUTES)}")
        if stream not in _WAYS:
            raise ApiError(400, "stream was invalid, can be either upstream or downstream")
        toxic = cls(body.get("name") or f"{kind}_{stream}", kind, stream)
        toxic.update({"attributes": dict(_ATTRIBUTES[kind])})
        toxic.update(body)
        return toxic

    def update(self, body: dict[str, Any]) -> None:
        """Take new attributes; the others stay.

        Raises
        ------
        ApiError
            If an attribute is not one, or has no such value.
        """
        if body.get("toxicity", 1) != 1:
            raise ApiError(400, "toxicity: all connections pass the same link; use the toxicity 1")
        changed = {**self.attributes, **(body.get("attributes") or {})}
        for name, value in changed.items():
            if name not in _ATTRIBUTES[self.type]:
                known = ", ".join(_ATTRIBUTES[self.type])
                raise ApiError(400, f"{name} is not an attribute of {self.type}; use {known}")
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or not 0 <= value < _MOST:
                raise ApiError(400, f"{name}: {value!r} is not a number from 0 on")
        if changed.get("timeout"):
            raise ApiError(400, "timeout: a link closes no connection; use the timeout 0")
        if changed.get("percent", 0) > 100:  # noqa: PLR2004
            raise ApiError(400, "percent: use a number from 0 to 100")
        self.attributes = changed

    def json(self) -> dict[str, Any]:
        """Give it as clients read it."""
        return {
            "name": self.name,
            "type": self.type,
            "stream": self.stream,
            "toxicity": 1.0,
            "attributes": self.attributes,
        }


def link_settings(toxics: Iterable[Toxic]) -> dict[str, Any]:
    """Give the settings of a link with these toxics: delays add up, the lowest rate holds."""
    every = list(toxics)
    return {way: _direction([it for it in every if it.stream == s]) for s, way in _WAYS.items()}


def _direction(toxics: list[Toxic]) -> dict[str, Any] | None:
    settings: dict[str, Any] = {}
    passing = 1.0
    for toxic in toxics:
        if toxic.type == "timeout" or toxic.attributes.get("rate") == 0:
            passing = 0.0
        passing *= 1 - toxic.attributes.get("percent", 0) / 100
    if passing < 1:
        settings["loss"] = f"{100 * (1 - passing):.6f} %"
    latency = sum(toxic.attributes.get("latency", 0) for toxic in toxics)
    jitter = sum(toxic.attributes.get("jitter", 0) for toxic in toxics)
    if jitter:
        bounds = (max(0, latency - jitter), latency + jitter)
        settings["delay"] = {"uniform": {"from": f"{bounds[0]} ms", "to": f"{bounds[1]} ms"}}
        # The stream of Toxiproxy keeps its order.
        settings["reordering"] = False
    elif latency:
        settings["delay"] = f"{latency} ms"
    if rates := [it.attributes["rate"] for it in toxics if it.attributes.get("rate")]:
        settings["rate"] = f"{min(rates)} kB/s"
    return settings or None
