"""Catalogue of stacks, extended by those of extensions."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from lasthop.errors import UsageError
from lasthop.extensions.installed import extensions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lasthop.extensions.installed import Extension

_KINDS = {"applications": "application", "layers": "layer", "links": "link"}


def extended(catalogue: Mapping[str, Any]) -> dict[str, Any]:
    """Return lasthop's catalogue with the stacks of installed extensions.

    Raises
    ------
    UsageError
        Two of them, or one and lasthop, mean different things by one name.
    """
    whole = deepcopy(dict(catalogue))
    owners: dict[tuple[str, str], str] = {}
    for extension in extensions():
        for kind, noun in _KINDS.items():
            known = {entry["name"]: entry for entry in whole[kind]}
            for entry in extension.catalogue[kind]:
                name = entry["name"]
                if name not in known:
                    whole[kind].append(deepcopy(entry))
                    owners[kind, name] = f"the extension {extension.name}"
                else:
                    owner = owners.get((kind, name), "lasthop")
                    _join(known[name], entry, extension, noun=noun, owner=owner)
    return whole


def _join(
    known: dict[str, Any], entry: Mapping[str, Any], extension: Extension, *, noun: str, owner: str
) -> None:
    """Add the new layers below a known application. Everything else must be equal."""
    ports, added = known.get("ports", {}), entry.get("ports", {})
    differs = known["options"] != entry["options"] or any(
        ports.get(layers, port) != port for layers, port in added.items()
    )
    if owner != "lasthop" or differs:
        what = f"the extension {extension.name} adds the {noun} {known['name']}"
        raise UsageError(f"{what}, which {owner} has already; rename it in the extension")
    for key in ("over", "built"):
        if isinstance(entry.get(key), list):
            known[key] += [layers for layers in entry[key] if layers not in known[key]]
    ports.update(added)
