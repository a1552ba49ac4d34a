"""Finds the installed server and client adapters by their entry points."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, TypeVar

from lasthop.adapters.adapter import Adapter
from lasthop.adapters.client import Client
from lasthop.adapters.software import Software
from lasthop.errors import EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Mapping

SERVERS, CLIENTS = "lasthop.adapters", "lasthop.clients"
"""Entry-point groups of server adapters (`Adapter`) and client adapters (`Client`)."""

_S = TypeVar("_S", bound=Software)


@cache
def adapters() -> Mapping[str, Adapter]:
    """Return all server adapters by name.

    Raises
    ------
    EnvironmentFailure
        One cannot be loaded.
    """
    return _loaded(SERVERS, Adapter)  # type: ignore[type-abstract]  # to look for, not to make


@cache
def clients() -> Mapping[str, Client]:
    """Return all client adapters by name.

    Raises
    ------
    EnvironmentFailure
        One cannot be loaded.
    """
    return _loaded(CLIENTS, Client)  # type: ignore[type-abstract]  # likewise


def adapter_of(name: str) -> Adapter | None:
    """Return the server adapter of a name, or None."""
    return adapters().get(name)


def _loaded(group: str, kind: type[_S]) -> Mapping[str, _S]:
    found: dict[str, _S] = {}
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        try:
            made = point.load()()
        except Exception as error:
            message = (
                f"the adapter {point.name} ({point.value}) cannot be loaded: "
                f"{error}; install its package again, or remove it"
            )
            raise EnvironmentFailure(message) from error
        if not isinstance(made, kind) or made.name != point.name:
            message = (
                f"the package of the adapter {point.name} ({point.value}) has "
                "no adapter of this name; update the package"
            )
            raise EnvironmentFailure(message)
        found[point.name] = made
    return found
