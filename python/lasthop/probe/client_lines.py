"""What the client in C (`lasthop_probe.c`) prints, as results of a probe."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lasthop.errors import UsageError
from lasthop.probe.losses import losses_of
from lasthop.probe.tests import trip_of

if TYPE_CHECKING:
    from pathlib import Path

_FIRST = "lasthop-probe 1"
_FATES = {"a", "u", "d"}


def read_lines(file: Path) -> tuple[dict[str, Any], int]:
    """Read the results by the names of their tests, and the bytes that they took.

    Raises
    ------
    UsageError
        The file cannot be read, or a line of it is none of the client.
    """
    try:
        first, *lines = file.read_text("ascii").splitlines() or [""]
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise UsageError(f"--read {file}: {why}; write the output of lasthop_probe.c") from None
    if first != _FIRST:
        raise UsageError(f'{file}:1: it does not begin with "{_FIRST}"; run lasthop_probe.c again')
    found: dict[str, Any] = {}
    used = 0
    for number, line in enumerate(lines, start=2):
        try:
            used += _take(line.split(), found)
        except (ValueError, TypeError, IndexError):
            raise UsageError(
                f"{file}:{number}: this is no result; run lasthop_probe.c again"
            ) from None
    if not used:
        raise UsageError(f"{file}: it ends early, without its bytes; run lasthop_probe.c again")
    return found, used


def _take(words: list[str], found: dict[str, Any]) -> int:
    """Read a line into what was found, and give the bytes that it tells.

    Raises
    ------
    ValueError, TypeError, IndexError
        It is no result.
    """
    name, *rest = words
    match name:
        case "round_trip":
            found.setdefault("round_trip", []).extend(_trip(rest))
        case "loss":
            found["loss"] = _loss(*rest)
        case "nat":
            found["nat"] = _nat(*rest)
        case "bytes":
            return int(rest[0])
        case _:
            raise ValueError(name)
    return 0


def _trip(words: list[str]) -> list[dict[str, Any]]:
    size, *times = words
    trip = trip_of(int(size), [None if time == "-" else int(time) / 1000 for time in times])
    return [] if trip is None else [asdict(trip)]


def _loss(fates: str) -> dict[str, Any]:
    if not set(fates) <= _FATES:
        raise ValueError(fates)
    came = {number for number, fate in enumerate(fates) if fate == "a"}
    reached = came | {number for number, fate in enumerate(fates) if fate == "d"}
    return {"count_answered": True, **losses_of(len(fates), reached, came)}


def _nat(alive: str, dead: str, longest: str) -> dict[str, Any]:
    return {
        "alive_s": int(alive) / 1000,
        "dead_s": None if dead == "-" else int(dead) / 1000,
        "longest_s": int(longest) / 1000,
    }
