"""A one-line summary of a comparison."""

from lasthop.compare.comparison import Comparison
from lasthop.compare.effect import EffectVerdict

_REST = (EffectVerdict.WORSE, EffectVerdict.BETTER, EffectVerdict.UNDECIDED)


def summary(comparison: Comparison) -> str:
    """Summarise how many compared measures have changed."""
    same, total = comparison.count(EffectVerdict.SAME), comparison.total
    if same == total:
        return f"no change: {same} of {total} within the smallest effect"
    counts = [(comparison.count(verdict), verdict.value) for verdict in _REST]
    changed = ", ".join(f"{count} {word}" for count, word in counts if count)
    return f"{changed}, {same} of {total} within the smallest effect"
