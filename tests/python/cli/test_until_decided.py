"""`lasthop run --until-decided`."""

import json

import pytest

from .conftest import SMALL_STUDY, Lasthop
from .test_determinism import hashes

OPEN_STUDY = """\
study: open
duration: 5 s
measure: {drain: 5 s}
traffic: {round_trip: 100 B, every: 250 ms}
path: {loss: 5 %, delay: {around: 100 ms, spread: 20 %}}
stacks: [raw_udp ack=on ack_timeout=2s, raw_udp ack=on ack_timeout=2050ms]
repeat: 5
decide: {minimise: latency_mean, smallest_effect: 1 %}
"""


def test_each_round_says_what_is_open_and_the_end_is_that_of_a_plain_run(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", OPEN_STUDY)
    done = lasthop("run", "study.yaml", "--until-decided", "--at-most", "11", "--no-report")
    assert done.returncode == 0, done.stderr
    told = done.stderr.splitlines()
    assert told[0] == "5 repetitions: 1 still open"
    assert " against " in told[1]
    assert "repetitions" in told[1]
    line = next(line for line in done.stdout.splitlines() if line.startswith("rounds"))
    last = 11 if "still open after 11" in line else int(line.split("after ")[1].split()[0])
    repeated = ("--set", f"repeat={last}")
    lasthop("run", "study.yaml", *repeated, "--out", "plain", "--no-report")
    assert hashes(lasthop.folder / "results/open") == hashes(lasthop.folder / "plain")
    again = lasthop("run", "study.yaml", *repeated, "--no-report", "--json")
    assert json.loads(again.stdout)["already_complete"] is True


def test_json_lists_the_rounds(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", OPEN_STUDY)
    options = ("--until-decided", "--at-most", "7", "--json", "--no-report")
    done = lasthop("run", "study.yaml", *options)
    assert done.stderr == ""
    said = json.loads(done.stdout)["until_decided"]
    assert [ended["repetitions"] for ended in said["rounds"]] == [5, 7]
    (question,) = said["rounds"][0]["undecided"]
    assert question["low"] <= question["mean"] <= question["high"]
    assert question["expected_repetitions"] is None or question["expected_repetitions"] > 5
    assert said["decided"] is not bool(said["rounds"][-1]["undecided"])


@pytest.mark.parametrize(
    ("options", "clue"),
    [
        (["--at-most", "9"], "--until-decided"),
        (["--until-decided", "--at-most", "0"], "--at-most"),
        (["--until-decided", "--at-most", "2"], "write 3 or more"),
        (["--until-decided", "--quick"], "--quick"),
        (["--until-decided", "--shard", "1/2"], "--shard"),
        (["--until-decided", "--only", "ab"], "--only"),
        (["--until-decided", "--dry-run"], "--dry-run"),
        (["--until-decided", "--capture"], "--capture"),
        (["--until-decided", "--at-most", "10001"], "repeat"),
        (["--until-decided", "--set", "decide.minimise=speed"], "speed"),
    ],
    ids=" ".join,
)
def test_bad_usage_is_refused_in_one_line(lasthop: Lasthop, options: list[str], clue: str) -> None:
    lasthop.write("study.yaml", SMALL_STUDY)
    assert_refused(lasthop, *options, clue=clue)


def test_a_study_that_decides_nothing_is_refused(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", SMALL_STUDY[: SMALL_STUDY.index("decide")])
    assert_refused(lasthop, "--until-decided", clue="has no decision and no claims")


def assert_refused(lasthop: Lasthop, *options: str, clue: str) -> None:
    done = lasthop("run", "study.yaml", *options)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert clue in done.stderr
    assert [path.name for path in lasthop.folder.iterdir()] == ["study.yaml"]
