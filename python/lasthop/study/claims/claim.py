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
        Key in the study, such as ``path.loss``.
    columns
        Possible column names of the key.
    unit
        Unit of its values in a table.
    comparisons
        Comparisons of which one must hold; empty if ``extreme`` is used.
    extreme
        Selects the lowest or the highest remaining value.
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
        The constant in the unit of the results column, or the factor of the key.
    key
        The swept key, None for a constant.
    columns
        Possible column names of the key.
    relative, absolute
        Tolerance as a share of the expected value, or as an amount.
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
        Whether the bound itself is excluded.
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
        Keys that the part sweeps.
    at
        Selected points; all if empty.
    where
        Conditions that every run of a stack at a point must meet for the point to count.
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
        Display name, with the part if it differs from the rule's.
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
        Stack of the reference; None for the judged stack.
    same_point
        Whether the reference is at the judged point.
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
        The judged quantity.
    stacks
        Stacks that must each meet the requirement; for an order, the ordered stacks.
    area
        Points to which the rule applies.
    over
        Swept key of the rule's axis.
    look
        Property along the axis: the change of the column, the key's value at the column's peak, or
        the mean of the column. None for a rule on points.
    relative_to
        Reference cell of a ratio; None otherwise.
    any_point
        Whether the requirement must hold at one point only.
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
        The claim in our words.
    published
        The published figure or ordering, in words.
    source
        Where it was published.
    rules
        Rules that must all hold; empty for a note and for a claim that is not covered.
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
        The paper with the claims.
    written
        The claims as written, for the manifest.
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
