"""Prints the results: the answer, the failures, the place of the report."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

from pathlib import Path
from typing import TYPE_CHECKING

from lasthop.answer.arms import stack_names
from lasthop.answer.expectation import ExpectationVerdict
from lasthop.answer.failures import FATE, undelivered
from lasthop.answer.meanings import meanings
from lasthop.claims.document import claims_document
from lasthop.cli.answer import show_answer
from lasthop.cli.claims import show_claims
from lasthop.cli.gate import plain_gate, say_gate
from lasthop.cli.invalid_values import plain_invalid, say_invalid
from lasthop.cli.multiverse import show_multiverse
from lasthop.cli.names import say_names
from lasthop.cli.output import complain, say, say_json
from lasthop.cli.rounds import plain_rounds, rounds_in_words
from lasthop.errors import (
    EXIT_ENVIRONMENT,
    EXIT_EXPECTATION_FAILED,
    EXIT_INVALID_RUN,
    EXIT_PASS,
)
from lasthop.outcome.results import Results
from lasthop.outcome.short_answer import short_answer
from lasthop.referee.ruling import DIFFERENT_CREDENTIALS
from lasthop.results.description import changes_in_words
from lasthop.results.verification import UNCHECKED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lasthop.answer.decision import Decision
    from lasthop.referee import Ruling
    from lasthop.results.manifest import Manifest
    from lasthop.running.until_decided import Rounds

_UNSERVED = (
    "no session came about in any run: who listens where --against says does not answer these "
    "stacks; name a server of theirs"
)


_REMEDIES = {
    "session_not_set_up": 'write a longer "measure: {set_up: 5 min}", or a path that loses less',
    "diverged": (
        "there were more than 400 packets for each message and each 256 B of it, and 300 for each "
        "device in 5 s; write longer times in the stack, or report this as a fault"
    ),
}
"""What to write where every run failed for a reason."""


def conclude(  # noqa: PLR0913  (each is a keyword)
    results: Results,
    *,
    answered: bool = True,
    already_complete: bool = False,
    rounds: "Rounds | None" = None,
    unserved: bool = False,
    strict: bool = False,
    report: Path | None,
    beside: "Sequence[Path]" = (),
    as_json: bool,
) -> int:
    """Print the conclusion of results and return the exit code.

    Parameters
    ----------
    results
        A result folder.
    answered
        Whether the runs answer the study's question: a shard alone does not.
    already_complete
        Whether nothing was left to run.
    rounds
        The rounds of `--until-decided`.
    unserved
        Whether servers that are somewhere else let nobody in: then the results are of nothing.
    strict
        Whether a requirement fails that the runs do not show to be met.
    report
        The report to write, if any.
    beside
        Results of other studies of the same paper, which the report shows too.
    as_json
        One JSON object instead of text.
    """
    manifest, checked = results.manifest, results.checked
    multiverse = results.multiverse
    answer = short_answer(results) if answered and multiverse is None else None
    judgements = results.judgements if answered else ()
    expectations = results.expectations
    failures = [found for found in expectations if found.verdict is not ExpectationVerdict.HELD]
    written = None if report is None else results.report(report, beside=beside)
    ruling = results.ruling
    believed = ruling.valid and not manifest.counts.get("invalid", 0)
    unmet = _unmet(results, strict=strict and answered)
    answers = not answered or _some_run_completed(manifest)
    failed = len(failures) + len(unmet)
    code = _exit_code(unserved=unserved, believed=believed, failures=failed, answers=answers)
    _complain(results, unserved=unserved, answers=answers)
    if as_json:
        say_json(
            {
                "study": manifest.study["name"],
                "changes": list(manifest.study.get("changes") or ()),
                "folder": str(results.path),
                "checked": checked,
                "names": list(meanings(manifest.study)),
                "selection": manifest.selection,
                "already_complete": already_complete,
                "planned_runs": manifest.planned_runs,
                "counts": dict(manifest.counts),
                "answer": None if answer is None else answer.as_json(),
                "claims": claims_document(judgements, manifest.study),
                "multiverse": multiverse,
                **({} if rounds is None else {"until_decided": plain_rounds(rounds)}),
                "referee": ruling.as_json(),
                **plain_invalid(results),
                **plain_gate(results, unmet),
                **({"requirements_failed": unmet} if strict else {}),
                "report": None if written is None else str(written),
                "exit_code": code,
            }
        )
        return code
    say_gate(results, unmet)
    changes = changes_in_words(manifest.study)
    if answer is not None:
        _say_changes(manifest.study["name"], changes)
        show_answer(answer)
        for sentence in undelivered(
            results.described(FATE),
            stack_names(manifest.study),
            results.decision,
            expectations,
            [results.path],
        ):
            say(f"missing  {sentence}")
    say_names(list(meanings(manifest.study)), rest="in the report, at Conditions")
    if judgements:
        show_claims(judgements, changes=changes)
    if multiverse is not None:
        show_multiverse(multiverse)
    if rounds is not None:
        say(f"rounds   {rounds_in_words(rounds)}")
    _say_ruling(ruling)
    say_invalid(results)
    _say_where(results, written, already_complete=already_complete)
    return code


def _unmet(results: Results, *, strict: bool) -> list[str]:
    """Say which requirements fail under `--strict`: those that are not shown to be met."""
    return list(_unlisted(results.decision)) if strict else []


def _unlisted(decision: "Decision") -> "Iterator[str]":
    rules = " and ".join(decision.requirements)
    for point in decision.points:
        where = f" at {point.point.label}" if point.point.label else ""
        if rules and not point.ranked:
            yield f"requirement failed: {rules}: no stack meets it{where}"
        for arm in point.ranked:
            for one in point.too_few(arm.stack):
                yield (
                    f"requirement failed: {one.requirement}: {one.met.value} for {arm.stack}"
                    f"{where} (is {one.figure})"
                )


def _say_ruling(ruling: "Ruling") -> None:
    for finding in ruling.findings:
        if finding.invalid or finding in ruling.runs:
            say(f"{'invalid' if finding.invalid else 'allowed'}  {finding}")
        elif finding.check == DIFFERENT_CREDENTIALS:
            say(f"note     {finding}")


def _say_changes(name: str, changes: str) -> None:
    if changes:
        say(f"{name}, {changes}")


def _say_where(results: Results, written: Path | None, *, already_complete: bool) -> None:
    manifest = results.manifest
    counted = [f"{number} {status}" for status, number in sorted(manifest.counts.items())]
    told = ", ".join(counted) or "none"
    nothing = "; all were finished before, nothing was run" if already_complete else ""
    missing = "" if manifest.state == "complete" else f" of {manifest.planned_runs}, incomplete"
    of = f" ({manifest.selection} of {manifest.planned_runs})" if manifest.selection else missing
    say(f"runs     {told}{of}{nothing}")
    for reason in _reasons(results):
        say(f"         {reason}")
    unchecked = "" if results.checked else f" ({UNCHECKED})"
    say(f"results  {results.path}{unchecked}")
    if written is not None:
        say(f"report   {written}")
        say(f"         {written.resolve().as_uri()}")
    elif (manifest.selection or "").startswith("shard"):
        say("         `lasthop report DIR DIR... --out DIR` merges shards and writes the report")


def _reasons(results: Results) -> list[str]:
    """Name once each why runs failed or are invalid; unsupported ones are in the answer."""
    import polars as pl

    troubled = results.compared.filter(pl.col("status").is_in(["failed", "invalid"]))
    kinds = troubled.unique("run_id").group_by("status", "reason").len().sort("status", "reason")
    return [f"{count} {status}: {reason}" for status, reason, count in kinds.iter_rows()]


def _complain(results: Results, *, unserved: bool, answers: bool) -> None:
    """Say in one line what makes the results those of nothing, if anything does."""
    if unserved:
        complain(_UNSERVED)
    elif not answers:
        complain(_all_failed(results))


def _some_run_completed(manifest: "Manifest") -> bool:
    """Tell whether there is a run to answer from; what nobody can run yet has failed nothing."""
    return not manifest.counts.get("failed") or bool(manifest.counts.get("completed"))


def _all_failed(results: Results) -> str:
    """Say in one line that nothing was measured, why, and what to write instead."""
    failed = results.compared.filter(status="failed").unique("run_id")
    reasons = failed["reason"].value_counts(sort=True)["reason"].to_list()
    remedies = [_REMEDIES[reason] for reason in reasons if reason in _REMEDIES]
    told = ", ".join(str(reason) for reason in reasons)
    remedy = remedies[0] if remedies else "change what the reason names"
    count = "the only run" if failed.height == 1 else f"all {failed.height} runs"
    return f"{count} failed ({told}), so nothing is answered; {remedy}"


def _exit_code(*, unserved: bool, believed: bool, failures: int, answers: bool) -> int:
    if unserved:
        return EXIT_ENVIRONMENT
    if not believed:
        return EXIT_INVALID_RUN
    if failures:
        return EXIT_EXPECTATION_FAILED
    return EXIT_PASS if answers else EXIT_INVALID_RUN
