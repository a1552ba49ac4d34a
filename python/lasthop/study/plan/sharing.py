"""Shares equal parts of many run specs to save memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable


class Sharing:
    """Returns the same object for equal plain values, recursively.

    The points of a long sweep differ in few places, so that each takes little more than those. What
    is shared may not be changed.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}

    def __call__(self, value: Any) -> Any:  # noqa: ANN401  (any plain value)
        """Return an equal value that was seen before, or the value itself."""
        if isinstance(value, dict):
            value = {key: self(inner) for key, inner in value.items()}
            what: Hashable = (dict, *((key, _of(inner)) for key, inner in value.items()))
        elif isinstance(value, list):
            value = [self(inner) for inner in value]
            what = (list, *map(_of, value))
        else:
            return value
        return self._known.setdefault(what, value)


def _of(value: object) -> Hashable:
    """Return a key that distinguishes equal values of different types."""
    return (type(value), id(value) if isinstance(value, dict | list) else value)
