"""One case for the referee: the repetitions of one arm at one point of a part."""

from dataclasses import dataclass, field
from functools import cached_property

from lasthop.referee.identity import ArmAtPoint
from lasthop.referee.overload import Load
from lasthop.referee.randomness import chance_acted
from lasthop.referee.repetitions import repeated_runs
from lasthop.referee.row import RunRow
from lasthop.study.run_spec import RunSpecReader, canonical_json


@dataclass
class Case:
    """The repetitions of one arm at one point of a part."""

    part: str
    stack: str
    run_spec: str
    runs: list[RunRow] = field(default_factory=list)

    @cached_property
    def spec(self) -> RunSpecReader:
        """Return the run spec of one repetition."""
        return RunSpecReader.of(self.run_spec)

    @property
    def conditions(self) -> str:
        """Return the shared settings of the arms at one point: all except stack and seed."""
        return canonical_json(self.spec.conditions)

    @cached_property
    def load(self) -> Load:
        """Return the share of offered load that was not carried."""
        return Load.of(self.completed)

    @cached_property
    def repeated(self) -> list[list[RunRow]]:
        """Return groups of repetitions with identical traces."""
        return repeated_runs(self.completed, self.spec)

    def arm(self) -> ArmAtPoint:
        """Return the traces of the case, for comparison with other arms."""
        traced = [run for run in self.runs if run.trace_hash is not None]
        return ArmAtPoint(
            traces=tuple(sorted((run.repetition, run.trace_hash or "") for run in traced)),
            chance_acted=bool(traced) and chance_acted(traced[0], self.spec),
        )

    @cached_property
    def completed(self) -> list[RunRow]:
        """Return the runs that completed before the referee's judgement."""
        return [run for run in self.runs if run.completed]
