"""Why five papers name five winners: each sentence of the page, shown by a run."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest

import lasthop

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "studies" / "conflicting-winners"

Cells = Callable[[str, str, str], str]


@pytest.fixture(scope="module")
def matrix() -> ModuleType:
    """Load the program of the study."""
    spec = importlib.util.spec_from_file_location("matrix", FOLDER / "matrix.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["matrix"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def cell(matrix: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Cells:
    """Run a few values of the factors, and give what the matrix says of them."""
    sweep = (
        "[{name: session, traffic.report.session: [per 1, per 3, per 100]},"
        " {name: loss, paths.line.loss: [0 %, 1 %, 10 %, 20 %]},"
        " {name: loss_with_short_sessions, paths.line.loss: [0 %, 1 %, 10 %],"
        " traffic.report.session: [per 1]},"
        " {name: round_trip, paths.line.delay: [0.5 ms, 15 ms], traffic.report.session: [per 1]}]"
    )
    results = lasthop.run(
        FOLDER / "study.yaml",
        out=tmp_path_factory.mktemp("results") / "few",
        set={"sweep": sweep, "repeat": "2"},
    )
    columns = {"time": "latency_mean_ms", "bytes": "wire_bytes_per_message_ethernet"}
    columns["delivery"] = "delivery_ratio"

    def said(part: str, pair: str, what: str) -> str:
        (factor,) = (it for it in matrix.FACTORS if it.part == part)
        (chosen,) = (it for it in matrix.PAIRS if f"{it.one} / {it.other}" == pair)
        line = matrix.line(results.runs, factor, chosen, columns[what])
        told: str = matrix.cell(line, chosen, factor.unit)
        return told

    return said


@pytest.mark.parametrize(
    ("part", "pair", "what", "said"),
    [
        # Larmo has a connection for each report, Yudayev and Chen & Kunz keep theirs.
        ("session", "coap con / mqtt", "time", "coap con up to *, then equal"),
        ("loss_with_short_sessions", "coap con / mqtt", "time", "coap con up to *, then mqtt"),
        ("loss", "coap con / mqtt", "time", "equal up to *, then mqtt"),
        # What Chen & Kunz call loss decides against NON, what they call latency for it.
        ("loss", "coap non / mqtt", "time", "equal up to *, then coap non"),
        ("loss", "coap non / mqtt", "delivery", "equal up to *, then mqtt"),
        # Google's bytes and its one message.
        ("session", "http / mqtt", "bytes", "* then mqtt"),
        ("session", "http / mqtt", "time", "http up to *, then equal"),
        ("session", "http / mqtt pipelined", "time", "not between 1 and 100: equal"),
        # EMQ's round trips, and its bandwidth.
        ("round_trip", "mqtt quic / mqtt tls", "time", "not between 1 and 30 ms: mqtt quic"),
        ("session", "mqtt quic / mqtt tls", "bytes", "not between 1 and 100: mqtt tls"),
        # Chen & Kunz: DDS is early, and dear.
        ("loss", "dds / mqtt", "time", "equal up to *, then dds"),
        ("loss", "dds / mqtt", "bytes", "not between 0 and 20 %: mqtt"),
    ],
)
def test_a_sentence_of_the_page_is_what_a_run_shows(
    cell: Cells, part: str, pair: str, what: str, said: str
) -> None:
    begin, star, end = said.partition("*")
    found = cell(part, pair, what)
    assert (found.startswith(begin) and found.endswith(end)) if star else found == said, found


def test_a_change_of_winner_lies_between_measured_points_with_its_interval(
    matrix: ModuleType,
) -> None:
    pair = matrix.Pair("a", "b")
    factor = matrix.Factor("part", "x", "x", "ms")
    rows = [
        {"part": "part", "stack": stack, "status": "completed", "seed": seed, "x": x, "y": y}
        for seed in (1, 2, 3)
        for x, values in ((0.0, {"a": 1.0, "b": 2.0}), (10.0, {"a": 2.0, "b": 1.0}))
        for stack, y in values.items()
    ]
    line = matrix.line(pl.DataFrame(rows), factor, pair, "y")
    assert matrix.cell(line, pair, "ms") == "a up to 5 ms, then b"
    same = [row | {"y": 1.0} for row in rows]
    line = matrix.line(pl.DataFrame(same), factor, pair, "y")
    assert matrix.cell(line, pair, "ms") == "not between 0 and 10 ms: equal"
    assert matrix.line(pl.DataFrame(rows), factor, matrix.Pair("c", "b"), "y") is None
