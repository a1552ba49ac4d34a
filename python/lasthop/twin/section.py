"""Report section on the differences between simulator and real software."""

from markupsafe import Markup

from lasthop.report.markup import fold, pill, table
from lasthop.report.section import Section
from lasthop.twin.claims import HEAD as CLAIMS_HEAD
from lasthop.twin.claims import ClaimsInBoth
from lasthop.twin.twin import Twin
from lasthop.twin.verdict import TwinVerdict
from lasthop.twin.words import DISTANCE_HEAD, HEAD, cells, counts, distances, gap_in_words

_BYTES_HEAD = ("direction", "layer", "cause", "virtual", "live", "live - virtual")
_KINDS = {TwinVerdict.INSIDE.value: "good", TwinVerdict.OUTSIDE.value: "bad"}


def twin_section(twin: Twin, claims: ClaimsInBoth) -> Section:
    """Return the section: differences of each stack, claims, then each metric with its bytes."""
    farthest = [
        [*line, pill(verdict, _KINDS.get(verdict, ""))] for *line, verdict in distances(twin)
    ]
    body = table(DISTANCE_HEAD, farthest, numeric=(0,))
    if claims:
        body += Markup("<p>Claims, {}</p>").format(claims.counts())
        body += table(CLAIMS_HEAD, [list(line) for line in claims.cells()], numeric=(3, 5))
    gaps = {(gap.place, gap.stack): gap for gap in twin.gaps}
    for place, stack in dict.fromkeys((row.place, row.stack) for row in twin.rows):
        rows = [
            [*values, pill(verdict, _KINDS.get(verdict, ""))]
            for *values, verdict in (
                cells(row) for row in twin.rows if (row.place, row.stack) == (place, stack)
            )
        ]
        gap = gaps[place, stack]
        parts = [
            [
                *(row.direction, row.layer, row.cause),
                *(f"{value:g} B" for value in (row.virtual_bytes, row.live_bytes)),
                f"{row.gap_bytes:+g} B",
            ]
            for row in gap.rows
        ]
        body += Markup("<h3>{} <small>{}</small></h3>").format(stack, place)
        body += table(HEAD, rows, numeric=(1, 2, 3, 4))
        body += fold(gap_in_words(gap.rows), table(_BYTES_HEAD, parts, numeric=(3, 4, 5)))
    return Section("twin", "Simulated and real", counts(twin), body, opened=True)
