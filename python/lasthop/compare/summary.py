"""A one-line summary of a comparison."""

from lasthop.compare.comparison import Comparison
from lasthop.compare.effect import Verdict

_REST = (Verdict.WORSE, Verdict.BETTER, Verdict.UNDECIDED)


def summary(comparison: Comparison) -> str:
    """Summarise how many compared measures have changed."""
    same, total = comparison.count(Verdict.SAME), comparison.total
    if same == total:
        return f"reproduced: {same} of {total} within the smallest effect"
    counts = [(comparison.count(verdict), verdict.value) for verdict in _REST]
    changed = ", ".join(f"{count} {word}" for count, word in counts if count)
    return f"{changed}, {same} of {total} within the smallest effect"
