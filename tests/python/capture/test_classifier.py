"""From their bytes alone, packets get the provenance that the run gave them."""

import json
from collections import Counter

import polars as pl
import pytest

from lasthop import _native

from .conftest import Outcome

Cells = Counter[tuple[str, str, str]]
"""Bytes by direction, layer and cause."""

IS_READ = ("mqtt", "coap", "http auth")
"""The stacks whose protocol the classifier knows; what the others carry is opaque to it."""


def _by_classifier(outcome: Outcome) -> Cells:
    """Sum what each host sent, read in the capture of that host."""
    cells = Cells()
    for host, path in outcome.captures.items():
        ledger = _native.CaptureLedger()
        ledger.feed(path.read_bytes())
        ledger.end_of_file()
        direction = "down" if host.startswith("server") else "up"
        for row in json.loads(ledger.finish())["ledger"]:
            if row["seen"] == "sent":
                cells[direction, row["layer"], row["cause"]] += row["bytes"]
    return cells


def _by_run(outcome: Outcome) -> Cells:
    offered = outcome.ledger.filter(pl.col("fate") == "offered")
    columns = offered.select("direction", "layer", "cause", "bytes")
    cells = Cells()
    for direction, layer, cause, count in columns.iter_rows():
        cells[direction, layer, cause] += count
    return cells


def _as_read(outcome: Outcome, cells: Cells) -> Cells:
    """Give the cells in the words of one who sees bytes alone."""
    stack = outcome.case.stack
    told = Cells()
    for (direction, layer, cause), count in cells.items():
        is_hidden = layer == "application" and not stack.startswith(IS_READ)
        told[direction, layer, "opaque" if is_hidden else cause] += count
    return _without_why(outcome, told)


def _without_why(outcome: Outcome, cells: Cells) -> Cells:
    """Give the cells of HTTP without the causes of what is read: its bytes do not tell why.

    Whether a request registers a device, asks again or waits for a command is known to the run.
    """
    if not outcome.case.stack.startswith("http") or "version=2" in outcome.case.stack:
        return cells
    told = Cells()
    for (direction, layer, cause), count in cells.items():
        is_read = layer == "application" and cause != "opaque"
        told[direction, layer, "said" if is_read else cause] += count
    return told


@pytest.fixture
def both(outcome: Outcome) -> tuple[Cells, Cells]:
    """Give the ledger of the classifier, and that of the run."""
    told = _without_why(outcome, _by_classifier(outcome))
    return told, _as_read(outcome, _by_run(outcome))


def test_every_layer_below_the_application_has_the_same_causes(both: tuple[Cells, Cells]) -> None:
    classifier, run = (
        {key: count for key, count in cells.items() if key[1] != "application"} for cells in both
    )
    assert classifier == run


def test_the_application_has_the_same_causes(both: tuple[Cells, Cells]) -> None:
    classifier, run = (
        {key: count for key, count in cells.items() if key[1] == "application"} for cells in both
    )
    assert classifier == run
