"""The policies of DDS that a stack names, for programs of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

_USUAL = {"reliability": "reliable", "durability": "volatile", "history_depth": 10}

DDS_SETTINGS = frozenset({*_USUAL, "type_information"})
"""The options of a stack that programs of others are given."""


def dds_policies(name: str, options: Mapping[str, Any]) -> list[str]:
    """Give reliability, durability and depth of the history, as words.

    Raises
    ------
    UsageError
        Our participants describe their types, by which the two never match.
    """
    if options.get("type_information", False):
        message = f"{name}: it does not accept type information in discovery; write "
        raise UsageError(f'{message}"type_information=off" behind the stack')
    return [str(options.get(key, usual)) for key, usual in _USUAL.items()]
