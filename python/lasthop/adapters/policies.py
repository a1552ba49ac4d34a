"""DDS QoS policies of a stack, as arguments of real DDS software."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

_USUAL = {"reliability": "reliable", "durability": "volatile", "history_depth": 10}

DDS_SETTINGS = frozenset({*_USUAL, "type_information"})
"""The DDS options of a stack that real software supports."""


def dds_policies(name: str, options: Mapping[str, Any]) -> list[str]:
    """Return reliability, durability and history depth as command-line arguments.

    Raises
    ------
    UsageError
        Our participants describe their types, by which the two never match.
    """
    if options.get("type_information", False):
        message = f"{name}: it does not accept type information in discovery; write "
        raise UsageError(f'{message}"type_information=off" behind the stack')
    return [str(options.get(key, usual)) for key, usual in _USUAL.items()]
