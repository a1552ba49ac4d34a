"""junit.xml: what a CI server shows of a study."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree as ET

import polars as pl

from lasthop.answer.decision import Decision, Outcome, PointDecision
from lasthop.answer.expectation import Verdict
from lasthop.answer.verdict import best_at
from lasthop.errors import one_line
from lasthop.outcome.results import Results
from lasthop.results.atomic import environment, replacement
from lasthop.results.judgements import CLAIMS, read_claims
from lasthop.results.stored import understanding

FILE = "junit.xml"

_SPACES = dict.fromkeys(map(ord, "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"), " ")

_Result = Literal["failure", "error", "skipped"]
_CLAIM_RESULTS: Mapping[str | None, _Result | None] = {
    None: "skipped",
    "reproduced": None,
    "not reproduced": "failure",
    "undecided": "skipped",
    "not covered": "skipped",
}


@dataclass(frozen=True, slots=True)
class _Case:
    name: str
    result: _Result | None = None
    message: str = ""


def write_junit(results: Results) -> Path:
    """Write the test cases of a result folder beside its tables; return the file.

    There are four suites. A run that failed or is invalid is a case of its own. An expectation
    fails when a run does not meet it. A requirement fails at a point where no stack meets all
    of them; a stack that they exclude is skipped, for that is an answer and no failure. So is one
    of which the runs do not tell. A claim
    fails when it is not reproduced. Every time is zero, so that equal results are equal bytes;
    a file that says the same already is left alone.
    """
    manifest = results.manifest
    suites = {
        "runs": _runs(results),
        # A shard answers nothing; the whole does.
        "expectations": _expectations(results),
        "requirements": _requirements(results.decision) if manifest.selection is None else (),
        "claims": _claims(results.path),
    }
    root = _document(manifest.study["name"], {name: tuple(suites[name]) for name in suites})
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
    troubled = False
    columns = ["run_id", "status", "reason", "part", "stack", "repetition"]
    troubles = results.compared.filter(pl.col("status").is_in(["failed", "invalid"]))
    for row in troubles.select(columns).iter_rows(named=True):
        if row["run_id"] in seen:
            continue
        seen.add(row["run_id"])
        troubled = True
        name = (
            f"{row['stack']}, part {row['part']}, repetition {row['repetition']}, {row['run_id']}"
        )
        kind: _Result = "error" if row["status"] == "invalid" else "failure"
        yield _Case(name, kind, f"{row['status']}: {row['reason']}")
    if not troubled:
        yield _Case("every run completed")


def _expectations(results: Results) -> Iterable[_Case]:
    for found in results.expectations:
        if found.verdict is Verdict.HELD:
            yield _Case(found.text)
        else:
            yield _Case(found.text, "failure", str(found))


def _requirements(decision: Decision) -> Iterable[_Case]:
    if not decision.requirements:
        return
    for point in decision.points:
        where = f"{decision.part}, {point.point.label}" if point.point.label else decision.part
        if point.outcome is Outcome.NOTHING_QUALIFIES:
            yield _Case(f"{where}: a stack qualifies", "failure", best_at(decision, point).text)
        yield from _stacks(where, point)


def _stacks(where: str, point: PointDecision) -> Iterable[_Case]:
    for arm in point.ranked:
        reasons = "; ".join(
            f"{one.met.value}: {one.requirement} (is {one.figure})"
            for one in point.too_few(arm.stack)
        )
        yield _Case(f"{where}: {arm.stack}", "skipped" if reasons else None, reasons)
    for excluded in point.excluded:
        reasons = "; ".join(f"{why.requirement} (is {why.figure})" for why in excluded.because)
        yield _Case(f"{where}: {excluded.arm.stack}", "skipped", f"excluded: {reasons}")
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


def _document(study: str, suites: Mapping[str, Sequence[_Case]]) -> ET.Element:
    every = [case for cases in suites.values() for case in cases]
    root = ET.Element("testsuites", {"name": one_line(study), **_counts(every, skipped=False)})
    for name, cases in suites.items():
        if cases:
            suite = ET.SubElement(root, "testsuite", {"name": name, **_counts(cases)})
            for case in cases:
                _append(suite, case, classname=one_line(f"{study}.{name}"))
    return root


def _counts(cases: Sequence[_Case], *, skipped: bool = True) -> dict[str, str]:
    results = [case.result for case in cases]
    counts = {"tests": len(cases)}
    counts |= {f"{kind}s": results.count(kind) for kind in ("failure", "error")}
    if skipped:
        counts["skipped"] = results.count("skipped")
    return {**{name: str(count) for name, count in counts.items()}, "time": "0"}


def _append(suite: ET.Element, case: _Case, *, classname: str) -> None:
    attributes = {"name": _written(case.name), "classname": classname, "time": "0"}
    element = ET.SubElement(suite, "testcase", attributes)
    if case.result is not None:
        kind = {} if case.result == "skipped" else {"type": case.result}
        ET.SubElement(element, case.result, {"message": _written(case.message), **kind})


def _written(text: str) -> str:
    # What XML cannot hold is escaped; the narrow spaces before units need not be.
    return one_line(text.translate(_SPACES))
