"""The error of a build without sockets."""

from __future__ import annotations

from lasthop.compiled import compiled_part
from lasthop.errors import EnvironmentFailure


def has_sockets() -> bool:
    """Whether the compiled part was built with sockets.

    Raises
    ------
    EnvironmentFailure
        The compiled part is missing.
    """
    with compiled_part():
        from lasthop import _native  # noqa: PLC0415  (its absence is told in one line)
    return _native.HAS_SOCKETS


def require_sockets(what: str) -> None:
    """Refuse an operation that needs sockets in a build without them.

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
