"""The order of the tests: the longest files first, and what it is known from."""

import json
from pathlib import Path

import pytest
from tests.python.durations import Durations, longest_first


def report(name: str, seconds: float) -> pytest.TestReport:
    return pytest.TestReport(
        nodeid=name,
        location=("", 0, ""),
        keywords={},
        outcome="passed",
        longrepr=None,
        when="call",
        duration=seconds,
    )


def test_a_file_that_nobody_timed_starts_before_the_longest() -> None:
    assert longest_first(["a", "b", "c"], {"a": 1, "c": 2}) == ["b", "c", "a"]


def test_all_of_a_file_is_added_up_and_written(tmp_path: Path) -> None:
    durations = Durations()
    for name, seconds in (("x.py::one", 1.25), ("x.py::two[::]", 2.0), ("a.py::one", 0.5)):
        durations.pytest_runtest_logreport(report(name, seconds))
    durations.write(tmp_path / "deep" / "durations.json")
    written = json.loads((tmp_path / "deep" / "durations.json").read_text(encoding="utf-8"))
    assert list(written.items()) == [("a.py", 0.5), ("x.py", 3.2)]
