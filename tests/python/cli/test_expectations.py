"""Expectations as CI meets them: what was judged, what was not, and the exit code."""

import json
from xml.etree import ElementTree as ET

import polars as pl

from .conftest import Lasthop

STUDY = """
study: gate
duration: 1 min
traffic: {{report: 96 B, every: 1 s}}
path: {{delay: 10 ms, loss: 20 %}}
stacks: [{stacks}]
repeat: 2
expect: ["{expect}"]
"""


def cases(lasthop: Lasthop, folder: str) -> list[str]:
    """Give what became of each expectation in junit.xml."""
    root = ET.parse(lasthop.folder / folder / "junit.xml")  # noqa: S314  (our own file)
    found = root.findall("testsuite[@name='expectations']/testcase")
    return [("failure" if case.find("failure") is not None else "passed") for case in found]


def test_what_holds_is_counted(lasthop: Lasthop) -> None:
    lasthop.write("gate.yaml", STUDY.format(stacks="raw_udp", expect="delivery_ratio > 50 %"))
    done = lasthop("run", "gate.yaml", "--no-report")
    assert done.returncode == 0, done.stderr
    assert "1 expectation held" in done.stdout
    assert cases(lasthop, "results/gate") == ["passed"]


def test_a_study_of_which_no_run_completes_does_not_pass(lasthop: Lasthop) -> None:
    lasthop.write("gate.yaml", STUDY.format(stacks="mqtt_sn", expect="delivery_ratio > 50 %"))
    done = lasthop("run", "gate.yaml")
    assert done.returncode == 1
    assert done.stdout.startswith("expectation not judged, which is no pass")
    assert "no run completed (2 unsupported)" in done.stdout
    assert cases(lasthop, "results/gate") == ["failure"]


def test_a_failed_expectation_is_the_first_line(lasthop: Lasthop) -> None:
    lasthop.write("gate.yaml", STUDY.format(stacks="raw_udp", expect="delivery_ratio > 99 %"))
    done = lasthop("run", "gate.yaml", "--no-report")
    assert done.returncode == 1
    assert done.stdout.startswith("expectation failed: delivery_ratio > 99 %: false in 2 of 2")


def test_shards_judge_nothing_and_the_merged_folder_does(lasthop: Lasthop) -> None:
    lasthop.write("gate.yaml", STUDY.format(stacks="raw_udp", expect="delivery_ratio > 99 %"))
    for shard in (1, 2):
        done = lasthop("run", "gate.yaml", "--shard", f"{shard}/2", "--out", f"part{shard}")
        assert done.returncode == 0, done.stdout
        assert "expectation" not in done.stdout
        assert cases(lasthop, f"part{shard}") == []
    merged = lasthop("report", "part1", "part2", "--out", "whole")
    assert merged.returncode == 1, merged.stderr
    assert merged.stdout.startswith("expectation failed")


def test_a_selection_of_runs_judges_nothing(lasthop: Lasthop) -> None:
    lasthop.write("gate.yaml", STUDY.format(stacks="raw_udp", expect="delivery_ratio > 99 %"))
    assert lasthop("run", "gate.yaml", "--no-report", "--out", "whole").returncode == 1
    run = pl.read_parquet(lasthop.folder / "whole/runs.parquet")["run_id"][0]
    done = lasthop("run", "gate.yaml", "--only", run, "--no-report", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["expectations"] == []


def test_what_is_not_believed_outweighs_what_failed(lasthop: Lasthop) -> None:
    study = STUDY.replace("delay: 10 ms, loss: 20 %", "rate: 500 bit/s")
    lasthop.write("gate.yaml", study.format(stacks="raw_udp", expect="delivery_ratio > 99 %"))
    done = lasthop("run", "gate.yaml", "--no-report")
    assert done.returncode == 3
    assert done.stdout.startswith("expectation not judged")
    assert "no run completed (2 invalid)" in done.stdout
