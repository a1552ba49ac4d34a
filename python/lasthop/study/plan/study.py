"""A loaded study: its parts, its stacks and the runs that it asks for."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lasthop.study.claims.claim import NO_CLAIMS, Claims
from lasthop.study.expressions import Expression
from lasthop.study.nbiot.words import network_caution
from lasthop.study.run_spec import RunSpecReader, Spec, identity, run_spec, run_specs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lasthop.study.figures import PaperFigures
    from lasthop.study.forms.model import Measure
    from lasthop.study.plan.multiverse import MultiversePlan
    from lasthop.study.rules.credentials import Credentials
    from lasthop.study.stacks.arm import StudyArm

RUN_ID_DIGITS = 16
CASE_ID_DIGITS = 12

ParameterValue = float | int | str | None
Expectation = Expression


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A swept value with a name from the study.

    Parameters
    ----------
    value
        Value of the results column: a number, or the name in a text column.
    written
        The value as written in the study.
    """

    name: str
    value: ParameterValue
    written: str


@dataclass(frozen=True, slots=True)
class SweptParameter:
    """A swept key and its column in the results.

    Parameters
    ----------
    unit
        ``fraction``, ``ms``, ``bytes``, ``packets``, ``bit/s``, ``count``, ``number`` or ``text``.
    names
        Names of its values in a part, in the order of the study; empty without names.
    """

    key: str
    column: str
    unit: str
    names: tuple[NamedValue, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the study: one grid of swept keys."""

    name: str
    swept: tuple[SweptParameter, ...]
    points: int


@dataclass(frozen=True, slots=True)
class Stack:
    """An arm of the study.

    Parameters
    ----------
    name
        Name from the study, or else the notation.
    written
        The notation as written.
    resolved
        Notation with all layers and defaults.
    reason
        Why the stack cannot be run; None if it can.
    credentials
        Credentials that both ends present to each other.
    """

    name: str
    written: str
    resolved: str
    supported: bool
    reason: str | None
    credentials: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decide:
    """Requirements and measure that decide which stack is best.

    Parameters
    ----------
    minimise, maximise
        The column to rank by, named without unit; one of them is None.
    column
        Full name of the column in ``runs.parquet``.
    smallest_effect
        A smaller difference is too close to call: a fraction, of a share in points.
    part
        The part that decides.
    """

    require: tuple[Expression, ...]
    minimise: str | None
    maximise: str | None
    column: str
    smallest_effect: float
    part: str


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a part's grid, shared by all stacks.

    Parameters
    ----------
    conditions
        The run spec without stacks and seed.
    """

    part: str
    conditions: Spec
    parameters: Mapping[str, ParameterValue]


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A planned repetition of a case in a part.

    Parameters
    ----------
    run_id
        Hash of the run spec, seed and version; parts that share a point share it.
    repetition
        Counted from 1.
    parameters
        The value of every swept column of the study at this point.
    """

    study: str
    part: str
    case_id: str
    run_id: str
    stack: str
    stack_resolved: str
    engine: str
    repetition: int
    seed: int
    supported: bool
    reason: str | None
    spec_json: str
    parameters: Mapping[str, ParameterValue]


@dataclass(frozen=True, slots=True)
class Study:
    """A completely resolved study.

    Parameters
    ----------
    source_hash
        SHA-256 of the resolved content, as hex digits.
    conditions
        The base settings in words, for the report.
    changes
        Overrides of settings in the file, such as ``path.loss=5 %``.
    claims
        Published claims on the study.
    figures
        What a paper draws of it; None without a file of figures.
    multiverse
        Plan of the multiverse; None if the study is not one.
    quick
        Whether the runs are quick: fewer and shorter than the study asks for.
    measure
        Measurement settings of a run.
    credentials
        Credentials from files; None if they are generated from the seed.
    late_events
        Number of events that a quick run omits because it ends earlier.
    notes
        Notes on settings that are probably mistakes, with remedies.
    tariffs
        Descriptions of the tariffs' prices.
    """

    name: str
    title: str | None
    description: str | None
    source_hash: str
    seed: int
    repeat: int
    decide: Decide | None
    expect: tuple[Expectation, ...]
    parts: tuple[Part, ...]
    stacks: tuple[Stack, ...]
    conditions: Mapping[str, str]
    quick: bool
    measure: Measure
    points: tuple[Point, ...]
    arms: tuple[StudyArm, ...]
    changes: tuple[str, ...] = ()
    claims: Claims = NO_CLAIMS
    figures: PaperFigures | None = None
    multiverse: MultiversePlan | None = None
    late_events: int = 0
    credentials: Credentials | None = None
    notes: tuple[str, ...] = ()
    tariffs: tuple[Mapping[str, Any], ...] = ()

    @property
    def cautions(self) -> tuple[str, ...]:
        """Return cautions on effects that the path models or a quick run ignore."""
        readers = (RunSpecReader(point.conditions) for point in self.points)
        networks = (network for reader in readers for network in reader.networks)
        told = network_caution(networks)
        radio = () if told is None else (told,)
        events = "an event" if self.late_events == 1 else f"{self.late_events} events"
        late = (f"the quick look ends before {events} of the study",) if self.late_events else ()
        return (*radio, *late)

    def __len__(self) -> int:
        """Return the number of planned runs."""
        return len(self.points) * len(self.arms) * self.repeat

    def planned_runs(self) -> Iterator[PlannedRun]:
        """Yield every run, ordered by part, point, stack and repetition."""
        seeds = [repetition_seed(self.seed, number + 1) for number in range(self.repeat)]
        for point in self.points:
            for arm in self.arms:
                case = run_spec(point.conditions, arm, seed=0)
                case_id = identity(case, digits=CASE_ID_DIGITS)
                specs = run_specs(point.conditions, arm, seeds)
                for repetition, (seed, spec_json) in enumerate(
                    zip(seeds, specs, strict=True), start=1
                ):
                    yield PlannedRun(
                        study=self.name,
                        part=point.part,
                        case_id=case_id,
                        run_id=identity(spec_json, digits=RUN_ID_DIGITS),
                        stack=arm.name,
                        stack_resolved=arm.resolved,
                        engine=point.conditions["engine"],
                        repetition=repetition,
                        seed=seed,
                        supported=arm.supported,
                        reason=arm.reason,
                        spec_json=spec_json,
                        parameters=point.parameters,
                    )


def repetition_seed(study_seed: int, repetition: int) -> int:
    """Return the 63-bit seed of a repetition, equal for all stacks and points.

    Examples
    --------
    >>> repetition_seed(1, 1) == repetition_seed(1, 2)
    False
    """
    digest = hashlib.sha256(f"{study_seed}/{repetition}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
