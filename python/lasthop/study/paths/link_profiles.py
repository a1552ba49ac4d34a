"""Profiles of access links with the sources of their figures (key ``profile`` of a path)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lasthop.study.text.faults import Fault, show, suggestion
from lasthop.study.text.source import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = Path(__file__).with_name("link_profiles.yaml")


@dataclass(frozen=True, slots=True)
class LinkProfile:
    """Profile of an access link.

    Parameters
    ----------
    path
        All settings in the notation of a study.
    confidence
        ``measured``, ``standard`` or ``typical``.
    weak
        Settings with a lower confidence.
    first_packet
        Cost of the first packet after a pause, which the link ignores; None if unknown.
    """

    name: str
    comment: str
    path: Mapping[str, Any]
    source: tuple[str, ...]
    confidence: str
    weak: tuple[str, ...]
    first_packet: str | None


@cache
def link_profiles() -> Mapping[str, LinkProfile]:
    """Return all link profiles by name."""
    content = parse(FILE.read_text(encoding="utf-8"), name=FILE.name).value["profiles"]
    return {
        name: LinkProfile(
            name=name,
            comment=entry["comment"],
            path=entry["path"],
            source=tuple(entry["source"]),
            confidence=entry["confidence"],
            weak=tuple(entry["weak"]),
            first_packet=entry.get("first_packet"),
        )
        for name, entry in content.items()
    }


def link_profile(name: object) -> LinkProfile:
    """Return the link profile of a name.

    Raises
    ------
    Fault
        If there is none.
    """
    known = link_profiles()
    if not isinstance(name, str) or name not in known:
        hint = suggestion(str(name), known, kind="profiles")
        raise Fault(f"there is no profile {show(name)}", hint=hint)
    return known[name]
