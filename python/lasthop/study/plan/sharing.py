"""Equal parts of many run specs, kept once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable


class Sharing:
    """Gives for equal plain values the same object, part by part.

    The points of a long sweep differ in few places, so that each takes little more than those. What
    is shared may not be changed.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}

    def __call__(self, value: Any) -> Any:  # noqa: ANN401  (any plain value)
        """Return a known equal value, or the value itself."""
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
    """Tell equal values of different types apart; what holds others is known by being itself."""
    return (type(value), id(value) if isinstance(value, dict | list) else value)
