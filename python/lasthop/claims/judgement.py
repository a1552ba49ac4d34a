"""The judgement of a claim."""

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from lasthop.statistics.intervals import Interval
from lasthop.study.claims.claim import Claim

_SIGNIFICANT_DIGITS = 9


class ClaimVerdict(Enum):
    """The verdict on a claim."""

    PREDICTED = "predicted"
    HOLDS = "holds"
    FITTED = "fitted"
    DERIVED = "derived"
    NOT_REPRODUCED = "not reproduced"
    UNDECIDED = "undecided"
    NOT_COVERED = "not covered"

    @property
    def supports(self) -> bool:
        """Whether the rules of the claim hold, on whatever basis."""
        return self in {
            ClaimVerdict.PREDICTED,
            ClaimVerdict.HOLDS,
            ClaimVerdict.FITTED,
            ClaimVerdict.DERIVED,
        }

    @classmethod
    def supporting(cls, claim: Claim) -> "ClaimVerdict":
        """Give the verdict of a claim whose rules hold."""
        if claim.basis is not None:
            return cls(claim.basis)
        return cls.HOLDS if claim.kind == "order" else cls.PREDICTED


Statistic = Literal["level", "ratio", "change", "peak", "mean", "difference"]
"""The column itself, its ratio to another cell's, how it changes along a sweep, where on it the
column peaks, its mean over it, and the difference of one of these between two stacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A rule judged for one stack (or two, in an order) at one point.

    Parameters
    ----------
    stack, part, point
        What was measured where; two stacks of an order are joined by ``<``.
    measurand, statistic
        What of it is judged.
    published
        The requirement in words.
    low, high
        The range that the rule allows, in ``unit``; infinite where it is open.
    ours
        The mean over the repetitions and its interval; None where nothing could be judged.
    meets
        Whether the 95 % interval does what the rule asks of it.
    fails
        Whether it lies wholly on the other side.
    p_for, p_against
        The smallest alpha at which the interval supports or contradicts the rule. ``p_for`` is
        None where meeting a range is enough: that is no test.
    trouble
        Why nothing can be said, None if something can.
    note
        What to know before trusting it.
    exact
        Whether ours is one number: the same in every repetition, with ``n`` 1.
    """

    stack: str
    part: str
    point: str
    measurand: str
    statistic: Statistic
    unit: str
    published: str
    low: float = -math.inf
    high: float = math.inf
    ours: Interval | None = None
    n: int = 0
    meets: bool = False
    fails: bool = False
    p_for: float | None = 1.0
    p_against: float = 1.0
    trouble: str | None = None
    note: str | None = None
    exact: bool = False

    def as_json(self) -> dict[str, Any]:
        """Give it as plain values."""
        return {
            "stack": self.stack,
            "part": self.part,
            "point": self.point,
            "measurand": self.measurand,
            "statistic": self.statistic,
            "published": self.published,
            "range": [plain_number(self.low), plain_number(self.high)],
            "ours": plain_number(None if self.ours is None else self.ours.mean),
            "unit": self.unit,
            "interval": plain_ends(self.ours),
            "n": self.n,
            "meets": self.meets,
            "fails": self.fails,
            "trouble": self.trouble,
            "note": self.note,
            "exact": self.exact,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A claim with the evidence of the runs.

    Parameters
    ----------
    id, what, kind, source, published
        As in the claim.
    ours
        The mean of the finding that decides, in ``unit``.
    interval
        Its 95 % interval over the repetitions.
    n
        Over how many.
    verdict
        None for a note.
    reason
        What it rests on, in words.
    p_value
        After Holm's correction over the claims of the study and Bonferroni's over the looks; None
        where nothing was tested.
    findings
        Every rule at every point.
    exact
        Whether ours is one number, the same in every repetition.
    why
        Why it is so, as the file of claims explains this verdict; None where it does not.
    """

    id: str
    what: str
    kind: str
    source: str | None
    published: str
    ours: float | None
    unit: str
    interval: Interval | None
    n: int
    verdict: ClaimVerdict | None
    reason: str
    p_value: float | None
    findings: tuple[Finding, ...]
    exact: bool = False
    why: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Give it as plain values, rounded to digits that every machine agrees on."""
        return {
            "id": self.id,
            "what": self.what,
            "kind": self.kind,
            "source": self.source,
            "published": self.published,
            "ours": plain_number(self.ours),
            "unit": self.unit,
            "interval": plain_ends(self.interval),
            "n": self.n,
            "exact": self.exact,
            "verdict": None if self.verdict is None else self.verdict.value,
            "reason": self.reason,
            "why": self.why,
            "p_value": plain_number(self.p_value),
            "findings": [finding.as_json() for finding in self.findings],
        }


def plain_number(value: float | None) -> float | None:
    """Round a number for JSON. Non-finite values become None."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{_SIGNIFICANT_DIGITS}g}")


def plain_ends(interval: Interval | None) -> list[float | None] | None:
    """Give the ends of an interval for JSON."""
    return None if interval is None else [plain_number(interval.low), plain_number(interval.high)]
