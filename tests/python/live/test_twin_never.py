"""Rows of a twin of which a percentile was not reached: in both worlds, in one, in some runs."""

import math
from io import StringIO
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

import lasthop
from lasthop.cli.twin import _show
from lasthop.outcome.results import Results
from lasthop.running.both_worlds import undecided
from lasthop.statistics.intervals import interval
from lasthop.twin import Twin, TwinRow, TwinVerdict, World
from lasthop.twin.plain import plain
from lasthop.twin.stored import TWIN, store
from lasthop.twin.verdict import judge
from lasthop.twin.words import cells, counts, distances

STUDY = """\
study: lossy
duration: 20 min
measure: {drain: 5 s}
traffic: {report: 100 B, every: 250 ms}
path: {loss: 20 %, delay: {around: 20 ms, spread: 20 %}}
stacks: [raw_udp]
repeat: 3
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Return runs of which none reaches the 95th percentile."""
    file = tmp_path_factory.mktemp("lossy") / "study.yaml"
    file.write_text(STUDY, encoding="utf-8")
    found = lasthop.run(file, out=file.with_name("out"))
    assert found.runs["latency_p95_ms"].is_null().all()
    return found


def _twin(results: Results, virtual: list[float | None], live: list[float | None]) -> Twin:
    """Give the twin of two worlds that differ in this percentile alone."""
    worlds = (
        results.runs.with_columns(pl.Series("latency_p95_ms", values, dtype=pl.Float64))
        for values in (virtual, live)
    )
    study = results.manifest.study
    return Twin.of(*(World(study, runs, results.ledger) for runs in worlds))


def _p95(twin: Twin) -> TwinRow:
    (row,) = [row for row in twin.rows if row.metric == "latency p95"]
    return row


def test_what_neither_world_reaches_is_both_never_and_counts_apart(
    results: Results, tmp_path: Path
) -> None:
    twin = _twin(results, [None] * 3, [None] * 3)
    assert _p95(twin).verdict is TwinVerdict.BOTH_NEVER
    assert cells(_p95(twin)) == ("latency p95", "never", "never", "", "20 %", "both never")
    assert counts(twin) == "2 inside, 0 outside, 0 undecided; 1 both never"
    # The farthest row of the stack is one that has a distance.
    ((_, _, where, _, verdict),) = distances(twin)
    assert not where.startswith("latency p95")
    assert verdict == "inside"
    assert undecided(twin) == []
    told = plain(twin, results.programs)["rows"][-1]
    assert told["verdict"] == "both never"
    assert told["difference"] == {"mean": None, "low": None, "high": None}
    store(twin, tmp_path)
    (stored,) = pl.read_parquet(tmp_path / TWIN).filter(metric="latency p95").to_dicts()
    assert (stored["verdict"], stored["difference_mean"]) == ("both never", None)


def test_a_twin_without_such_rows_does_not_count_them(results: Results) -> None:
    twin = _twin(results, [50.0, 51.0, 52.0], [50.1, 51.1, 52.1])
    assert _p95(twin).verdict is TwinVerdict.INSIDE
    assert counts(twin) == "3 inside, 0 outside, 0 undecided"


@pytest.mark.parametrize(
    ("virtual", "live", "written"),
    [
        ([None, 50.0, 51.0], [None, 50.1, 51.1], ("never in 1 of 3 runs",) * 2),
        ([None, 50.0, 51.0], [50.0, 50.1, 51.1], ("never in 1 of 3 runs", None)),
        ([50.0, 50.0, 51.0], [50.0, None, None], (None, "never in 2 of 3 runs")),
        ([None, None, None], [50.0, 50.1, 51.1], ("never", None)),
        ([50.0, 50.1, 51.1], [None, None, None], (None, "never")),
    ],
)
def test_infinity_is_inside_of_nothing(
    results: Results,
    virtual: list[float | None],
    live: list[float | None],
    written: tuple[str | None, str | None],
) -> None:
    twin = _twin(results, virtual, live)
    row = _p95(twin)
    assert row.verdict is TwinVerdict.UNDECIDED
    assert row.limits_apart == math.inf
    _, *worlds, difference, _, _ = cells(row)
    for cell, words in zip(worlds, written, strict=True):
        assert words is None or cell == words
    assert difference == ""
    ((apart, _, where, _, verdict),) = distances(twin)
    assert (apart, verdict) == ("not known", "undecided")
    assert where.startswith("latency p95: ")
    assert plain(twin, results.programs)["rows"][-1]["difference"]["mean"] is None


def test_an_endless_limit_or_interval_decides_nothing() -> None:
    found = interval([0.5, 0.5, 0.5, 0.5, 0.5])
    assert judge(found, math.inf) is TwinVerdict.UNDECIDED
    assert judge(interval([math.inf] * 5), math.inf) is TwinVerdict.UNDECIDED
    assert judge(found, 1.0) is TwinVerdict.INSIDE


def test_the_terminal_shows_it(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = StringIO()
    console = Console(file=shown, width=140)
    monkeypatch.setattr("lasthop.cli.twin.show", console.print)
    monkeypatch.setattr("lasthop.cli.twin.say", lambda line="": shown.write(f"{line}\n"))
    _show(_twin(results, [None] * 3, [None] * 3))
    assert "1 both never" in shown.getvalue()
    lines = [line.rstrip() for line in shown.getvalue().splitlines()]
    assert any(line.endswith("both never") and "latency p95" in line for line in lines)
