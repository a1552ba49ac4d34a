"""Checks whether this build of lasthop has sockets."""

from __future__ import annotations

from lasthop.compiled import compiled_part
from lasthop.errors import EnvironmentFailure


def has_sockets() -> bool:
    """Return whether the compiled part was built with sockets.

    Raises
    ------
    EnvironmentFailure
        The compiled part is missing.
    """
    with compiled_part():
        from lasthop import _native  # noqa: PLC0415  (its absence is told in one line)
    return _native.HAS_SOCKETS


def require_sockets(what: str) -> None:
    """Raise an error if this build of lasthop has no sockets.

    Raises
    ------
    EnvironmentFailure
        This build has none.
    """
    if not has_sockets():
        message = f"{what} needs sockets, and this build of lasthop has none"
        raise EnvironmentFailure(
            f"{message}; install a wheel of lasthop, or run make build in its source folder"
        )
