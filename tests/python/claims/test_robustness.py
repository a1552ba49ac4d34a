"""Whatever stands in a file of claims: a judgement of every claim, or an error of one line."""

import copy
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from lasthop.claims import judge
from lasthop.errors import StudyError

from .conftest import Load
from .synthetic import Measured, runs_of, spread

WHOLE: dict[str, Any] = {
    "paper": "a paper",
    "claims": [
        {
            "id": "A1",
            "kind": "order",
            "what": "every form of a rule",
            "published": "so",
            "source": "page 1",
            "rules": [
                {
                    "column": "latency_mean",
                    "stacks": ["raw_udp"],
                    "part": "loss",
                    "at": {"path.loss": ["> 0 %", "0 %"]},
                    "where": "delivery_ratio >= 90 %",
                    "holds_at": "any",
                    "below": "5 s",
                },
                {
                    "column": "latency_p95",
                    "stacks": ["raw_udp"],
                    "part": "grid",
                    "equals": "2 * path.delay",
                    "within": "15 %",
                },
                {
                    "column": "loss_ratio",
                    "part": "grid",
                    "change_over": "path.loss",
                    "lowest_first": ["raw_udp", "json_udp"],
                },
                {
                    "column": "wire_bytes_offered",
                    "stacks": ["json_udp"],
                    "part": "grid",
                    "peak_over": "path.delay",
                    "at_most": "200 ms",
                },
                {
                    "column": "latency_mean",
                    "part": "loss",
                    "mean_over": "path.loss",
                    "highest_first": ["raw_udp", {"stack": "json_udp", "part": "far"}],
                },
                {
                    "column": "simulated",
                    "stacks": ["json_udp"],
                    "part": "loss",
                    "at": {"path.loss": "lowest"},
                    "relative_to": {
                        "stack": "raw_udp",
                        "part": "grid",
                        "at": {"path.loss": "10 %", "path.delay": "highest"},
                        "column": "latency_mean",
                    },
                    "above": "150 %",
                },
            ],
        },
        {"id": "A2", "kind": "value", "what": "not here", "not_covered": "no radio"},
    ],
}

ODD: tuple[Any, ...] = (None, True, -1, 10**18, "x", "10 %", "> 0 %", [[]])


def places(value: object, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Name every place of a document but its root."""
    if at:
        yield at
    entries = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, below in entries:
        yield from places(below, (*at, key))


def replaced(at: tuple[str | int, ...], odd: object) -> dict[str, Any]:
    """Put something odd at a place."""
    document = copy.deepcopy(WHOLE)
    parent: Any = document
    for key in at[:-1]:
        parent = parent[key]
    parent[at[-1]] = odd
    return document


def measure(_stack: str, _part: str, _at: Mapping[str, Any], repetition: int) -> Measured:
    return {"latency_mean_ms": spread(100.0, repetition)}


def test_the_whole_file_is_judged(load: Load) -> None:
    study = load(json.dumps(WHOLE))
    first, second = judge(study.claims, runs_of(study, measure))
    assert len(first.findings) == 3 + 4 + 2 + 2 + 1 + 1
    assert second.reason == "no radio"


@pytest.mark.parametrize("at", list(places(WHOLE)), ids=lambda at: ".".join(map(str, at)))
def test_something_odd_at_any_place(load: Load, at: tuple[str | int, ...]) -> None:
    plain = load(json.dumps(WHOLE))
    runs = runs_of(plain, measure)
    for odd in ODD:
        try:
            study = load(json.dumps(replaced(at, odd)))
        except StudyError as error:
            assert error.hint, odd  # noqa: PT017  it need not be raised
            assert re.fullmatch(r".*published\.yaml:\d+:\d+: .+", str(error)), odd  # noqa: PT017
            continue
        for judgement in judge(study.claims, runs):
            json.dumps(judgement.as_json(), allow_nan=False)
            assert judgement.reason
