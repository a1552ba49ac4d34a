"""Two result folders, arm by arm: effects, incomplete runs, and arms of only one folder."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from lasthop.answer.arms import AnswerArm, arms_of
from lasthop.answer.samples import Sample
from lasthop.compare.differences import differences
from lasthop.compare.effect import Effect, EffectVerdict, effect
from lasthop.compare.pairing import Arms, Key, Pair, pair_up, read_pairs
from lasthop.compare.place import places
from lasthop.compare.power import Detectable, Planned, detectable_changes, planned_repetitions
from lasthop.compare.watched import Watched, watched
from lasthop.errors import UsageError
from lasthop.outcome.results import Results
from lasthop.statistics.corrections import holm


@dataclass(frozen=True, slots=True)
class Change:
    """A measure of two arms."""

    pair: Pair
    measure: Watched
    effect: Effect


@dataclass(frozen=True, slots=True)
class CompletionChange:
    """Two arms of which another share of runs completes without an overload.

    Parameters
    ----------
    base, new : str
        How the runs ended, with the reasons.
    verdict : EffectVerdict
        Worse when a smaller share does.
    """

    pair: Pair
    base: str
    new: str
    verdict: EffectVerdict


@dataclass(frozen=True, slots=True)
class Comparison:
    """The changes between two result folders.

    Parameters
    ----------
    differences : tuple of str
        What the folders do not have in common: version, settings, seed.
    watched : tuple of Watched
        What was compared, and which change of it matters.
    changes : tuple of Change
        Every measure of every pair of arms, in the order of the new study.
    tested : int
        How many of the changes were tested, and corrected for it.
    completion : tuple of CompletionChange
        Arms of which another share of runs completes without an overload.
    only_in_base, only_in_new : tuple of (Place, str)
        Arms that one folder holds alone, where none are chosen.
    detectable : tuple of Detectable
        Which changes could be found, foreseen from the base.
    """

    differences: tuple[str, ...]
    watched: tuple[Watched, ...]
    changes: tuple[Change, ...]
    tested: int
    completion: tuple[CompletionChange, ...]
    only_in_base: tuple[Key, ...]
    only_in_new: tuple[Key, ...]
    detectable: tuple[Detectable, ...]

    @property
    def total(self) -> int:
        """The number of verdicts."""
        return len(self.changes) + len(self.completion)

    def count(self, verdict: EffectVerdict) -> int:
        """Return how many changes have a verdict."""
        judged = [change.effect.verdict for change in self.changes]
        return (judged + [change.verdict for change in self.completion]).count(verdict)


def compare(
    base: Results,
    new: Results,
    *,
    smallest_effect: float | None = None,
    stacks: Sequence[str] = (),
) -> Comparison:
    """Compare two result folders, or two stacks of one.

    What got worse or better by a test of its repetitions is corrected after Holm over all
    quantities that are tested, so that all of these verdicts are right together, with 95 %.

    Parameters
    ----------
    base, new
        The folders, the older one first.
    smallest_effect
        Of all measures: a fraction, of shares in points. Without it as `watched` says.
    stacks
        The pairs to compare, as `A=B`: stack A of the base and stack B of the new folder. Without
        any, stacks of the same name.

    Raises
    ------
    UsageError
        A folder holds no results, they have no arm in common, or lack a stack.
    """
    study = new.manifest.study
    of_base, of_new = _arms(base), _arms(new)
    paired = pair_up(of_base, of_new, read_pairs(stacks, of_base, of_new))
    if not paired:
        message = f"{base.path} and {new.path} have no stack at the same point in common"
        hint = (
            "compare two folders of one study, or choose stacks, for example "
            '--pair "coap=mqtt qos=1"'
        )
        raise UsageError(f"{message}; {hint}")
    shared = [name for name in new.runs.columns if _measured(name, base, new)]
    pairs = [(pair, of_base[pair.base], of_new[pair.new]) for pair in paired]
    compared = watched(study, shared, smallest_effect=smallest_effect)
    changes, tested = corrected(list(_changes(pairs, compared)))
    return Comparison(
        differences=tuple(differences(base, new)),
        watched=compared,
        changes=changes,
        tested=tested,
        completion=tuple(_completion(pairs)),
        only_in_base=() if stacks else _alone(of_base, {pair.base for pair in paired}),
        only_in_new=() if stacks else _alone(of_new, {pair.new for pair in paired}),
        detectable=detectable_changes({pair.base: of_base[pair.base] for pair in paired}, compared),
    )


def foresee(base: Results, *, smallest_effect: float | None = None) -> tuple[Detectable, ...]:
    """Foresee which changes a comparison with a folder would find.

    Raises
    ------
    UsageError
        The folder holds no results.
    """
    return detectable_changes(_arms(base), _watched_of(base, smallest_effect))


def plan_repetitions(
    pilot: Results,
    change: float,
    *,
    measures: Sequence[str] = (),
    smallest_effect: float | None = None,
) -> tuple[Planned, ...]:
    """Foresee how many repetitions a comparison needs to find a change.

    Parameters
    ----------
    pilot
        Results of a few repetitions.
    change
        A fraction; of shares in points.
    measures
        Names of those to plan for. Without any, the one that the study decides by; in a study that
        decides nothing, all that a comparison looks at.

    Raises
    ------
    UsageError
        The folder holds no results, or a measure is not compared.
    """
    compared = _watched_of(pilot, smallest_effect)
    known = {name: one for one in compared for name in (one.column.name, one.column.short_name)}
    if unknown := [name for name in measures if name not in known]:
        names = ", ".join(one.column.short_name for one in compared)
        raise UsageError(f'--measure: "{unknown[0]}" is not compared; write one of {names}')
    chosen = tuple(dict.fromkeys(known[name] for name in measures))
    if not chosen:
        asked = pilot.manifest.study.get("decide") or {}
        decides = "minimise" in asked or "maximise" in asked
        chosen = compared[:1] if decides else compared  # the aim comes first
    return planned_repetitions(_arms(pilot), chosen, change)


def _watched_of(results: Results, smallest_effect: float | None) -> tuple[Watched, ...]:
    shared = [name for name in results.runs.columns if _measured(name, results, results)]
    return watched(results.manifest.study, shared, smallest_effect=smallest_effect)


def _measured(name: str, base: Results, new: Results) -> bool:
    """Whether both folders have a column, and one of them something in it."""
    return name in base.runs.columns and not (
        base.runs[name].is_null().all() and new.runs[name].is_null().all()
    )


def _alone(arms: Arms, paired: AbstractSet[Key]) -> tuple[Key, ...]:
    return tuple(key for key in arms if key not in paired)


def _arms(results: Results) -> dict[Key, AnswerArm]:
    found = places(results.runs, results.manifest.study)
    return {(place, arm.stack): arm for place, rows in found.items() for arm in arms_of(rows, ())}


def _changes(
    pairs: Sequence[tuple[Pair, AnswerArm, AnswerArm]], compared: Sequence[Watched]
) -> Iterable[Change]:
    for pair, before, after in pairs:
        for measure in compared:
            base, new = (
                Sample.of(arm, measure.column, worst=measure.worst) for arm in (before, after)
            )
            if base.values and new.values:
                found = effect(
                    base,
                    new,
                    more_is_better=measure.more_is_better,
                    smallest_effect=measure.smallest_effect,
                )
                yield Change(pair, measure, found)


def corrected(changes: Sequence[Change]) -> tuple[tuple[Change, ...], int]:
    """Apply Holm's correction to the tested changes, and return them with the number of tests."""
    found = [change.effect.p_value for change in changes]
    corrected = iter(holm(tested := [p_value for p_value in found if p_value is not None]))
    return tuple(
        change
        if p_value is None
        else replace(change, effect=change.effect.corrected(next(corrected)))
        for change, p_value in zip(changes, found, strict=True)
    ), len(tested)


def _completion(pairs: Sequence[tuple[Pair, AnswerArm, AnswerArm]]) -> Iterable[CompletionChange]:
    for pair, before, after in pairs:
        shares = [_settled(arm) / max(_runs(arm), 1) for arm in (before, after)]
        if shares[0] != shares[1]:
            verdict = EffectVerdict.WORSE if shares[1] < shares[0] else EffectVerdict.BETTER
            yield CompletionChange(pair, _ended(before), _ended(after), verdict)


def _runs(arm: AnswerArm) -> int:
    return arm.completed.height + sum(trouble.runs for trouble in arm.troubles)


def _settled(arm: AnswerArm) -> int:
    """Count the runs that completed and carried what was offered."""
    return arm.completed.height - (arm.overload.runs if arm.overload else 0)


def _ended(arm: AnswerArm) -> str:
    overload = () if arm.overload is None else (arm.overload,)
    troubles = [
        f"{trouble.runs} {trouble.status} ({trouble.reason})"
        for trouble in (*overload, *arm.troubles)
    ]
    return ", ".join([f"{_settled(arm)} completed", *troubles])
