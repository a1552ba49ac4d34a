"""The page of the conflicting winners: its figure, and commands that run."""

import re
import runpy
import shlex
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from lasthop.study import load_study

FOLDER = Path(__file__).parents[3] / "studies" / "conflicting-winners"
PAGE = FOLDER.parents[1] / "docs" / "why-papers-disagree.md"


@pytest.fixture(scope="module")
def program() -> dict[str, Any]:
    """Load the program, which imports the one beside it."""
    before = list(sys.path)
    sys.path.insert(0, str(FOLDER))
    try:
        return runpy.run_path(str(FOLDER / "figure.py"))
    finally:
        sys.path[:] = before


def runs_of(latencies: dict[float, tuple[float, float]]) -> pl.DataFrame:
    """Give runs of HTTP and MQTT over payloads, two seeds each with the same values."""
    return pl.DataFrame(
        [
            {
                "part": "payload",
                "stack": stack,
                "seed": seed,
                "status": "completed",
                "traffic_report_report_bytes": size,
                "latency_mean_ms": value,
            }
            for size, values in latencies.items()
            for stack, value in zip(("http", "mqtt"), values, strict=True)
            for seed in (1, 2)
        ]
    )


def strips(program: dict[str, Any], runs: pl.DataFrame) -> list[tuple[float, float, str]]:
    factor = next(one for one in program["FACTORS"] if one.part == "payload")
    pair = next(one for one in program["PAIRS"] if (one.one, one.other) == ("http", "mqtt"))
    found = program["strips"](runs, factor, pair)
    return [(row["from"], row["to"], row["ahead"]) for row in found]


def test_a_strip_has_one_colour_where_the_winner_stays(program: dict[str, Any]) -> None:
    assert strips(program, runs_of({10: (50, 100), 100: (50, 100)})) == [
        (10, 100, "the first of the pair")
    ]


def test_a_strip_changes_between_the_points_at_which_the_winner_changes(
    program: dict[str, Any],
) -> None:
    found = strips(program, runs_of({10: (50, 100), 100: (100, 50), 1000: (100, 50)}))
    (start, change, first), (again, end, second) = found
    assert (start, end) == (10, 1000)
    assert 10 < change == again < 100
    assert (first, second) == ("the first of the pair", "the second of the pair")


def test_equal_is_neither(program: dict[str, Any]) -> None:
    assert strips(program, runs_of({10: (100, 102), 100: (100, 102)})) == [
        (10, 100, "equal within 5 %")
    ]


def test_a_pair_that_was_not_run_has_no_strip(program: dict[str, Any]) -> None:
    runs = runs_of({10: (100, 102), 100: (100, 102)}).filter(pl.col("stack") == "mqtt")
    assert strips(program, runs) == []


def test_the_page_shows_the_figure_with_every_paper_and_pair(program: dict[str, Any]) -> None:
    assert "pictures/conflicting-winners.svg" in PAGE.read_text(encoding="utf-8")
    svg = (PAGE.parent / "pictures" / "conflicting-winners.svg").read_text(encoding="utf-8")
    for paper in program["PAPERS"]:
        assert paper.replace("&", "&amp;") in svg
    for pair in program["PAIRS"]:
        assert program["named"](pair) in svg
    for factor in program["FACTORS"]:
        assert factor.what in svg


def test_each_command_of_the_page_is_a_study_that_can_be_run() -> None:
    text = PAGE.read_text(encoding="utf-8")
    commands = re.findall(r"`(lasthop run conflicting-winners --set [^`]+)`", text)
    assert len(commands) == 4
    for command in commands:
        words = shlex.split(command)[3:]
        settings = [one.partition("=") for one in words if one != "--set"]
        overrides = [(key, value) for key, _, value in settings]
        assert len(load_study(FOLDER / "study.yaml", overrides=overrides)) > 0
