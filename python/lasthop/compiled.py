"""Access to lasthop's compiled part, with a clear error if it is missing."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from lasthop.errors import EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def compiled_part() -> Iterator[None]:
    """Replace import errors of the compiled part by a one-line error.

    Raises
    ------
    EnvironmentFailure
        The compiled part of lasthop is missing.
    """
    try:
        yield
    except ImportError as error:
        message = f"lasthop's compiled part cannot be loaded ({error}); install lasthop again"
        raise EnvironmentFailure(message) from error
