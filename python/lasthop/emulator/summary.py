"""Summary of a link: packets and bytes in each direction, drops with reasons, lateness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lasthop.study.fields.quantity import SIZE, format_quantity
from lasthop.study.paths.path import DEFAULT_ORDER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lasthop.emulator.settings import LinkSettings

_WAYS = {"up": "to the far end", "down": "to the near end"}


@dataclass(frozen=True, slots=True)
class Summary:
    """The report of the emulator, and its path."""

    told: dict[str, Any]
    settings: LinkSettings

    @property
    def faults(self) -> list[str]:
        """Why the run is invalid; empty for a valid one."""
        return list(self.told["invalid"])

    def as_json(self) -> dict[str, Any]:
        """Give it for programs."""
        return {"seed": self.settings.seed, "link": dict(self.settings.words), **self.told}

    def lines(self) -> Iterator[str]:
        """Give it for people."""
        words = "; ".join(f"{name} {value}" for name, value in self._telling())
        yield f"link: {words}; seed {self.settings.seed}; {self.told['seconds']:.1f} s"
        for way, to in _WAYS.items():
            yield f"  {to}: {_of_way(self.told[way])}"
        late = self.told["lateness"]
        median, most, longest = (_time(late[key]) for key in ("p50_ns", "p99_ns", "max_ns"))
        refused = self.told["real_time_refused"]
        why = "" if refused is None else f"; without real-time priority ({refused})"
        yield f"  late by {median} in the median, {most} at 99 %, {longest} at most{why}"

    def _telling(self) -> Iterator[tuple[str, str]]:
        """Give the settings but for the order that is usual."""
        for name, value in self.settings.words.items():
            if (name, value) != ("order", ", ".join(DEFAULT_ORDER)):
                yield name, value


def _of_way(way: dict[str, Any]) -> str:
    parts = [f"{_tally(way['offered'])} offered", f"{_tally(way['delivered'])} delivered"]
    parts += [f"{tally['packets']} dropped: {reason}" for reason, tally in way["dropped"].items()]
    for key in ("duplicated", "corrupted", "queued"):
        if way[key]["packets"]:
            under_way = " at the end" if key == "queued" else ""
            parts.append(f"{way[key]['packets']} {key}{under_way}")
    if way["refused_packets"]:
        parts.append(f"{way['refused_packets']} refused by the receiver")
    return ", ".join(parts)


def _tally(tally: dict[str, int]) -> str:
    packets = "packet" if tally["packets"] == 1 else "packets"
    return f"{tally['packets']} {packets} ({format_quantity(tally['bytes'], SIZE)})"


def _time(time_ns: int) -> str:
    return f"{time_ns / 1e6:.2f} ms"
