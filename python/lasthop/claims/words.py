"""Judgements in words, for a terminal, a notebook and a page."""

from collections.abc import Sequence

from lasthop.answer.quantities import NOTHING, format_quantity, format_range
from lasthop.claims.judgement import ClaimVerdict, Finding, Judgement


def summary(judgements: Sequence[Judgement]) -> str:
    """Count the verdicts.

    Examples
    --------
    >>> summary([])
    'no claim was judged'
    """
    verdicts = [judgement.verdict for judgement in judgements]
    counted = [(verdicts.count(verdict), verdict.value) for verdict in ClaimVerdict]
    return ", ".join(f"{count} {what}" for count, what in counted if count) or "no claim was judged"


def ours(judged: Judgement | Finding) -> str:
    """Write our value."""
    found = judged.interval if isinstance(judged, Judgement) else judged.ours
    return NOTHING if found is None else format_quantity(found.mean, judged.unit)


def interval(judged: Judgement | Finding) -> str:
    """Write our interval."""
    found = judged.interval if isinstance(judged, Judgement) else judged.ours
    if judged.exact:
        return "one number"
    return NOTHING if found is None else format_range(found, judged.unit)


def verdict(judgement: Judgement) -> str:
    """Write the verdict; empty for a note."""
    return "note" if judgement.verdict is None else judgement.verdict.value
