"""The adapters that are installed, found by their entry points."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from lasthop.adapters.adapter import Adapter
from lasthop.errors import EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Mapping

GROUP = "lasthop.adapters"
"""The group of entry points, each of which names a class of `Adapter`."""


@cache
def adapters() -> Mapping[str, Adapter]:
    """Give every adapter by its name.

    Raises
    ------
    EnvironmentFailure
        One cannot be loaded.
    """
    found: dict[str, Adapter] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            made = point.load()()
        except Exception as error:
            message = f"the adapter {point.name} ({point.value}) cannot be loaded: {error}"
            raise EnvironmentFailure(message) from error
        if not isinstance(made, Adapter) or made.name != point.name:
            message = f"the adapter {point.name} ({point.value}) is none of this name"
            raise EnvironmentFailure(message)
        found[point.name] = made
    return found


def adapter_of(name: str) -> Adapter | None:
    """Give the adapter of a name, if there is one."""
    return adapters().get(name)
