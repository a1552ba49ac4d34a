"""Chooses the native module that runs a stack."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lasthop.compiled import compiled_part
from lasthop.errors import UsageError
from lasthop.extensions.installed import extensions

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

_Part = tuple[str, ...]
"""A capability of a module: a stack by its layers, or a link by its name."""


class Natives:
    """The native modules of lasthop and of its extensions.

    What lasthop can run is run by its own module; an extension runs what only it knows.
    """

    def __init__(self) -> None:
        with compiled_part():
            from lasthop import _native  # noqa: PLC0415  (its absence is told in one line)
        self.own: ModuleType = _native
        self._extensions = extensions()
        self._known: list[tuple[ModuleType, frozenset[_Part]]] = []

    def __iter__(self) -> Any:  # noqa: ANN401  (modules know no types)
        """Yield the modules, lasthop's own first."""
        return iter((self.own, *(extension.native for extension in self._extensions)))

    def of(self, spec_json: str) -> ModuleType:
        """Return the module that supports all stacks and links of a run spec.

        Raises
        ------
        UsageError
            They are of several extensions.
        """
        if not self._extensions:
            return self.own
        asked = _asked(json.loads(spec_json))
        if not self._known:
            documents = [json.loads(self.own.stack_catalogue())]
            documents += [extension.catalogue for extension in self._extensions]
            self._known = [
                (native, _known(document)) for native, document in zip(self, documents, strict=True)
            ]
        for native, known in self._known:
            if asked <= known:
                return native
        parts = " and ".join(sorted("/".join(part) for part in asked))
        raise UsageError(
            f"one run cannot use {parts} together, because they are in "
            "different extensions; use each extension in its own study"
        )


def _asked(spec: Mapping[str, Any]) -> set[_Part]:
    """Return the stacks and links that a run needs."""
    hops = (hop for path in spec["paths"].values() for hop in path["hops"])
    links: set[_Part] = {(hop["registered"]["name"],) for hop in hops if "registered" in hop}
    return links | {_stack(stack) for stack in spec["stacks"].values()}


def _stack(stack: Mapping[str, Any]) -> _Part:
    layers = (layer["name"] for layer in stack["layers"])
    return (stack["application"]["name"], *(layer for layer in layers if layer != "ip"))


def _known(catalogue: Mapping[str, Any]) -> frozenset[_Part]:
    """Return the stacks and links that a module supports."""
    links: frozenset[_Part] = frozenset((entry["name"],) for entry in catalogue["links"])
    return links | frozenset(
        (entry["name"], *layers) for entry in catalogue["applications"] for layers in entry["built"]
    )
