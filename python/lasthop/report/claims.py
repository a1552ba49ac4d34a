"""What became of the claims of papers, as HTML."""

from collections.abc import Sequence

from lasthop.claims.judgement import Finding, Judgement
from lasthop.claims.words import interval, ours, summary, verdict
from lasthop.report.figures.figure import sentence_case
from lasthop.report.markup import table, text
from lasthop.report.quantities import SPACE

_HEAD = ("Claim", "Verdict", "Published", "Ours", "Interval", "Why")
_FINDINGS_HEAD = ("Stack", "Part", "Point", "Published", "Ours", "Interval", "Runs", "Outcome")
_MOST_FINDINGS = 200


def claims_html(judgements: Sequence[Judgement], *, changes: str = "") -> str:
    """Write a table of the claims and below it every finding; nothing without any.

    What was changed in the published study stands first.
    """
    if not judgements:
        return ""
    rows = [_row(judgement) for judgement in judgements]
    details = "".join(map(_details, judgements))
    return (
        f'<section class="claims" id="claims"><h2>Claims</h2>'
        f"{_changed(changes)}<p>{text(sentence_case(summary(judgements)))}. "
        f"The intervals are 95{SPACE}% bootstrap "
        "intervals over repetitions; the verdicts are corrected for the number of claims (Holm)."
        f"</p>"
        f"{table(_HEAD, rows, numeric=(3, 4), wide=(0, 5))}{details}</section>"
    )


def _changed(changes: str) -> str:
    if not changes:
        return ""
    of = "Of a changed study, not of the published one."
    return f"<p><b>{of}</b> {text(sentence_case(changes))}.</p>"


def _row(judgement: Judgement) -> list[str]:
    source = f"<small>{text(judgement.source)}</small>" if judgement.source else ""
    runs = f"<small>{judgement.n} runs</small>" if judgement.n else ""
    return [
        f"<b>{text(judgement.id)}</b> {text(sentence_case(judgement.what))}{source}",
        f'<span class="tag {_class(judgement)}">{text(verdict(judgement))}</span>',
        text(judgement.published),
        f"<b>{text(ours(judgement))}</b>{runs}",
        text(interval(judgement)),
        text(judgement.reason),
    ]


def _details(judgement: Judgement) -> str:
    """Fold away every finding of a claim that has several."""
    found = judgement.findings
    if len(found) < 2:  # noqa: PLR2004  (one is in the table above)
        return ""
    rows = [_finding_row(finding) for finding in found[:_MOST_FINDINGS]]
    more = len(found) - len(rows)
    rest = f"<p>{more} more are in claims.json.</p>" if more else ""
    return (
        f"<details><summary>{text(judgement.id)}: {len(found)} findings</summary>"
        f"{table(_FINDINGS_HEAD, rows, numeric=(4, 5, 6))}{rest}</details>"
    )


def _finding_row(finding: Finding) -> list[str]:
    cells = (finding.stack, finding.part, finding.point, finding.published)
    return [
        *map(text, cells),
        text(ours(finding)),
        text(interval(finding)),
        str(finding.n),
        text(_outcome(finding)),
    ]


def _outcome(finding: Finding) -> str:
    if finding.trouble is not None:
        return finding.trouble
    outcome = "holds" if finding.meets else "does not hold" if finding.fails else "open"
    return outcome if finding.note is None else f"{outcome}; {finding.note}"


def _class(judgement: Judgement) -> str:
    return verdict(judgement).replace(" ", "-")
