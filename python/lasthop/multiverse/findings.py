"""Findings of a multiverse for each claim."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from lasthop.claims.judgement import ClaimVerdict, plain_ends, plain_number
from lasthop.multiverse.choices import Choice
from lasthop.statistics.intervals import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Statistics of a set of universes: size, share that reproduces, range of means.

    Parameters
    ----------
    low, median, high
        5 %, 50 % and 95 % quantiles of our means. Each universe has one mean.
    """

    universes: int
    holding: int
    low: float | None
    median: float | None
    high: float | None

    @property
    def share(self) -> float:
        """Return the share of universes in which the claim holds."""
        return self.holding / self.universes

    def as_json(self) -> dict[str, Any]:
        """Return the statistics as plain values for JSON."""
        ends = {name: plain_number(getattr(self, name)) for name in ("low", "median", "high")}
        counts = {"universes": self.universes, "holding": self.holding}
        return {**counts, "share": plain_number(self.share), **ends}


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The effect of one choice on a claim.

    Parameters
    ----------
    by_value
        Statistics of the universes for each value of the choice.
    """

    choice: Choice
    by_value: Mapping[str, Spread]

    @property
    def weight(self) -> float:
        """Return how much the choice changes the share of universes in which the claim holds."""
        shares = [spread.share for spread in self.by_value.values()]
        return max(shares) - min(shares)

    def as_json(self) -> dict[str, Any]:
        """Return the effect as plain values for JSON."""
        return {
            "choice": self.choice.name,
            "kind": self.choice.kind,
            "weight": plain_number(self.weight),
            "values": [
                {"value": value, **spread.as_json()} for value, spread in self.by_value.items()
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Universe:
    """A universe: its choices, our value, and the verdict.

    Parameters
    ----------
    changed
        The choice and value that differ from the first universe; None for the first one.
    """

    changed: tuple[str, str] | None
    ours: float | None
    interval: Interval | None
    verdict: ClaimVerdict

    def as_json(self) -> dict[str, Any]:
        """Return the universe as plain values for JSON."""
        choice, value = self.changed or (None, None)
        return {
            "choice": choice,
            "value": value,
            "ours": plain_number(self.ours),
            "interval": plain_ends(self.interval),
            "verdict": self.verdict.value,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimAcross:
    """Findings on one claim over all universes that can affect it.

    Parameters
    ----------
    low, high
        Range that counts as reproduced; infinite if it is open.
    verdicts
        How many universes have each verdict.
    overall
        Statistics of all universes.
    effects
        Effects of the choices that can change the claim, the largest first.
    first
        The universe with the first value of every choice.
    one_change
        Universes that differ from the first one in one choice.
    """

    id: str
    what: str
    published: str
    unit: str
    low: float
    high: float
    verdicts: Mapping[ClaimVerdict, int]
    overall: Spread
    effects: tuple[Effect, ...]
    first: Universe
    one_change: tuple[Universe, ...]

    @property
    def decided_by(self) -> Effect | None:
        """Return the choice with the largest effect; None if no choice changes the share."""
        return next((effect for effect in self.effects if effect.weight > 0), None)

    def as_json(self) -> dict[str, Any]:
        """Return the findings as plain values for JSON."""
        deciding = self.decided_by
        return {
            "id": self.id,
            "what": self.what,
            "published": self.published,
            "unit": self.unit,
            "range": [plain_number(self.low), plain_number(self.high)],
            "verdicts": {verdict.value: count for verdict, count in self.verdicts.items()},
            **self.overall.as_json(),
            "decided_by": None if deciding is None else deciding.choice.name,
            "choices": [effect.as_json() for effect in self.effects],
            "first": self.first.as_json(),
            "one_change": [universe.as_json() for universe in self.one_change],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Multiverse:
    """All findings of a multiverse.

    Parameters
    ----------
    of
        Name of the varied study.
    stack
        The stack that the alternatives stand for.
    choices
        All choices of the multiverse.
    claims
        Claims that at least one choice can change.
    not_judged
        Reasons why other claims are not judged, by claim id.
    """

    of: str
    stack: str
    choices: tuple[Choice, ...]
    claims: tuple[ClaimAcross, ...]
    not_judged: Mapping[str, str]

    def as_json(self) -> dict[str, Any]:
        """Return all findings as plain values for JSON."""
        return {
            "of": self.of,
            "stack": self.stack,
            "choices": [
                {**asdict(choice), "values": list(choice.values)} for choice in self.choices
            ],
            "claims": [claim.as_json() for claim in self.claims],
            "not_judged": [
                {"id": name, "reason": reason} for name, reason in self.not_judged.items()
            ],
        }
