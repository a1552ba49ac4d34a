"""Judgements of published claims, in the terminal."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from lasthop.claims.judgement import ClaimVerdict, Judgement
from lasthop.claims.words import interval, ours, summary, verdict
from lasthop.cli.output import say, show

_MOST_CLAIMS = 20
_STYLES = {
    ClaimVerdict.PREDICTED: "green",
    ClaimVerdict.HOLDS: "green",
    ClaimVerdict.FITTED: "cyan",
    ClaimVerdict.DERIVED: "cyan",
    ClaimVerdict.NOT_REPRODUCED: "red",
    ClaimVerdict.UNDECIDED: "yellow",
    ClaimVerdict.NOT_COVERED: "dim",
    None: "dim",
}


def show_claims(judgements: Sequence[Judgement], *, changes: str = "") -> None:
    """Count the verdicts, then write a line for each claim, up to a screenful."""
    changed = f" (of a changed study, not of the published one; {changes})" if changes else ""
    say(f"claims: {summary(judgements)}{changed}")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("", "claim"):
        table.add_column(name, no_wrap=not name)
    for name in ("published", "ours", "interval"):
        table.add_column(name, justify="right")
    table.add_column("verdict", no_wrap=True)
    for judgement in judgements[:_MOST_CLAIMS]:
        cells = (judgement.id, judgement.what, judgement.published)
        words = (*cells, ours(judgement), interval(judgement), verdict(judgement))
        table.add_row(*map(Text, words), style=_STYLES[judgement.verdict])
    show(table)
    if len(judgements) > _MOST_CLAIMS:
        say(f"and {len(judgements) - _MOST_CLAIMS} more claims in the report")
    say()
