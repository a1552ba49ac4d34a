"""What names stand for, said on the terminal."""

from collections.abc import Sequence

from lasthop.cli.output import say

_MOST = 20


def say_names(meanings: Sequence[str], *, rest: str) -> None:
    """Say what each name stands for; of very many the first ones, and where the rest is told."""
    told = list(meanings)
    if len(told) > _MOST:
        told[_MOST:] = [f"and {len(told) - _MOST} more {rest}"]
    for place, meaning in enumerate(told):
        say(f"{'         ' if place else 'names    '}{meaning}")
