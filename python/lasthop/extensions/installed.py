"""Loads installed extensions from entry points and checks their lasthop version."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.version import __version__

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from types import ModuleType

GROUP = "lasthop.stacks"
"""Entry-point group of extensions. Each entry names a native module."""


@dataclass(frozen=True, slots=True)
class Extension:
    """An installed extension: a native module with additional stacks.

    Parameters
    ----------
    name
        Name of its entry point.
    native
        The native module, with the same functions on runs and stacks as `lasthop._native`.
    catalogue
        Applications and layers of the module, including those of lasthop.
    """

    name: str
    native: ModuleType
    catalogue: dict[str, Any]


@cache
def extensions() -> tuple[Extension, ...]:
    """Return the installed extensions, sorted by name.

    Raises
    ------
    EnvironmentFailure
        One cannot be loaded.
    UsageError
        One was made with another version of lasthop.
    """
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return tuple(_loaded(point) for point in points)


def _loaded(point: EntryPoint) -> Extension:
    try:
        native = point.load()
        version, catalogue = native.version(), json.loads(native.stack_catalogue())
    except (ImportError, AttributeError) as error:
        again = f"build it again, or remove it: pip uninstall {point.name}"
        message = f"the extension {point.name} cannot be loaded ({error}); {again}"
        raise EnvironmentFailure(message) from error
    if version != __version__:
        made = (
            f"the extension {point.name} was built with lasthop {version}, and "
            f"this is lasthop {__version__}"
        )
        raise UsageError(f"{made}; build it with the crates of {__version__}")
    return Extension(point.name, native, catalogue)
