"""Prints the meanings of names in the terminal."""

from collections.abc import Sequence

from lasthop.cli.output import say

_MOST = 20


def say_names(meanings: Sequence[str], *, rest: str) -> None:
    """Print the meaning of each name, of many only the first ones and where the rest is."""
    told = list(meanings)
    if len(told) > _MOST:
        told[_MOST:] = [f"and {len(told) - _MOST} more {rest}"]
    for place, meaning in enumerate(told):
        say(f"{'         ' if place else 'names    '}{meaning}")
