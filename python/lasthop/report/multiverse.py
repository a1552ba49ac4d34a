"""Findings of a multiverse: the share of readings in which each claim holds."""

from markupsafe import Markup

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
from lasthop.report.markup import Row, bold, table
from lasthop.report.section import Section
from lasthop.report.templating import render

_HEAD = ("Claim", "Published", "Holds in", "Ours: median (5 % to 95 %)", "Decided by")
_CHOICES_HEAD = ("Choice", "Weight", "Holds in")
_CHANGES_HEAD = ("Changed", "Ours", "Interval", "Verdict")


def multiverse_section(document: Document) -> Section:
    """Write which claims hold under how many readings, and what each reading does to them."""
    claims = document["claims"]
    not_judged = [[each["id"], each["reason"]] for each in document["not_judged"]]
    body = render(
        "multiverse.html",
        summary=summary(document),
        table=table(_HEAD, [_row(claim) for claim in claims], numeric=(2, 3), wide=(0, 4)),
        claims=[(claim["id"], _choices(claim), _changes(claim)) for claim in claims],
        not_judged=table(("Claim", "Why"), not_judged) if not_judged else None,
    )
    return Section("multiverse", "Multiverse", "", body, opened=True)


def _row(claim: Document) -> Row:
    return [
        Markup("{} {}").format(bold(claim["id"]), sentence_case(claim["what"])),
        claim["published"],
        holds(claim),
        ours_across(claim),
        decided_by(claim),
    ]


def _choices(claim: Document) -> Markup:
    rows = [
        [each["choice"], share(each["weight"]), by_value(each["values"])]
        for each in claim["choices"]
    ]
    return table(_CHOICES_HEAD, rows, numeric=(1,), wide=(2,))


def _changes(claim: Document) -> Markup:
    rows = [
        [change(each), *ours_in(claim, each), each["verdict"]]
        for each in (claim["first"], *claim["one_change"])
    ]
    return table(_CHANGES_HEAD, rows, numeric=(1, 2))
