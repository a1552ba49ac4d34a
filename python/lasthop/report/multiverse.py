"""What a multiverse says, as HTML."""

from lasthop.multiverse.words import (
    Document,
    by_value,
    change,
    decided_by,
    holds,
    ours_across,
    ours_in,
    share,
    summary,
)
from lasthop.report.figures.figure import sentence_case
from lasthop.report.markup import table, text

_HEAD = ("Claim", "Published", "Holds in", "Ours: median (5 % to 95 %)", "Decided by")
_CHOICES_HEAD = ("Choice", "Weight", "Holds in")
_CHANGES_HEAD = ("Changed", "Ours", "Interval", "Verdict")


def multiverse_html(document: Document) -> str:
    """Write which claims hold under how many readings, and what each reading does to them."""
    rows = [_row(claim) for claim in document["claims"]]
    details = "".join(map(_details, document["claims"]))
    return (
        f'<section class="multiverse" id="multiverse"><h2>Multiverse</h2>'
        f"<p>{text(summary(document))}. The weight of a choice is the largest difference between "
        "its values in the share of readings in which a claim holds. Choices that cannot move a "
        "claim are left out of its count; verdicts are not corrected for their number.</p>"
        f"{table(_HEAD, rows, numeric=(2, 3), wide=(0, 4))}{details}{_not_judged(document)}"
        "</section>"
    )


def _row(claim: Document) -> list[str]:
    return [
        f"<b>{text(claim['id'])}</b> {text(sentence_case(claim['what']))}",
        text(claim["published"]),
        text(holds(claim)),
        text(ours_across(claim)),
        text(decided_by(claim)),
    ]


def _details(claim: Document) -> str:
    choices = [
        [text(each["choice"]), text(share(each["weight"])), text(by_value(each["values"]))]
        for each in claim["choices"]
    ]
    changes = [
        [text(change(each)), *map(text, ours_in(claim, each)), text(each["verdict"])]
        for each in (claim["first"], *claim["one_change"])
    ]
    return (
        f"<h3>{text(claim['id'])}: what decides it</h3>"
        f"{table(_CHOICES_HEAD, choices, numeric=(1,), wide=(2,))}"
        f"<h3>{text(claim['id'])}: one change at a time</h3>"
        f"{table(_CHANGES_HEAD, changes, numeric=(1, 2))}"
    )


def _not_judged(document: Document) -> str:
    rows = [[text(each["id"]), text(each["reason"])] for each in document["not_judged"]]
    return "<h3>Not judged here</h3>" + table(("Claim", "Why"), rows) if rows else ""
