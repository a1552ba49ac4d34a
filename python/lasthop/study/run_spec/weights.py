"""Weights of simulated devices: the number of real devices that each represents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from lasthop.measures import FleetNeed
from lasthop.study.run_spec.reader import RELAYED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class WeightedStratum:
    """Devices of a group with the same weight.

    Parameters
    ----------
    group
        The name of the group.
    first, devices
        First device number within the group, and the number of devices.
    weight
        Number of real devices that each device represents.
    """

    group: str
    first: int
    devices: int
    weight: float


@dataclass(frozen=True, slots=True)
class FleetWeights:
    """The weights of a run whose simulated devices represent different numbers of real ones.

    Parameters
    ----------
    spec
        Run spec, with or without stacks and seed.
    strata
        Strata of all groups with flows.
    """

    spec: Mapping[str, Any]
    strata: tuple[WeightedStratum, ...]

    @classmethod
    def of(cls, spec: Mapping[str, Any]) -> Self | None:
        """Read the weights from a run spec; None if all devices have the same weight."""
        strata = tuple(
            stratum
            for group in spec.get("groups", ())
            if _has_rows(spec, group["name"])
            for stratum in _strata(group)
        )
        return None if _are_equal(stratum.weight for stratum in strata) else cls(spec, strata)

    def why_lacking(self, need: FleetNeed) -> str | None:
        """Explain which data a run lacks for a weighted measure; None if it has all."""
        match need:
            case FleetNeed.ENERGY if silent := self._silent_groups():
                return f"no flow belongs to {silent[0]}, so its energy is not told by itself"
            case FleetNeed.WIRE_BYTES:
                return self._why_no_bytes()
            case FleetNeed.MESSAGES if self.spec["measure"]["messages"] != "each":
                return "the study keeps no row for each message"
            case _:
                return None

    def weights_of_paths(self) -> Mapping[str, tuple[float, ...]]:
        """Return the weights of the devices on each path."""
        found: dict[str, list[float]] = {}
        for group in self.spec["groups"]:
            weights = found.setdefault(group["path"], [])
            weights.extend(stratum.weight for stratum in _strata(group))
        return {path: tuple(weights) for path, weights in found.items()}

    def _why_no_bytes(self) -> str | None:
        for server in self.spec["servers"]:
            if "forwards" in server:
                return f"{server['name']} forwards messages of devices of different weights"
        for path, weights in self.weights_of_paths().items():
            if not _are_equal(weights):
                return (
                    f'bytes are counted by path, and devices on "{path}" stand for different '
                    "numbers of real ones"
                )
        return None

    def _silent_groups(self) -> list[str]:
        """Return the groups with a radio but without own flows, which have no rows."""
        paths = self.spec["paths"]
        return [
            group["name"]
            for group in self.spec["groups"]
            if any("nbiot" in hop for hop in paths[group["path"]]["hops"])
            and not _has_rows(self.spec, group["name"])
        ]


def _has_rows(spec: Mapping[str, Any], group: str) -> bool:
    """Return whether a group has an own flow, and therefore rows in ``groups.parquet``."""
    return any(
        flow["from"] == group or (flow["to"] == group and flow["kind"] not in RELAYED)
        for flow in spec["flows"]
    )


def _strata(group: Mapping[str, Any]) -> Iterator[WeightedStratum]:
    if not group["strata"]:
        devices = int(group["population"].get("staying", {}).get("devices", 0))
        yield WeightedStratum(group["name"], 0, devices, float(group["weight"]))
        return
    first = 0
    for one in group["strata"]:
        yield WeightedStratum(group["name"], first, int(one["devices"]), float(one["weight"]))
        first += int(one["devices"])


def _are_equal(weights: Iterable[float]) -> bool:
    found = list(weights)
    return not found or all(abs(one - found[0]) <= _ROUNDING * found[0] for one in found)
