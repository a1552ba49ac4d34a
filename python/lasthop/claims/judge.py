"""The verdict on each claim of a study."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from lasthop.claims.cells import Cells
from lasthop.claims.findings import findings
from lasthop.claims.judgement import ClaimVerdict, Finding, Judgement
from lasthop.claims.reasons import Correction, reason
from lasthop.statistics.corrections import holm
from lasthop.statistics.intervals import CONFIDENCE
from lasthop.study.claims.claim import Claim


def judge(claims: Iterable[Claim], runs: pl.DataFrame, *, looks: int = 1) -> tuple[Judgement, ...]:
    """Judge claims against runs.

    A claim holds when all of its rules do at each of their stacks and points. A threshold or an
    order holds when the interval lies wholly on the stated side. A value holds when the interval
    meets the range around the published one and is narrower than it. A claim that holds is
    "predicted", an order "holds"; one with a model that was fitted to the published figure, or
    with a figure that follows from others, is "fitted" or "derived". A claim is "not reproduced"
    when the interval lies wholly on the other side or outside the range. Everything else is
    undecided, and so is what a single repetition says. Intervals are those of comparisons; a value
    that is the same in every repetition is one number without an interval.

    The p-value of a claim is the smallest alpha at which the 1 - alpha intervals would show
    that it holds (the largest p-value of its findings, for all must hold), or that it does not
    (the smallest one times their number, for one is enough). These p-values are corrected after
    Holm over all claims that were tested and after Bonferroni over the looks, and a verdict that
    rests on a test needs a corrected p-value of at most 5 %; what only the uncorrected interval
    shows is undecided. The correction takes verdicts away and never makes one.

    Parameters
    ----------
    claims
        As a study reads them: ``load_study(path).claims``.
    runs
        The rows of ``runs.parquet``: part, stack, seed, status, swept and measured columns.
    looks
        How often the claims are looked at while repetitions are added.
    """
    claims = tuple(claims)
    if not claims:
        return ()
    cells = Cells(runs)
    cases = [_Case.of(claim, cells) for claim in claims]
    p_values = [case.p_value for case in cases]
    tested = [p_value for p_value in p_values if p_value is not None]
    corrected = iter(min(1.0, looks * p_value) for p_value in holm(tested))
    correction = Correction(claims=len(tested), looks=looks)
    return tuple(
        case.judged(None if p_value is None else next(corrected), correction)
        for case, p_value in zip(cases, p_values, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Unit:
    """What must hold: a finding, or several of which one is enough."""

    findings: tuple[Finding, ...]
    any_point: bool

    @property
    def open(self) -> bool:
        """Whether the evidence is insufficient."""
        troubled = [finding.trouble is not None for finding in self.findings]
        return all(troubled) if self.any_point else any(troubled)

    @property
    def meets(self) -> bool:
        return (any if self.any_point else all)(finding.meets for finding in self.findings)

    @property
    def p_for(self) -> float | None:
        """The p-value of the tests that it passes; None if no test is needed."""
        found = [finding.p_for for finding in self.findings if finding.trouble is None]
        tested = [p for p in found if p is not None]
        if not tested:
            return None
        return min(1.0, len(tested) * min(tested)) if self.any_point else max(tested)

    @property
    def p_against(self) -> float:
        return max(finding.p_against for finding in self.findings)


@dataclass(frozen=True, slots=True)
class _Case:
    """A claim with its findings, before the correction."""

    claim: Claim
    units: tuple[_Unit, ...]
    uncovered: Mapping[str, str]

    @classmethod
    def of(cls, claim: Claim, cells: Cells) -> "_Case":
        units: list[_Unit] = []
        uncovered: dict[str, str] = {}
        for rule in claim.rules:
            found, absent = findings(rule, cells)
            uncovered |= absent
            if rule.any_point:
                stacks = dict.fromkeys(finding.stack for finding in found)
                units += [
                    _Unit(tuple(one for one in found if one.stack == stack), any_point=True)
                    for stack in stacks
                ]
            else:
                units += [_Unit((finding,), any_point=False) for finding in found]
        return cls(claim, tuple(units), uncovered)

    @property
    def p_for(self) -> float | None:
        """The p-value for the claim; None if no test applies."""
        if not self._all_meet:
            return 1.0
        tested = [unit.p_for for unit in self.units if unit.p_for is not None]
        return max(tested, default=None)

    @property
    def p_against(self) -> float:
        """The p-value against the claim."""
        return min(1.0, len(self.units) * min(unit.p_against for unit in self.units))

    @property
    def p_value(self) -> float | None:
        """The p-value of the decisive test of the claim; None if there is none."""
        if not self.units or all(unit.open for unit in self.units):
            return None
        return min(self.p_against, 1.0 if self.p_for is None else self.p_for)

    @property
    def _all_meet(self) -> bool:
        return bool(self.units) and all(unit.meets for unit in self.units)

    def judged(self, corrected: float | None, correction: Correction) -> Judgement:
        """Give the verdict, with the p-value that the correction left."""
        verdict = self._verdict(corrected)
        deciding = self._deciding(verdict)
        return Judgement(
            id=self.claim.id,
            what=self.claim.what,
            kind=self.claim.kind,
            source=self.claim.source,
            published=self.claim.published,
            ours=None if deciding is None or deciding.ours is None else deciding.ours.mean,
            unit="" if deciding is None else deciding.unit,
            interval=None if deciding is None else deciding.ours,
            n=0 if deciding is None else deciding.n,
            exact=deciding is not None and deciding.exact,
            verdict=verdict,
            reason=reason(
                self.claim, verdict, deciding, self._findings, self.uncovered, correction
            ),
            p_value=corrected,
            findings=self._findings,
            why=None if verdict is None else self.claim.why.get(verdict.value),
        )

    @property
    def _findings(self) -> tuple[Finding, ...]:
        return tuple(finding for unit in self.units for finding in unit.findings)

    def _verdict(self, corrected: float | None) -> ClaimVerdict | None:
        if self.claim.kind == "note":
            return None
        if not self.units:
            return ClaimVerdict.NOT_COVERED
        if corrected is None:
            return ClaimVerdict.UNDECIDED
        significant = corrected <= 1 - CONFIDENCE
        if significant and self.p_against <= (1.0 if self.p_for is None else self.p_for):
            return ClaimVerdict.NOT_REPRODUCED
        if self._all_meet and (self.p_for is None or significant):
            return ClaimVerdict.supporting(self.claim)
        return ClaimVerdict.UNDECIDED

    def _deciding(self, verdict: ClaimVerdict | None) -> Finding | None:
        """Choose the finding that the verdict hangs on."""
        found = self._findings
        if not found:
            return None
        if verdict is ClaimVerdict.NOT_REPRODUCED:
            return min(found, key=lambda finding: finding.p_against)
        return max(found, key=_doubt)


def _doubt(finding: Finding) -> tuple[bool, bool, float]:
    """Order findings by how far they are from holding."""
    if finding.trouble is not None:
        return True, True, 1.0
    if finding.p_for is not None:
        return False, not finding.meets, finding.p_for
    return False, not finding.meets, _distance(finding)


def _distance(finding: Finding) -> float:
    """Give how far ours is from the middle of the range, as a share of half the range.

    Where the range is one value, all but that value lies outside; the farthest counts most.
    """
    if finding.ours is None:
        return 1.0
    gap = abs(finding.ours.mean - (finding.low + finding.high) / 2)
    reach = (finding.high - finding.low) / 2
    if reach:
        return gap / reach
    return 1.0 + gap if gap else 0.0
