"""Expectations as CI meets them: what was judged, what was not, and the exit code."""

import json
import re
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
    assert done.stdout.startswith("passed: 1 expectation held in 2 runs\n")
    assert cases(lasthop, "results/gate") == ["passed"]


def test_a_study_of_which_no_run_completes_does_not_pass(lasthop: Lasthop) -> None:
    lasthop.write("gate.yaml", STUDY.format(stacks="mqtt_sn", expect="delivery_ratio > 50 %"))
    done = lasthop("run", "gate.yaml")
    assert done.returncode == 1
    first, second, *_ = done.stdout.splitlines()
    assert first == (
        "not judged, which is no pass: share of messages delivered of more than 50 % "
        "(1 of 1 expectation)"
    )
    assert "no run completed (2 unsupported)" in second
    assert cases(lasthop, "results/gate") == ["failure"]


def test_the_first_line_says_by_what_a_gate_failed(lasthop: Lasthop) -> None:
    lasthop.write("gate.yaml", STUDY.format(stacks="raw_udp", expect="delivery_ratio > 99 %"))
    done = lasthop("run", "gate.yaml", "--no-report")
    assert done.returncode == 1
    first, second, third, *_ = done.stdout.splitlines()
    assert first == "failed: share of messages delivered of more than 99 % (1 of 1 expectation)"
    assert second.startswith(
        "expectation failed: share of messages delivered of more than 99 %: false in 2 of 2"
    )
    assert re.match(r" +Message \d+ of device-0 \(flow traffic\), .* never arrived", third), third
    told = json.loads(lasthop("run", "gate.yaml", "--no-report", "--json").stdout)
    assert told["gate"] == first
    assert told["expectations"][0]["culprit"]["host"] == "device-0"


def test_what_is_not_about_messages_names_none(lasthop: Lasthop) -> None:
    expect = "control_bytes_per_100 <= 1"
    lasthop.write("gate.yaml", STUDY.format(stacks="raw_udp", expect=expect))
    done = lasthop("run", "gate.yaml", "--no-report")
    assert done.returncode == 1
    assert "Message" not in done.stdout


def test_shards_judge_nothing_and_the_merged_folder_does(lasthop: Lasthop) -> None:
    lasthop.write("gate.yaml", STUDY.format(stacks="raw_udp", expect="delivery_ratio > 99 %"))
    for shard in (1, 2):
        done = lasthop("run", "gate.yaml", "--shard", f"{shard}/2", "--out", f"part{shard}")
        assert done.returncode == 0, done.stdout
        assert "expectation" not in done.stdout
        assert cases(lasthop, f"part{shard}") == []
    merged = lasthop("report", "part1", "part2", "--out", "whole")
    assert merged.returncode == 1, merged.stderr
    assert merged.stdout.startswith("failed: share of messages delivered of more than 99 %")


def test_runs_that_are_named_are_judged_alone(lasthop: Lasthop) -> None:
    lasthop.write("gate.yaml", STUDY.format(stacks="raw_udp", expect="delivery_ratio > 99 %"))
    assert lasthop("run", "gate.yaml", "--no-report", "--out", "whole").returncode == 1
    run = pl.read_parquet(lasthop.folder / "whole/runs.parquet")["run_id"][0]
    done = lasthop("run", "gate.yaml", "--only", run, "--no-report", "--json")
    assert done.returncode == 1, done.stderr
    (found,) = json.loads(done.stdout)["expectations"]
    assert (found["verdict"], found["applied"]) == ("failed", 1)


def test_what_does_not_apply_to_a_named_run_fails_nothing(lasthop: Lasthop) -> None:
    expect = "delivery_ratio > 99 % where stack == 'raw_tcp'"
    lasthop.write("gate.yaml", STUDY.format(stacks="raw_udp, raw_tcp", expect=expect))
    assert lasthop("run", "gate.yaml", "--no-report", "--out", "whole").returncode == 0
    runs = pl.read_parquet(lasthop.folder / "whole/runs.parquet")
    run = runs.filter(stack="raw_udp")["run_id"][0]
    done = lasthop("run", "gate.yaml", "--only", run, "--no-report", "--json")
    assert (done.returncode, json.loads(done.stdout)["expectations"]) == (0, [])


def test_what_is_not_believed_outweighs_what_failed(lasthop: Lasthop) -> None:
    study = STUDY.replace("delay: 10 ms, loss: 20 %", "rate: 500 bit/s")
    lasthop.write("gate.yaml", study.format(stacks="raw_udp", expect="delivery_ratio > 99 %"))
    done = lasthop("run", "gate.yaml", "--no-report")
    assert done.returncode == 3
    assert done.stdout.startswith("no verdict: 2 runs cannot be believed\n")
    assert "no run completed (2 invalid)" in done.stdout


STRICT = """
study: strict
duration: 1 min
traffic: {{report: 96 B, every: 1 s}}
path: {{delay: 10 ms}}
stacks: [raw_udp]
repeat: 2
expect: ["delivery_ratio >= 99 %"]
decide: {{minimise: latency_p50, require: ["delivery_ratio {require}"]}}
"""


def test_strict_fails_what_too_few_messages_do_not_show(lasthop: Lasthop) -> None:
    lasthop.write("strict.yaml", STRICT.format(require=">= 99 %"))
    assert lasthop("run", "strict.yaml", "--no-report").returncode == 0
    done = lasthop("run", "strict.yaml", "--no-report", "--strict")
    assert done.returncode == 1
    first, second, *_ = done.stdout.splitlines()
    assert first == "failed: 1 requirement not shown to be met"
    assert second.startswith(
        "requirement failed: delivery_ratio >= 99 %: too few to say for raw_udp (is 100"
    )
    root = ET.parse(lasthop.folder / "results/strict/junit.xml")  # noqa: S314  (our own file)
    (case,) = root.findall("testsuite[@name='requirements']/testcase")
    skipped = case.find("skipped")
    assert skipped is not None
    assert skipped.attrib["message"].startswith(
        "too few to say: share of messages delivered of at least 99 %"
    )


def test_strict_passes_what_is_shown_and_fails_what_nobody_meets(lasthop: Lasthop) -> None:
    lasthop.write("strict.yaml", STRICT.format(require=">= 90 %"))
    assert lasthop("run", "strict.yaml", "--no-report", "--strict").returncode == 0
    lasthop.write("strict.yaml", STRICT.format(require="<= 10 %"))
    done = lasthop("run", "strict.yaml", "--no-report", "--strict", "--json", "--out", "other")
    assert done.returncode == 1
    assert json.loads(done.stdout)["requirements_failed"] == [
        "requirement failed: delivery_ratio <= 10 %: no stack meets it"
    ]


def test_strict_is_of_whole_studies(lasthop: Lasthop) -> None:
    lasthop.write("strict.yaml", STRICT.format(require=">= 90 %"))
    done = lasthop("run", "strict.yaml", "--strict", "--shard", "1/2")
    assert done.returncode == 2
    assert "--strict needs all runs of the study" in done.stderr
