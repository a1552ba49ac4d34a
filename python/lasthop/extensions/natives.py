"""Which native module runs which stacks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lasthop.compiled import compiled_part
from lasthop.errors import UsageError
from lasthop.extensions.installed import extensions

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

_Way = tuple[str, ...]


class Natives:
    """The native module of lasthop, and those of extensions.

    What lasthop can run is run by its own module; an extension runs what only it knows.
    """

    def __init__(self) -> None:
        with compiled_part():
            from lasthop import _native  # noqa: PLC0415  (its absence is told in one line)
        self.own: ModuleType = _native
        self._extensions = extensions()
        self._ways: list[tuple[ModuleType, frozenset[_Way]]] = []

    def __iter__(self) -> Any:  # noqa: ANN401  (modules know no types)
        """Give the modules, that of lasthop first."""
        return iter((self.own, *(extension.native for extension in self._extensions)))

    def of(self, spec_json: str) -> ModuleType:
        """Give the module that knows all stacks of a run spec.

        Raises
        ------
        UsageError
            Its stacks are of several extensions.
        """
        if not self._extensions:
            return self.own
        asked = {_way(stack) for stack in json.loads(spec_json)["stacks"].values()}
        if not self._ways:
            documents = [json.loads(self.own.stack_catalogue())]
            documents += [extension.catalogue for extension in self._extensions]
            self._ways = [
                (native, _ways(document)) for native, document in zip(self, documents, strict=True)
            ]
        for native, ways in self._ways:
            if asked <= ways:
                return native
        stacks = " and ".join(sorted("/".join(way) for way in asked))
        raise UsageError(
            f"no module runs {stacks} in one run; compare extensions in their own runs"
        )


def _way(stack: Mapping[str, Any]) -> _Way:
    layers = (layer["name"] for layer in stack["layers"])
    return (stack["application"]["name"], *(layer for layer in layers if layer != "ip"))


def _ways(catalogue: Mapping[str, Any]) -> frozenset[_Way]:
    return frozenset(
        (entry["name"], *layers) for entry in catalogue["applications"] for layers in entry["built"]
    )
