"""Tariffs and clouds that ship with lasthop, with source, date and expiry."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lasthop.study.text.faults import Fault, show, suggestion
from lasthop.study.text.source import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = Path(__file__).with_name("tariffs.yaml")

Kind = Literal["tariffs", "clouds"]


@dataclass(frozen=True, slots=True)
class TariffPreset:
    """A shipped tariff of an operator or a cloud.

    Parameters
    ----------
    values
        All settings in the notation of a study.
    date
        Date of the source, or of its collection.
    expires
        Last day on which the prices are trusted.
    """

    name: str
    comment: str
    values: Mapping[str, Any]
    source: str
    date: str
    expires: str


@cache
def tariff_presets(kind: Kind = "tariffs") -> Mapping[str, TariffPreset]:
    """Return all shipped tariffs or clouds by name."""
    content = parse(FILE.read_text(encoding="utf-8"), name=FILE.name).value[kind]
    return {name: TariffPreset(name=name, **entry) for name, entry in content.items()}


def filled_in(data: object, *, kind: Kind) -> object:
    """Fill in the missing keys of a tariff from the preset in `like`.

    Raises
    ------
    Fault
        If there is no preset of the name.
    """
    written = {"like": data} if isinstance(data, str) else data
    if not isinstance(written, dict) or "like" not in written:
        return written
    known, name = tariff_presets(kind), written["like"]
    if not isinstance(name, str) or name not in known:
        noun = "tariff" if kind == "tariffs" else "cloud"
        hint = suggestion(str(name), known, kind=kind)
        raise Fault(f"there is no {noun} {show(name)}", hint=hint, location=("like",))
    preset = known[name]
    told: dict[str, Any] = {}
    if kind == "tariffs":
        # Whoever writes prices of his own knows until when they hold.
        has_own = written.keys() & {"fee", "price", "prepaid"}
        if not has_own:
            told = {"source": f"{preset.source} ({preset.date})", "expires": preset.expires}
    return {**preset.values, **told, **written}
