"""Adds repetitions in rounds until the study is decided."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lasthop.adapters import Bindings
from lasthop.answer.undecided import Undecided, undecided_ranks, undecided_requirements
from lasthop.claims.undecided import undecided_claims
from lasthop.outcome.results import Results
from lasthop.results.manifest import Manifest
from lasthop.running.engine import Engine
from lasthop.running.executor import Executor
from lasthop.running.plan import Plan
from lasthop.running.progress import Progress
from lasthop.running.run import Outcome, carry_out
from lasthop.statistics.looks import planned_looks

DEFAULT_AT_MOST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Open questions after a round of repetitions."""

    repetitions: int
    undecided: tuple[Undecided, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """Result of all rounds of repetitions.

    Attributes
    ----------
    outcome
        Of the last campaign.
    rounds
        All rounds in order. The last one leaves nothing undecided or reaches the maximum.
    """

    outcome: Outcome
    rounds: tuple[Round, ...]


def carry_out_until_decided(  # noqa: PLR0913  (each is a keyword and most have a default)
    plan_of: Callable[[int], Plan],
    *,
    repeat: int,
    at_most: int,
    out: Path,
    jobs: int | None = None,
    progress: Progress | None = None,
    engine: Engine | None = None,
    executor: Executor | None = None,
    bindings: Bindings | None = None,
    round_ended: Callable[[Round], None] = lambda _: None,
) -> Rounds:
    """Add repetitions until every rank and claim of a study is decided.

    A folder that holds fewer or more repetitions of the same study is continued. It ends as if
    the study had asked for the repetitions of the last round.

    Each round looks once more, which would make more than 5 % of the answers wrong. So the rounds
    are fixed beforehand, each twice as large as the one before, and every look has its share of
    the error (`lasthop.statistics.looks`).

    Parameters
    ----------
    plan_of
        Returns the plan of the study for a number of repetitions.
    repeat
        The repetitions of the first round.
    at_most
        The maximum number of repetitions, even if questions stay open.
    out
        The result folder.
    jobs, progress, engine, executor, bindings
        As for a single campaign.
    round_ended
        Called after each round.
    """
    looks = planned_looks(repeat, at_most)
    plan = plan_of(repeat)
    earlier = held_plan(out, plan_of, repeat)
    if earlier is not None and earlier.study.repeat > repeat:
        plan, earlier = earlier, None
    rounds: list[Round] = []
    while True:
        outcome = carry_out(
            plan,
            out=out,
            jobs=jobs,
            progress=progress,
            engine=engine,
            executor=executor,
            bindings=bindings,
            extends=None if earlier is None else earlier.identity,
            looks=len(looks),
        )
        ended = Round(repetitions=plan.study.repeat, undecided=undecided(outcome.results))
        rounds.append(ended)
        round_ended(ended)
        larger = next((look for look in looks if look > ended.repetitions), None)
        if not ended.undecided or larger is None:
            return Rounds(outcome=outcome, rounds=tuple(rounds))
        earlier, plan = plan, plan_of(larger)


def undecided(results: Results) -> tuple[Undecided, ...]:
    """Return the undecided ranks, requirements and claims of a folder."""
    return (
        *undecided_ranks(results.decision),
        *undecided_requirements(results.decision),
        *undecided_claims(results.judgements),
    )


def held_plan(out: Path, plan_of: Callable[[int], Plan], repeat: int) -> Plan | None:
    """Return the plan of a folder's results, if it differs in repetitions only."""
    manifest = Manifest.read(out)
    held = None if manifest is None else manifest.study.get("repeat")
    if manifest is None or not isinstance(held, int) or held < 1 or held == repeat:
        return None
    plan = plan_of(held)
    return plan if plan.identity == manifest.plan_hash else None
