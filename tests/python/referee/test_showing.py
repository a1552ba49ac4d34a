"""What the referee found is said by the command, the report and a notebook."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.python.warm_command import run_warm

from lasthop.errors import EXIT_INVALID_RUN, EXIT_PASS
from lasthop.outcome.results import Results
from lasthop.referee import read_ruling
from lasthop.results.stored import DamagedResultsError

from .conftest import Bench

if TYPE_CHECKING:
    import subprocess

SLOW = "coap type=con nstart=1"
TWINS = ("raw_udp ack=on max_retransmit=10", "raw_udp ack=on max_retransmit=20")
DECIDE = "decide: {minimise: latency_p50}"


def lasthop(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    # The time is a guard, no verdict.
    return run_warm(arguments, folder=folder, timeout=600)


def test_an_invalid_run_and_an_invalid_comparison_exit_with_3(bench: Bench) -> None:
    study = bench.study(SLOW, *TWINS, more=DECIDE, every="400 ms", duration="3 min")
    done = lasthop(bench.folder, "run", str(study), "--out", "out", "--no-report", "--quiet")
    assert done.returncode == EXIT_INVALID_RUN, done.stderr
    lines = done.stdout.splitlines()
    assert any(line.startswith(f"invalid  overload: {SLOW}, part base: ") for line in lines)
    identical = f"invalid  identical_arms: {', '.join(TWINS)}, part base: every packet is the same"
    assert any(line.startswith(identical) for line in lines)
    told = lasthop(bench.folder, "report", "out", "--json", "--out", "report.html")
    assert told.returncode == EXIT_INVALID_RUN
    said = json.loads(told.stdout)
    assert said["exit_code"] == EXIT_INVALID_RUN
    assert [found["check"] for found in said["referee"]["runs"]] == ["overload"]
    assert [found["check"] for found in said["referee"]["comparisons"]] == ["identical_arms"]
    page = (bench.folder / "report.html").read_text(encoding="utf-8")
    section = page.split('id="referee"')[1].split("</section>")[0]
    assert "invalid: overload" in section
    assert "invalid: identical arms" in section


def test_a_comparison_alone_exits_with_3(bench: Bench) -> None:
    study = bench.study(*TWINS, more=DECIDE)
    done = lasthop(bench.folder, "run", str(study), "--out", "out", "--no-report", "--quiet")
    assert done.returncode == EXIT_INVALID_RUN
    assert "runs     4 completed" in done.stdout


def test_an_overload_that_is_allowed_exits_with_0_and_is_told(bench: Bench) -> None:
    study = bench.study(SLOW, "raw_udp", more=DECIDE, every="400 ms", duration="3 min")
    allow = ("--set", "measure.overload=allow")
    done = lasthop(bench.folder, "run", str(study), "--out", "out", "--quiet", *allow)
    assert done.returncode == EXIT_PASS, done.stdout
    assert f"allowed  overload: {SLOW}, part base: " in done.stdout
    page = (bench.folder / "out" / "report.html").read_text(encoding="utf-8")
    assert "overload" in page.split('id="referee"')[1].split("</section>")[0]
    assert "invalid: overload" not in page


def test_a_notebook_shows_it(bench: Bench) -> None:
    results = bench.run(bench.study(*TWINS, more=DECIDE))
    assert "<strong>invalid</strong> identical_arms" in results._repr_html_()


def test_nothing_found_is_not_talked_of(bench: Bench) -> None:
    results = bench.run(bench.study("raw_udp", more=DECIDE))
    assert "invalid" not in results._repr_html_()
    page = results.report().read_text(encoding="utf-8")
    assert 'id="referee"' not in page
    assert json.loads((results.path / "referee.json").read_text()) == {
        "format": 1,
        "runs": [],
        "comparisons": [],
    }


def test_shards_are_judged_again_when_they_are_merged(bench: Bench) -> None:
    study = bench.study(SLOW, *TWINS, repeat=3, more=DECIDE, every="400 ms", duration="3 min")
    whole = bench.run(study)
    for shard in ("1/2", "2/2"):
        out = f"shard-{shard[0]}"
        lasthop(bench.folder, "run", str(study), "--shard", shard, "--out", out, "--quiet")
    done = lasthop(bench.folder, "report", "shard-1", "shard-2", "--out", "merged")
    assert done.returncode == EXIT_INVALID_RUN
    merged = Results(bench.folder / "merged")
    assert merged.ruling == whole.ruling
    columns = ["run_id", "status", "reason"]
    rows = [it.runs.select(columns).sort("run_id").rows() for it in (merged, whole)]
    assert rows[0] == rows[1]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 2, "runs": []}', '{"format": 1}'])
def test_a_ruling_that_is_none_is_told_in_one_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "referee.json").write_text(content)
    with pytest.raises(DamagedResultsError, match=r"referee\.json: .*; run the study again"):
        read_ruling(tmp_path)
