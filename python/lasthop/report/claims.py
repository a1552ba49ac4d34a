"""Judgements of published claims."""

from collections.abc import Sequence

from markupsafe import Markup

from lasthop.answer.quantities import SPACE
from lasthop.claims.judgement import Finding, Judgement
from lasthop.claims.words import interval, ours, summary, verdict
from lasthop.report.figures.figure import sentence_case
from lasthop.report.markup import Row, bold, fold, pill, small, table
from lasthop.report.section import Section
from lasthop.report.templating import render

_HEAD = ("Claim", "Verdict", "Published", "Ours", "Interval", "Why")
_FINDINGS_HEAD = ("Stack", "Part", "Point", "Published", "Ours", "Interval", "Runs", "Outcome")
_MOST_FINDINGS = 200


def claims_section(judgements: Sequence[Judgement], *, changes: str = "") -> Section | None:
    """Write a table of the claims and below it every finding; nothing without any.

    What was changed in the published study stands first.
    """
    if not judgements:
        return None
    of = "Of a changed study, not of the published one."
    changed = f"{of} {sentence_case(changes)}. " if changes else ""
    reading = (
        f"{changed}The intervals are 95{SPACE}% intervals over repetitions; the verdicts are "
        "corrected for the number of claims (Holm)."
    )
    body = render(
        "claims.html",
        reading=reading,
        table=table(_HEAD, [_row(one) for one in judgements], numeric=(3, 4), wide=(0, 5)),
        findings=[found for one in judgements if (found := _findings(one))],
    )
    return Section("claims", "Claims", summary(judgements), body)


def _row(judgement: Judgement) -> Row:
    what = Markup("{} {}").format(bold(judgement.id), sentence_case(judgement.what))
    found = verdict(judgement)
    return [
        what + small(judgement.source) if judgement.source else what,
        pill(found, found.replace(" ", "-")),
        judgement.published,
        bold(ours(judgement)) + (small(f"{judgement.n} runs") if judgement.n > 1 else ""),
        interval(judgement),
        judgement.reason,
    ]


def _findings(judgement: Judgement) -> Markup | None:
    """Fold away every finding of a claim that has several."""
    found = judgement.findings
    if len(found) < 2:  # noqa: PLR2004  (one is in the table above)
        return None
    rows = [_finding_row(finding) for finding in found[:_MOST_FINDINGS]]
    body = table(_FINDINGS_HEAD, rows, numeric=(4, 5, 6))
    if more := len(found) - len(rows):
        body += Markup("<p>{} more are in claims.json.</p>").format(more)
    return fold(f"{judgement.id}: {len(found)} findings", body)


def _finding_row(finding: Finding) -> Row:
    return [
        finding.stack,
        finding.part,
        finding.point,
        finding.published,
        ours(finding),
        interval(finding),
        finding.n,
        _outcome(finding),
    ]


def _outcome(finding: Finding) -> str:
    if finding.trouble is not None:
        return finding.trouble
    outcome = "holds" if finding.meets else "does not hold" if finding.fails else "open"
    return outcome if finding.note is None else f"{outcome}; {finding.note}"
