"""Profiles of constrained devices with the sources of their figures (key ``profile``)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lasthop.study.text.faults import Fault, show, suggestion
from lasthop.study.text.source import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = Path(__file__).with_name("device_profiles.yaml")


@dataclass(frozen=True, slots=True)
class DeviceProfile:
    """Profile of a constrained device.

    Parameters
    ----------
    values
        All settings in the notation of a study.
    sources
        Source of each setting, or a note that it is assumed.
    """

    name: str
    comment: str
    values: Mapping[str, Any]
    sources: Mapping[str, str]


@cache
def device_profiles() -> Mapping[str, DeviceProfile]:
    """Return all device profiles by name."""
    content = parse(FILE.read_text(encoding="utf-8"), name=FILE.name).value["profiles"]
    return {
        name: DeviceProfile(
            name=name,
            comment=entry["comment"],
            values={key: one["value"] for key, one in entry["values"].items()},
            sources={key: one["source"] for key, one in entry["values"].items()},
        )
        for name, entry in content.items()
    }


def device_profile(name: object) -> DeviceProfile:
    """Return the device profile of a name.

    Raises
    ------
    Fault
        If there is none.
    """
    known = device_profiles()
    if not isinstance(name, str) or name not in known:
        hint = suggestion(str(name), known, kind="profiles")
        raise Fault(f"there is no profile {show(name)}", hint=hint, location=("profile",))
    return known[name]
