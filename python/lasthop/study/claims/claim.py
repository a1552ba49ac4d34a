"""A published claim in a form that can be judged by runs."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lasthop.study.claims.measurand import Measurand
    from lasthop.study.expressions import Comparison, Expression

Kind = Literal["value", "ratio", "order", "threshold", "note"]
Extreme = Literal["lowest", "highest"]
Side = Literal["above", "below"]
Look = Literal["change", "peak", "mean"]
Basis = Literal["fitted", "derived"]


@dataclass(frozen=True, slots=True)
class Place:
    """The values of a swept key at which a rule applies.

    Parameters
    ----------
    key
        As in the study: ``path.loss``.
    columns
        The names it may have in a table.
    unit
        Of its values there.
    comparisons
        One of them holds; empty when an extreme is wanted.
    extreme
        The lowest or highest value that is left after all else was chosen.
    """

    key: str
    columns: tuple[str, ...]
    unit: str
    comparisons: tuple[Comparison, ...] = ()
    extreme: Extreme | None = None

    @property
    def label(self) -> str:
        """Return the display name of the key."""
        return self.key.replace(".", " ").replace("_", " ")


@dataclass(frozen=True, slots=True)
class Expected:
    """A published value: a constant or a multiple of a swept key.

    Parameters
    ----------
    factor
        The constant, in the unit of the results column; or what the key's value is multiplied by.
    key
        The swept key, None for a constant.
    columns
        The names that the key may have in a table.
    relative, absolute
        How far ours may be away: a share of the expected value, or an amount in its unit.
    """

    factor: float
    key: str | None
    columns: tuple[str, ...]
    relative: float | None
    absolute: float | None

    def range_around(self, row: Mapping[str, Any]) -> tuple[float, float] | None:
        """Return the accepted range at a point; None if the key is not a number there."""
        value = self.factor
        if self.key is not None:
            cells = (row.get(column) for column in self.columns)
            swept = next((cell for cell in cells if isinstance(cell, int | float)), None)
            if swept is None:
                return None
            value *= swept
        reach = self.absolute if self.absolute is not None else (self.relative or 0) * abs(value)
        return value - reach, value + reach


@dataclass(frozen=True, slots=True)
class Bound:
    """A one-sided condition on our value.

    Parameters
    ----------
    strict
        Whether the bound itself lies outside.
    relative
        Whether the value is a share (of the other cell, or of the sweep's first value).
    """

    side: Side
    value: float
    strict: bool
    relative: bool

    def holds(self, value: float) -> bool:
        """Return whether a value without spread meets the condition."""
        compare = {
            ("above", True): operator.gt,
            ("above", False): operator.ge,
            ("below", True): operator.lt,
            ("below", False): operator.le,
        }[self.side, self.strict]
        return bool(compare(value, self.value))


@dataclass(frozen=True, slots=True)
class Area:
    """Selection of points of a part.

    Parameters
    ----------
    part
        The part of the study.
    swept
        The keys that it sweeps.
    at
        Which of its points; all when empty.
    where
        What every run of a stack at a point must meet for the point to count.
    """

    part: str
    swept: tuple[str, ...]
    at: tuple[Place, ...]
    where: Expression | None


@dataclass(frozen=True, slots=True)
class OrderedArm:
    """A stack of an order, with its points.

    Parameters
    ----------
    name
        In words; it tells the part where that is not the rule's.
    """

    name: str
    stack: str
    area: Area


@dataclass(frozen=True, slots=True)
class Order:
    """A rule on the order of stacks by a value, lowest first."""

    arms: tuple[OrderedArm, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """The cell that a ratio is relative to.

    Parameters
    ----------
    stack
        None for the stack that is held against the rule.
    same_point
        Whether it lies at the point that is held against the rule.
    """

    stack: str | None
    area: Area
    same_point: bool
    measurand: Measurand


@dataclass(frozen=True, slots=True)
class Rule:
    """One statement about one or more stacks at some points of a part.

    Parameters
    ----------
    measurand
        What is measured.
    stacks
        Each is held against the requirement; those of an order when the requirement is one.
    area
        Where.
    over
        The swept key along which a rule looks.
    look
        At what: the change of the column along it, the key's value where the column peaks, or the
        mean of the column over it. None for a rule about points.
    relative_to
        The other cell, where the ratio to it is meant.
    any_point
        Whether one point suffices.
    text
        The requirement in words, as published.
    """

    measurand: Measurand
    stacks: tuple[str, ...]
    area: Area
    over: Place | None
    look: Look | None
    relative_to: Reference | None
    requirement: Expected | Bound | Order
    any_point: bool
    text: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of a paper.

    Parameters
    ----------
    what
        In our words.
    published
        The published figure or ordering, in words.
    source
        Where it was published.
    rules
        All must hold; empty for a note and for what is not covered.
    not_covered
        Why it cannot be judged, None if it can.
    basis, because
        Whether the model was fitted to the published figure or the figure follows from others,
        and how; None of a prediction.
    why
        Why a run has a verdict, by verdict.
    """

    id: str
    kind: Kind
    what: str
    published: str
    source: str | None
    rules: tuple[Rule, ...]
    not_covered: str | None
    basis: Basis | None = None
    because: str | None = None
    why: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of a study.

    Parameters
    ----------
    paper
        Where they were published.
    written
        The same as written, for the manifest.
    """

    paper: str | None
    claims: tuple[Claim, ...]
    written: Mapping[str, Any]

    def __iter__(self) -> Iterator[Claim]:
        """Yield the claims in the order of the file."""
        return iter(self.claims)

    def __len__(self) -> int:
        """Return the number of claims."""
        return len(self.claims)


NO_CLAIMS = Claims(None, (), {})
