"""junit.xml has the shape that CI servers read, and says what failed."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from lasthop.outcome.junit import write_junit
from lasthop.outcome.results import Results
from lasthop.results.manifest import Manifest
from lasthop.results.stored import DamagedResultsError
from lasthop.study.plan.study import RUN_ID_DIGITS
from lasthop.study.run_spec import identity

# The elements and attributes of the schema that Jenkins, GitLab and GitHub actions follow
# (junit-10.xsd of the xUnit plugin), with what must be there.
ALLOWED: Mapping[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": ({"name"}, {"time", "tests", "failures", "errors", "disabled"}, {"testsuite"}),
    "testsuite": (
        {"name"},
        {"tests", "failures", "errors", "skipped", "time", "id", "package", "hostname"},
        {"testcase", "properties", "system-out", "system-err"},
    ),
    "testcase": (
        {"name", "classname"},
        {"time", "status", "assertions"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": (set(), {"message", "type"}, set()),
    "error": (set(), {"message", "type"}, set()),
    "skipped": (set(), {"message"}, set()),
}

STUDY: Mapping[str, Any] = {
    "name": "made-up",
    "decide": {
        "require": ["delivery_ratio >= 95 %"],
        "minimise": "latency_p50",
        "maximise": None,
        "smallest_effect": 0.05,
        "part": None,
    },
    "parts": [{"name": "base", "points": 1, "swept": []}],
    "stacks": [{"name": name, "resolved": name} for name in ("good", "lossy", "absent")],
    "seed": 1,
    "repeat": 2,
    "expect": [],
}

Row = Mapping[str, object]


def run_id(stack: str, repetition: int) -> str:
    return identity(f"{stack}-{repetition}", digits=RUN_ID_DIGITS)


def row(stack: str, repetition: int, **measured: object) -> dict[str, object]:
    """Give a row of `runs.parquet`, completed unless told otherwise."""
    return {
        "part": "base",
        "stack": stack,
        "run_id": run_id(stack, repetition),
        "run_spec": f"{stack}-{repetition}",
        "repetition": repetition,
        "seed": repetition,
        "status": "completed",
        "reason": None,
        "delivery_ratio": 1.0,
        "latency_p50_ms": 100.0 + repetition,
        **measured,
    }


def completed() -> list[dict[str, object]]:
    """Give a stack that qualifies, one that does not and one that is not built."""
    unsupported = {"status": "unsupported", "reason": "absent is not built yet"}
    return [
        *(row("good", repetition) for repetition in (1, 2)),
        *(row("lossy", repetition, delivery_ratio=0.5) for repetition in (1, 2)),
        row("absent", 1, **unsupported, delivery_ratio=None, latency_p50_ms=None),
    ]


def written(
    folder: Path, rows: Sequence[Row], *, claims: object = None, **study: object
) -> ET.Element:
    """Write a result folder and its test cases; check their shape and read them."""
    manifest = Manifest(
        study={**STUDY, **study},
        study_hash="",
        plan_hash="",
        selection=None,
        planned_runs=len(rows),
        seeds={},
        command="",
        state="complete",
    )
    manifest.write(folder)
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(folder / "runs.parquet")
    if claims is not None:
        (folder / "claims.json").write_text(json.dumps(claims), encoding="utf-8")
    root = ET.parse(write_junit(Results(folder))).getroot()  # noqa: S314  (we wrote it)
    assert root.tag == "testsuites"
    check_shape(root)
    return root


def check_shape(element: ET.Element) -> None:
    required, optional, children = ALLOWED[element.tag]
    assert required <= element.attrib.keys() <= required | optional
    assert float(element.attrib.get("time", "0")) >= 0
    for child in element:
        assert child.tag in children
        check_shape(child)
    if element.tag in {"testsuite", "testsuites"}:
        counts = {
            "tests": len(element.findall(".//testcase")),
            "failures": len(element.findall(".//failure")),
            "errors": len(element.findall(".//error")),
            "skipped": len(element.findall(".//skipped")),
        }
        given = {name: int(element.attrib[name]) for name in counts if name in element.attrib}
        assert {"tests", "failures", "errors"} <= given.keys()
        assert given == {name: counts[name] for name in given}


def outcomes(root: ET.Element, suite: str) -> dict[str, str]:
    """Give each case of a suite with its result and message."""
    cases = root.findall(f"testsuite[@name='{suite}']/testcase")
    return {
        case.attrib["name"]: "".join(f"{found.tag}: {found.attrib['message']}" for found in case)
        for case in cases
    }


def test_what_completed_passes_and_what_a_requirement_excludes_fails(tmp_path: Path) -> None:
    root = written(tmp_path, completed())
    assert outcomes(root, "runs") == {"every run completed": ""}
    assert outcomes(root, "requirements") == {
        "base: good": "",
        "base: lossy": "failure: excluded: share of messages delivered is 50 %, "
        "at least 95 % is required",
        "base: absent": "skipped: unsupported: absent is not built yet",
    }
    assert (root.attrib["failures"], root.attrib["errors"]) == ("1", "0")
    assert [suite.attrib["name"] for suite in root] == ["runs", "requirements"]


def test_a_point_at_which_nothing_qualifies_fails(tmp_path: Path) -> None:
    rows = [row("lossy", repetition, delivery_ratio=0.5) for repetition in (1, 2)]
    cases = outcomes(written(tmp_path, rows), "requirements")
    assert cases["base: a stack qualifies"].startswith(
        "failure: No stack meets share of messages delivered"
    )


def test_times_are_those_of_the_runs(tmp_path: Path) -> None:
    rows = [{**one, "simulated_s": 12.5} for one in completed()]
    root = written(tmp_path, rows, expect=["delivery_ratio > 0 %"])
    assert root.attrib["time"] == "62.500"
    times = {case.attrib["name"]: case.attrib["time"] for case in root.iter("testcase")}
    assert times == {
        "every run completed": "62.500",
        "delivery_ratio > 0 %": "50.000",
        "base: good": "25.000",
        "base: lossy": "25.000",
        "base: absent": "0.000",
    }


def test_runs_that_failed_or_are_invalid_are_cases_of_their_own(tmp_path: Path) -> None:
    rows = [
        *completed(),
        row("good", 3, status="failed", reason="connection refused"),
        row("good", 4, status="invalid", reason="bytes do not add up <&\x00\n>"),
    ]
    cases = outcomes(written(tmp_path, [*rows, rows[-1]]), "runs")
    there = "good, part base, repetition"
    assert cases == {
        f"{there} 3, {run_id('good', 3)}": "failure: failed: connection refused",
        f"{there} 4, {run_id('good', 4)}": r"error: invalid: bytes do not add up <&\x00\n>",
    }


def test_an_expectation_passes_or_fails(tmp_path: Path) -> None:
    root = written(tmp_path, completed(), expect=["delivery_ratio > 0 %", "delivery_ratio >= 90 %"])
    cases = outcomes(root, "expectations")
    assert cases["delivery_ratio > 0 %"] == ""
    assert cases["delivery_ratio >= 90 %"].startswith("failure: expectation failed: ")


@pytest.mark.parametrize(
    ("verdict", "result"),
    [
        ("predicted", ""),
        ("holds", ""),
        ("fitted", ""),
        ("derived", ""),
        ("not reproduced", "failure: not reproduced: 3 % off"),
        ("undecided", "skipped: undecided: 3 % off"),
        ("not covered", "skipped: not covered: 3 % off"),
        (None, "skipped: a note, without a verdict: 3 % off"),
    ],
)
def test_a_claim_is_a_case_by_its_verdict(tmp_path: Path, verdict: str | None, result: str) -> None:
    claim = {"id": "CK1", "what": "MQTT is slower", "verdict": verdict, "reason": "3 % off"}
    root = written(tmp_path, completed(), claims=[claim])
    assert outcomes(root, "claims") == {"CK1: MQTT is slower": result}


@pytest.mark.parametrize("claims", [{}, [1], [{"id": "CK1"}], [{"verdict": "maybe"}]])
def test_claims_that_are_none_are_refused(tmp_path: Path, claims: object) -> None:
    if claims == {}:
        (tmp_path / "claims.json").write_text("{", encoding="utf-8")
        claims = None
    with pytest.raises(DamagedResultsError, match=r"claims\.json"):
        written(tmp_path, completed(), claims=claims)


def test_a_study_that_asks_nothing_has_its_runs_alone(tmp_path: Path) -> None:
    root = written(tmp_path, completed(), decide=None)
    assert [suite.attrib["name"] for suite in root] == ["runs"]
