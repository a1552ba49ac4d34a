"""The reasons of verdicts, in words."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lasthop.answer.quantities import format_quantity, format_range
from lasthop.claims.judgement import ClaimVerdict, Finding
from lasthop.statistics.intervals import Interval, IntervalKind
from lasthop.study.claims.claim import Claim


@dataclass(frozen=True, slots=True)
class Correction:
    """Over how many claims and looks at them p-values are corrected."""

    claims: int
    looks: int = 1

    def __str__(self) -> str:
        """Describe it in words."""
        return f"{self.claims} claims" + (f" and {self.looks} looks" if self.looks > 1 else "")


def reason(  # noqa: PLR0913, PLR0917  (each is a part of the sentence)
    claim: Claim,
    verdict: ClaimVerdict | None,
    deciding: Finding | None,
    findings: Sequence[Finding],
    uncovered: Mapping[str, str],
    correction: Correction,
) -> str:
    """Describe the evidence of the verdict, and what it leaves out."""
    if verdict is None:
        return "a note, not judged"
    if deciding is None:
        return claim.not_covered or _left_out(uncovered)
    pieces = [_where(deciding, len(findings)), _said(verdict, deciding, correction)]
    told = ": ".join(filter(None, pieces))
    basis = f"{claim.basis}: {claim.because}" if verdict.supports and claim.basis else ""
    notes = [
        told,
        basis,
        deciding.note or "",
        f"without {_left_out(uncovered)}" if uncovered else "",
    ]
    return "; ".join(filter(None, notes))


def _said(verdict: ClaimVerdict, finding: Finding, correction: Correction) -> str:
    if finding.trouble is not None or finding.ours is None:
        return finding.trouble or ""
    ours = format_range(finding.ours, finding.unit)
    if finding.exact:
        ours = f"{ours} in every repetition"
    uncorrected = f", which the correction over {correction} leaves open"
    if verdict is ClaimVerdict.UNDECIDED and not (finding.meets or finding.fails):
        if math.isfinite(finding.low) and math.isfinite(finding.high):
            return f"{ours} meets {_wanted(finding)} but is not narrower"
        return f"{ours} is on both sides of {_bound(finding)}"
    doubt = uncorrected if verdict is ClaimVerdict.UNDECIDED else ""
    told = "as claimed" if finding.meets else "but claimed is"
    return f"{ours}, {told} {_wanted(finding)}{doubt}"


def _wanted(finding: Finding) -> str:
    if math.isinf(finding.high):
        return f"more than {_bound(finding)}"
    if math.isinf(finding.low):
        return f"less than {_bound(finding)}"
    wanted = Interval(0.0, finding.low, finding.high, IntervalKind.RANGE, 0)
    return format_range(wanted, finding.unit)


def _bound(finding: Finding) -> str:
    bound = finding.low if math.isinf(finding.high) else finding.high
    return format_quantity(bound, finding.unit)


def _where(finding: Finding, count: int) -> str:
    if count == 1:
        return ""
    return ", ".join(filter(None, (finding.stack, finding.part, finding.point)))


def _left_out(uncovered: Mapping[str, str]) -> str:
    told = [f"{stack} ({reason})" for stack, reason in uncovered.items()]
    return ", ".join(told)
