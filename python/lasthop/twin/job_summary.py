"""Markdown page of a twin for a CI server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.twin.claims import HEAD
from lasthop.twin.words import DISTANCE_HEAD, counts, distances

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lasthop.twin.claims import ClaimsInBoth
    from lasthop.twin.twin import Twin


def twin_summary(name: str, twin: Twin, claims: ClaimsInBoth) -> Iterator[str]:
    """Yield the lines of the page: the difference of each stack, and the claims."""
    yield f"## lasthop: {name}, simulated and real"
    yield ""
    yield counts(twin)
    yield ""
    yield from _table(DISTANCE_HEAD, distances(twin))
    if claims:
        yield f"Claims, {claims.counts()}"
        yield ""
        yield from _table(HEAD, claims.cells())


def _table(head: Iterable[str], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    head = tuple(head)
    yield _row(head)
    yield "|---" * len(head) + "|"
    for row in rows:
        yield _row(row)
    yield ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
