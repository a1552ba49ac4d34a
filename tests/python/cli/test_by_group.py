"""A fleet of several groups: what holds for each of them stands beside the answer."""

import json

from .conftest import Lasthop

STUDY = """\
study: two-sites
duration: 1 min
measure: {drain: 30 s}
stacks: [raw_udp, raw_udp ack=on ack_timeout=1s]
fleet:
  near: {count: 4, path: office, server: head_end}
  far: {count: 4, path: barn, server: head_end}
paths:
  office: {delay: 10 ms}
  barn: {delay: 50 ms, loss: 30 %}
servers: {head_end: {}}
traffic:
  index: {from: near, report: 96 B, every: 1 s}
  level: {from: far, report: 96 B, every: 1 s}
repeat: 3
decide: {require: ["delivery_ratio >= 99 %"], minimise: latency_p50}
"""


def test_the_answer_says_which_group_differs(lasthop: Lasthop) -> None:
    lasthop.write("sites.yaml", STUDY)
    done = lasthop("run", "sites.yaml", "--no-report")
    assert done.returncode == 0, done.stderr
    assert "The answer differs for group near: raw_udp and raw_udp ack=on" in done.stdout
    _, _, table = done.stdout.partition("by group\n")
    assert [line.split()[0] for line in table.splitlines()[1:5:2]] == ["near", "far"]


def test_json_holds_the_figures_of_each_group(lasthop: Lasthop) -> None:
    lasthop.write("sites.yaml", STUDY)
    done = lasthop("run", "sites.yaml", "--no-report", "--json")
    near, far = json.loads(done.stdout)["answer"]["by_group"]
    assert (near["place"], far["place"]) == ({"group": "near"}, {"group": "far"})
    assert (near["differs"], far["differs"]) == (True, False)
    assert [row["delivery_ratio"] for row in near["rows"]] == [1.0, 1.0]
    assert {row["stack"]: row["excluded"] for row in far["rows"]}["raw_udp"]


def test_an_expectation_of_a_group_is_judged_of_that_group(lasthop: Lasthop) -> None:
    expect = "delivery_ratio == 100 % where group == '{}'"
    lasthop.write("sites.yaml", f'{STUDY}expect: ["{expect.format("near")}"]\n')
    held = lasthop("run", "sites.yaml", "--no-report", "--out", "near")
    assert held.returncode == 0, held.stdout
    assert held.stdout.startswith("passed: 1 expectation held")
    lasthop.write("sites.yaml", f'{STUDY}expect: ["{expect.format("far")}"]\n')
    failed = lasthop("run", "sites.yaml", "--out", "far")
    assert failed.returncode == 1
    assert failed.stdout.startswith(
        "failed: share of messages delivered of exactly 100 % in group far"
    )
    assert "(raw_udp, group far, stratum none, flow level, part base" in failed.stdout


def test_what_is_measured_of_whole_runs_alone_has_no_column_by_group(lasthop: Lasthop) -> None:
    lasthop.write("sites.yaml", STUDY.replace("latency_p50", "wire_bytes_per_message"))
    done = lasthop("run", "sites.yaml", "--no-report")
    assert done.returncode == 0, done.stderr
    whole, _, table = done.stdout.partition("by group\n")
    assert "wire_bytes_per_message" in whole
    assert table.splitlines()[0].split() == ["stack", "delivery", "p50", "p95"]
    assert "nothing delivered" not in table


def test_a_study_of_one_group_has_nothing_by_group(lasthop: Lasthop) -> None:
    one = "".join(
        line for line in STUDY.splitlines(keepends=True) if "far" not in line and "barn" not in line
    )
    lasthop.write("site.yaml", one)
    done = lasthop("run", "site.yaml", "--no-report", "--json")
    assert done.returncode == 0, done.stderr
    assert "by_group" not in json.loads(done.stdout)["answer"]
    again = lasthop("run", "site.yaml", "--no-report")
    assert "by group" not in again.stdout
    assert "The answer is the same" not in again.stdout
