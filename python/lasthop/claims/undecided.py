"""Claims that the repetitions so far leave open."""

import math
from collections.abc import Sequence

from lasthop.answer.quantities import format_quantity
from lasthop.answer.undecided import Undecided
from lasthop.claims.judgement import ClaimVerdict, Judgement
from lasthop.statistics.intervals import Interval, IntervalKind
from lasthop.statistics.planning import FIRST_LOOK, runs_needed


def undecided_claims(judgements: Sequence[Judgement]) -> tuple[Undecided, ...]:
    """Return every open claim, with what would decide it."""
    return tuple(
        _open(judgement) for judgement in judgements if judgement.verdict is ClaimVerdict.UNDECIDED
    )


def _open(judgement: Judgement) -> Undecided:
    known = judgement.interval
    nothing = Interval(math.nan, math.nan, math.nan, IntervalKind.SINGLE, judgement.n)
    return Undecided(
        name=f"{judgement.id}: {judgement.what}",
        interval=nothing if known is None else known,
        unit=judgement.unit,
        words=_words(judgement, known),
        repetitions=None if known is None else _expected(judgement, known),
    )


def _words(judgement: Judgement, known: Interval | None) -> str:
    if known is None:
        return judgement.reason
    mean, low, high = (
        format_quantity(end, judgement.unit) for end in (known.mean, known.low, known.high)
    )
    return f"{mean} ({low} to {high})"


def _expected(judgement: Judgement, known: Interval) -> int | None:
    """Foresee when the interval leaves the nearest bound of what decides the claim.

    Holm's correction over the claims of the study asks for somewhat more.
    """
    if known.repetitions == 1:
        return FIRST_LOOK
    bounds = [
        bound
        for finding in judgement.findings
        if finding.ours == known
        for bound in (finding.low, finding.high)
        if math.isfinite(bound)
    ]
    if not bounds:
        return None
    return runs_needed(known, half_width=min(abs(known.mean - bound) for bound in bounds))
