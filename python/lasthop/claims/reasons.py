"""Why a verdict is what it is, in words."""

import math
from collections.abc import Mapping, Sequence

from lasthop.claims.judgement import Finding, Verdict
from lasthop.report.quantities import DASH, format_quantity, format_range
from lasthop.study.claims.claim import Claim


def reason(  # noqa: PLR0913, PLR0917  (each is a part of the sentence)
    claim: Claim,
    verdict: Verdict | None,
    deciding: Finding | None,
    findings: Sequence[Finding],
    uncovered: Mapping[str, str],
    tested: int,
) -> str:
    """Say what the verdict rests on, and what it leaves out."""
    if verdict is None:
        return "a note, not judged"
    if deciding is None:
        return claim.not_covered or _left_out(uncovered)
    pieces = [_where(deciding, len(findings)), _said(verdict, deciding, tested)]
    told = ": ".join(filter(None, pieces))
    notes = [told, deciding.note or "", f"without {_left_out(uncovered)}" if uncovered else ""]
    return "; ".join(filter(None, notes))


def _said(verdict: Verdict, finding: Finding, tested: int) -> str:
    if finding.trouble is not None:
        return finding.trouble
    ours = "the interval" if finding.ours is None else format_range(finding.ours, finding.unit)
    wanted = _wanted(finding)
    if verdict is Verdict.NOT_REPRODUCED:
        return f"{ours} lies wholly outside {wanted}"
    if verdict is Verdict.REPRODUCED:
        return f"{ours} {'meets' if finding.p_for is None else 'lies within'} {wanted}"
    corrected = f"but not after the correction over {tested} claims"
    if finding.meets:
        return f"{ours} lies within {wanted}, {corrected}"
    if finding.fails:
        return f"{ours} lies wholly outside {wanted}, {corrected}"
    return f"{ours} lies on both sides of {wanted}"


def _wanted(finding: Finding) -> str:
    low, high = (format_quantity(end, finding.unit) for end in (finding.low, finding.high))
    if math.isinf(finding.high):
        return f"more than {low}"
    if math.isinf(finding.low):
        return f"less than {high}"
    return low if low == high else f"{low} {DASH} {high}"


def _where(finding: Finding, count: int) -> str:
    if count == 1:
        return ""
    return ", ".join(filter(None, (finding.stack, finding.part, finding.point)))


def _left_out(uncovered: Mapping[str, str]) -> str:
    told = [f"{stack} ({reason})" for stack, reason in uncovered.items()]
    return ", ".join(told)
