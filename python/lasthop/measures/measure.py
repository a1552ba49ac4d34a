"""Definition of a measure: its name, unit, comparison and computation."""

import math
from dataclasses import dataclass
from enum import Enum
from typing import Literal


class Kind(Enum):
    """Kind of a column's values, which decides how two values are compared."""

    POSITIVE = "positive"
    """An amount above zero, for example a latency, bytes or joules. Compared by ratio."""
    SHARE = "share"
    """A share, for example of messages or of time. Compared in percentage points."""
    COUNT = "count"
    """A number of events, possibly 0. Compared by difference."""
    DECIBEL = "decibel"
    """A level in dB, of any sign. Compared by difference."""
    ORDINAL = "ordinal"
    """A number that identifies a run. Its mean has no meaning."""
    NAME = "name"
    """A word. Compared by equality."""
    RECORD = "record"
    """A text for people and programs. Expressions cannot use it."""


class Direction(Enum):
    """Whether smaller or larger values are better."""

    MORE = "more"
    LESS = "less"
    NEITHER = "neither"


class Origin(Enum):
    """Place where a value is computed."""

    PLAN = "the study"
    RUN = "the simulator"
    REFEREE = "the simulator, and the referee may overrule it"
    DERIVED = "other columns, when it is asked for"


class FleetRule(Enum):
    """Rule for aggregating values of devices, strata and groups into a fleet's value.

    It matters where simulated devices stand for different numbers of real ones.
    """

    RATIO = "ratio of weighted sums"
    """Numerator and denominator are added with the weights of their devices, then divided."""
    MEAN = "weighted mean"
    """A mean over messages, each with the weight of its device."""
    QUANTILE = "weighted quantile"
    """A percentile over messages or recoveries, each with the weight of its device."""
    HARMONIC_MEAN = "harmonic mean"
    """Weighted harmonic mean of battery lives, as the whole fleet consumes batteries."""
    LARGEST = "largest"
    """The largest of all simulated devices: weights do not change it."""
    SMALLEST = "smallest"
    """The smallest of all simulated devices: weights do not change it."""
    SUM = "sum over simulated devices"
    """Added without weights, so it describes the simulated devices and not the fleet."""
    NOT_AT_ALL = "not at all"
    """No rule: the value describes the simulated devices together."""

    @property
    def is_of_fleet(self) -> bool:
        """Return whether the value describes the fleet, for any weights."""
        return self not in {FleetRule.SUM, FleetRule.NOT_AT_ALL}


class FleetNeed(Enum):
    """The data that a run must have for each weight, so that a measure can be weighted."""

    NOTHING = "nothing"
    """No further data: the simulator itself weights the value."""
    ENERGY = "the energy of each stratum"
    WIRE_BYTES = "paths on which all devices have one weight"
    MESSAGES = "a row for each message"


@dataclass(frozen=True, slots=True)
class Ratio:
    """Names of the numerator and the denominator of a ratio."""

    numerator: str
    denominator: str


@dataclass(frozen=True, slots=True)
class Trials:
    """Columns that count the trials and the successes behind a share.

    Parameters
    ----------
    of
        The column that counts the trials.
    successes
        The column that counts successes; None if only the share is stored.
    effective
        The column for the effective number of independent trials, which an answer adds.
    """

    of: str
    successes: str | None = None
    effective: str = ""


@dataclass(frozen=True, slots=True)
class MadeOf:
    """Formula of a derived measure: a sum or a difference of columns."""

    columns: tuple[str, ...]
    complement: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A column of ``runs.parquet``, or a measure derived from columns.

    Parameters
    ----------
    name
        Column name with unit: ``latency_p50_ms``.
    kind
        Kind of values, which decides how two are compared.
    meaning
        One sentence for the reference.
    arrow_type
        Arrow type of the column.
    unit
        ``ms``, ``B``, ``fraction``, ``count``, ...; empty for words.
    per
        Reference amount of a value that is not a total: ``100 B``.
    called
        Display name. Default: the short name as words.
    heading
        Short display name for a narrow table column.
    direction
        Whether more or less of it is better.
    missing
        Meaning of an empty cell.
    is_waiting
        Whether it is a latency or made of latencies. A queue that never settles has none: what
        is measured depends on how long the run is.
    origin
        Place where the value is computed.
    trials
        Columns that count the trials of a share.
    made_of
        Columns that a derived measure is computed from.
    is_watched
        Whether `compare` includes it by default.
    fleet
        Rule for aggregating devices, strata and groups.
    fleet_needs
        Data that the rule needs for each weight.
    ratio
        Numerator and denominator of a ratio.
    """

    name: str
    kind: Kind
    meaning: str
    arrow_type: Literal["string", "int64", "float64"] = "float64"
    unit: str = ""
    per: str = ""
    called: str = ""
    heading: str = ""
    direction: Direction = Direction.NEITHER
    missing: str = "no value"
    is_waiting: bool = False
    origin: Origin = Origin.RUN
    trials: Trials | None = None
    made_of: MadeOf | None = None
    is_watched: bool = False
    fleet: FleetRule = FleetRule.NOT_AT_ALL
    fleet_needs: FleetNeed = FleetNeed.NOTHING
    ratio: Ratio | None = None

    @property
    def short_name(self) -> str:
        """Return the name without its unit, as in expressions."""
        return self.name.removesuffix(ENDINGS.get(self.unit, ""))

    @property
    def label(self) -> str:
        """Return the display name."""
        return self.called or self.short_name.replace("_", " ")

    @property
    def is_measured(self) -> bool:
        """Return whether the column is a number that describes the outcome of a run."""
        return self.kind in {Kind.POSITIVE, Kind.SHARE, Kind.COUNT, Kind.DECIBEL}

    @property
    def is_infinite_when_missing(self) -> bool:
        """Return whether an empty cell means a wait that never ended."""
        return self.is_waiting and self.unit == "ms"

    @property
    def usual_effect(self) -> float:
        """Return the default of the smallest effect: 5 %, for shares 1 percentage point."""
        return 0.01 if self.kind is Kind.SHARE else 0.05

    @property
    def possible(self) -> tuple[float, float]:
        """Return the smallest and the largest possible value."""
        if self.kind is Kind.SHARE:
            return 0.0, 1.0
        return (-math.inf if self.kind is Kind.DECIBEL else 0.0), math.inf


ENDINGS = {
    "bit/s": "_bit_s",
    "ms": "_ms",
    "s": "_s",
    "ns": "_ns",
    "us": "_us",
    "J": "_j",
    "dB": "_db",
}
"""Suffixes of column names for each unit. Longer suffixes come first."""
