"""Verdicts on a paper's claims in both worlds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lasthop.claims.words import ours, summary, verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lasthop.claims import Judgement

HEAD = ("", "claim", "published", "virtual", "", "live", "")


@dataclass(frozen=True, slots=True)
class ClaimsInBoth:
    """Verdicts of the study's claims in each world, in the same order."""

    virtual: Sequence[Judgement] = ()
    live: Sequence[Judgement] = ()

    def __bool__(self) -> bool:
        """Return whether the study has claims."""
        return bool(self.live)

    def counts(self) -> str:
        """Return the number of claims with each verdict in each world."""
        return f"virtual: {summary(self.virtual)}; live: {summary(self.live)}"

    def cells(self) -> Iterator[tuple[str, ...]]:
        """Yield a table row for each claim, with the columns of `HEAD`."""
        for one, other in zip(self.virtual, self.live, strict=True):
            of_worlds = (word for it in (one, other) for word in (ours(it), verdict(it)))
            yield (one.id, one.what, one.published, *of_worlds)

    def as_json(self) -> list[dict[str, Any]]:
        """Return the claims as plain values, each with both judgements."""
        pairs: Iterable[tuple[Judgement, Judgement]] = zip(self.virtual, self.live, strict=True)
        return [
            {"id": one.id, "virtual": one.as_json(), "live": other.as_json()}
            for one, other in pairs
        ]
