"""junit.xml: the results of a study for a CI server."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree as ET

import polars as pl

from lasthop.answer.decision import Outcome, PointDecision
from lasthop.answer.expectation import Expectation, ExpectationVerdict, judge_expectations
from lasthop.answer.expectation_words import expectation_line
from lasthop.answer.requirement_words import in_words, missed_in_words
from lasthop.answer.verdict import best_at
from lasthop.errors import one_line
from lasthop.outcome.culprit_words import message_in_words, packets_in_words
from lasthop.outcome.results import Results
from lasthop.results.atomic import environment, replacement
from lasthop.results.judgements import CLAIMS, read_claims
from lasthop.results.stored import understanding

FILE = "junit.xml"

_SPACES = dict.fromkeys(map(ord, "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"), " ")

_Result = Literal["failure", "error", "skipped"]
_CLAIM_RESULTS: Mapping[str | None, _Result | None] = {
    None: "skipped",
    "predicted": None,
    "holds": None,
    "fitted": None,
    "derived": None,
    "not reproduced": "failure",
    "undecided": "skipped",
    "not covered": "skipped",
}


@dataclass(frozen=True, slots=True)
class _Case:
    """A JUnit test case, with the duration of its runs in seconds."""

    name: str
    result: _Result | None = None
    message: str = ""
    details: str = ""
    seconds: float = 0.0


def write_junit(results: Results) -> Path:
    """Write the test cases of a result folder beside its tables, and return the file.

    There are four suites. A run that failed or is invalid is a case of its own. An expectation
    fails when a run does not meet it; its failure has the seed of the worst run, the message that
    shows it and the packets of that. A requirement fails for each stack that it excludes, and is
    skipped for one of which the runs do not tell. A claim fails when it is not reproduced. Times
    are those of the runs on their own clock, so that equal results are equal bytes; a file that
    says the same already is left alone.
    """
    manifest = results.manifest
    suites = {
        "runs": _runs(results),
        # A shard answers nothing; the whole does.
        "expectations": _expectations(results),
        "requirements": _requirements(results) if manifest.selection is None else (),
        "claims": _claims(results.path),
    }
    cases = {name: tuple(found) for name, found in suites.items()}
    root = _document(manifest.study["name"], cases, seconds=_seconds(_durations(results)))
    ET.indent(root)
    path = results.path / FILE
    content = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    with environment(path):
        if not path.is_file() or path.read_bytes() != content:
            with replacement(path) as temporary:
                temporary.write_bytes(content)
    return path


def _runs(results: Results) -> Iterable[_Case]:
    seen: set[str] = set()
    durations = _durations(results)
    columns = ["run_id", "status", "reason", "part", "stack", "repetition", "seed"]
    troubles = results.compared.filter(pl.col("status").is_in(["failed", "invalid"]))
    for row in troubles.select(columns).iter_rows(named=True):
        if row["run_id"] in seen:
            continue
        seen.add(row["run_id"])
        name = (
            f"{row['stack']}, part {row['part']}, repetition {row['repetition']}, {row['run_id']}"
        )
        kind: _Result = "error" if row["status"] == "invalid" else "failure"
        told = f"{row['status']}: {row['reason']}"
        details = f"Seed of the run: {row['seed']}."
        yield _Case(name, kind, told, details, _seconds(durations.filter(run_id=row["run_id"])))
    if not seen:
        yield _Case("every run completed", seconds=_seconds(durations))


def _durations(results: Results) -> pl.DataFrame:
    """Return the duration of each run on its own clock. Older folders lack it."""
    runs = results.described(["simulated_s"]).unique("run_id", maintain_order=True)
    if "simulated_s" in runs.columns:
        return runs
    return runs.with_columns(simulated_s=pl.lit(None, dtype=pl.Float64))


def _seconds(runs: pl.DataFrame) -> float:
    return float(runs["simulated_s"].sum())


def _expectations(results: Results) -> Iterable[_Case]:
    completed = _durations(results).filter(status="completed")
    seconds = _seconds(completed)
    for found in results.expectations:
        if found.verdict is ExpectationVerdict.HELD:
            yield _Case(found.text, seconds=seconds)
        else:
            yield _Case(
                found.text, "failure", expectation_line(found), _details(results, found), seconds
            )


def _details(results: Results, found: Expectation) -> str:
    """Describe the message that made an expectation fail."""
    culprit = results.culprit(found)
    if culprit is None:
        return ""
    run = f"The run alone: --only {culprit.run_id}"
    return "\n".join((message_in_words(culprit), packets_in_words(culprit), run))


def _requirements(results: Results) -> Iterable[_Case]:
    decision = results.decision
    if not decision.requirements:
        return
    durations = _durations(results)
    for point in decision.points:
        where = f"{decision.part}, {point.point.label}" if point.point.label else decision.part
        if point.outcome is Outcome.NOTHING_QUALIFIES:
            yield _Case(f"{where}: a stack qualifies", "failure", best_at(decision, point).text)
        yield from _stacks(where, point, results, durations)


def _stacks(
    where: str, point: PointDecision, results: Results, durations: pl.DataFrame
) -> Iterable[_Case]:
    def seconds(stack: str) -> float:
        of_stack = point.point.rows.filter(stack=stack)["run_id"]
        return _seconds(durations.filter(pl.col("run_id").is_in(of_stack.implode())))

    for arm in point.ranked:
        reasons = "; ".join(
            f"{one.met.value}: {in_words(one.requirement)} (is {one.figure})"
            for one in point.too_few(arm.stack)
        )
        result: _Result | None = "skipped" if reasons else None
        yield _Case(f"{where}: {arm.stack}", result, reasons, seconds=seconds(arm.stack))
    for excluded in point.excluded:
        missed = (missed_in_words(why.requirement, why.figure) for why in excluded.because)
        reasons = "; ".join(missed)
        stack = excluded.arm.stack
        runs = point.point.rows.filter(stack=stack)
        because = [why.requirement for why in excluded.because]
        broken = judge_expectations(runs, because, lambda: results.groups)
        details = "\n".join(filter(None, (_details(results, found) for found in broken)))
        name = f"{where}: {stack}"
        yield _Case(name, "failure", f"excluded: {reasons}", details, seconds(stack))
    for aside in point.set_aside:
        reasons = "; ".join(f"{trouble.status}: {trouble.reason}" for trouble in aside.troubles)
        yield _Case(f"{where}: {aside.stack}", "skipped", reasons)


def _claims(folder: Path) -> Iterable[_Case]:
    with understanding(folder / CLAIMS, "is not a list of claims"):
        for claim in read_claims(folder):
            result = _CLAIM_RESULTS[claim["verdict"]]
            said = claim["verdict"] or "a note, without a verdict"
            reason = f"{said}: {claim['reason']}" if result else ""
            yield _Case(f"{claim['id']}: {claim['what']}", result, reason)


def _document(study: str, suites: Mapping[str, Sequence[_Case]], *, seconds: float) -> ET.Element:
    every = [case for cases in suites.values() for case in cases]
    time = {"time": _time(seconds)}
    counts = _counts(every, skipped=False)
    root = ET.Element("testsuites", {"name": one_line(study), **counts, **time})
    for name, cases in suites.items():
        if cases:
            suite = ET.SubElement(root, "testsuite", {"name": name, **_counts(cases), **time})
            for case in cases:
                _append(suite, case, classname=one_line(f"{study}.{name}"))
    return root


def _counts(cases: Sequence[_Case], *, skipped: bool = True) -> dict[str, str]:
    results = [case.result for case in cases]
    counts = {"tests": len(cases)}
    counts |= {f"{kind}s": results.count(kind) for kind in ("failure", "error")}
    if skipped:
        counts["skipped"] = results.count("skipped")
    return {name: str(count) for name, count in counts.items()}


def _time(seconds: float) -> str:
    return f"{seconds:.3f}"


def _append(suite: ET.Element, case: _Case, *, classname: str) -> None:
    attributes = {"name": _written(case.name), "classname": classname}
    attributes["time"] = _time(case.seconds)
    element = ET.SubElement(suite, "testcase", attributes)
    if case.result is not None:
        kind = {} if case.result == "skipped" else {"type": case.result}
        found = ET.SubElement(element, case.result, {"message": _written(case.message), **kind})
        if case.details:
            found.text = "\n".join(map(_written, case.details.splitlines()))


def _written(text: str) -> str:
    # What XML cannot hold is escaped; the narrow spaces before units need not be.
    return one_line(text.translate(_SPACES))
