"""What the guide to pandas, Arrow and R shows runs, and finds what lasthop finds."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from lasthop.outcome.results import Results
from lasthop.running.run import run

from .conftest import DOCS

GUIDE = DOCS / "guides" / "pandas-and-r.md"
STUDY = """\
study: meters
duration: 20 s
measure: {drain: 10 s}
traffic: {report: 100 B, every: 1 s}
path: {delay: {around: 100 ms, spread: 20 %}}
stacks: [coap, mqtt qos=1]
sweep: [{name: loss, path.loss: [0 %, 10 %]}]
repeat: 2
"""
R_CHECKS = """
cat("---\\n")
with(medians, cat(sprintf("%s\\t%.6f\\t%.6f\\n", stack, path_loss, latency_p50_ms), sep = ""))
cat("---\\n")
with(runs, cat(sprintf("%s\\t%s\\n", run_id, seed), sep = ""))
"""
"""Prints exactly what the snippet for R has computed."""


def snippets(language: str) -> list[str]:
    """Give what the guide shows in a language."""
    text = GUIDE.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def meters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the results that the guide reads."""
    folder = tmp_path_factory.mktemp("guide")
    study = folder / "study.yaml"
    study.write_text(STUDY, encoding="utf-8")
    run(study, out=folder / "results/meters")
    return folder


def printed(folder: Path, *command: str) -> str:
    """Run a snippet beside the results; a warning is an error."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def means(folder: Path) -> dict[str, float]:
    """Give the mean of the median latencies of each stack."""
    runs = Results(folder / "results/meters").runs
    return dict(runs.group_by("stack").agg(pl.col("latency_p50_ms").mean()).iter_rows())


def test_the_snippet_for_pandas_runs(meters: Path) -> None:
    (snippet,) = (code for code in snippets("python") if "import pandas" in code)
    told = printed(meters, sys.executable, "-W", "error", "-c", snippet)
    rows = [line.rsplit(maxsplit=3) for line in told.splitlines()[2:]]
    assert {row[0]: float(row[1]) for row in rows} == pytest.approx(means(meters), rel=1e-4)
    assert [row[3] for row in rows] == ["4", "4"]


def test_the_frames_of_results_become_those_of_pandas(meters: Path) -> None:
    assert "`results.runs.to_pandas()`" in GUIDE.read_text(encoding="utf-8")
    code = """
import lasthop
import pandas as pd

runs = lasthop.Results("results/meters").runs.to_pandas()
pd.testing.assert_frame_equal(
    runs, pd.read_parquet("results/meters/runs.parquet"), check_dtype=False
)
print(len(runs))
"""
    assert printed(meters, sys.executable, "-W", "error", "-c", code) == "8\n"


def test_the_snippets_for_arrow_run(meters: Path) -> None:
    shown = [code for code in snippets("python") if ".to_arrow()" in code or "pyarrow" in code]
    assert len(shown) == 2
    code = "\n".join([*shown, "print(table.num_rows)"])
    told = printed(meters, sys.executable, "-W", "error", "-c", code).splitlines()
    assert told == ["{b'unit': b'fraction'}", "8"]


@pytest.mark.smoke("R")
def test_the_snippets_for_r_run(meters: Path) -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not installed: apt-get install r-base-core")
    (export,) = (code for code in snippets("python") if "write_csv" in code)
    assert not printed(meters, sys.executable, "-W", "error", "-c", export)
    (snippet,) = snippets("r")
    # A script of its own: the user's R profile and a saved workspace are not read.
    shown = printed(meters, "Rscript", "--vanilla", "-e", f"options(warn = 2)\n{snippet}{R_CHECKS}")
    table, stacks, seeds = shown.split("---\n")
    assert "latency_p50_ms" in table
    expected = Results(meters / "results/meters").runs
    assert [line.split("\t") for line in stacks.splitlines()] == [
        [stack, f"{loss:.6f}", f"{median:.6f}"]
        for stack, loss, median in expected.filter(pl.col("status") == "completed")
        .group_by("stack", "path_loss")
        .agg(pl.col("latency_p50_ms").mean())
        .sort("path_loss", "stack")
        .iter_rows()
    ]
    assert [line.split("\t") for line in seeds.splitlines()] == [
        [run_id, str(seed)] for run_id, seed in expected.select("run_id", "seed").iter_rows()
    ]


def test_no_column_is_nested(meters: Path) -> None:
    tables = list((meters / "results/meters").rglob("*.parquet"))
    assert len(tables) > 1
    for table in tables:
        schema = pl.read_parquet_schema(table)
        assert [name for name, kind in schema.items() if kind.is_nested()] == [], table
