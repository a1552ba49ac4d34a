"""`lasthop plan --power`: repetitions foreseen from a pilot."""

import json

import pytest

from .conftest import Lasthop

STUDY = """\
study: pilot
duration: 20 s
measure: {drain: 10 s}
traffic: {round_trip: 100 B, every: 250 ms}
path: {loss: 10 %, delay: {around: 100 ms, spread: 20 %}}
stacks: [raw_udp ack=on, mqtt qos=1]
repeat: 5
decide: {minimise: latency_p95}
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Lasthop:
    """Return a folder with a pilot, and one of single runs."""
    lasthop = Lasthop(tmp_path_factory.mktemp("planned"))
    lasthop.write("study.yaml", STUDY)
    for out, repeat in (("pilot", "5"), ("single", "1")):
        done = lasthop(
            *("run", "study.yaml", "--out", out, "--set", f"repeat={repeat}"),
            *("--quiet", "--no-report"),
        )
        assert done.returncode == 0, done.stderr
    return lasthop


def planned(lasthop: Lasthop, power: str, *options: str) -> dict[tuple[str, str], int | None]:
    done = lasthop("plan", "pilot", "--power", power, "--json", *options)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["planned"]
    return {(row["stack"], row["column"]): row["needed"] for row in rows}


def test_smaller_changes_and_more_measures_need_more_repetitions(ran: Lasthop) -> None:
    alone = ("--measure", "latency_p95")
    key = ("mqtt qos=1", "latency_p95_ms")
    large, small = planned(ran, "100 %", *alone)[key], planned(ran, "20 %", *alone)[key]
    others = ("--measure", "latency_p50", "--measure", "wire_bytes_up_offered")
    among_others = planned(ran, "20 %", *alone, *others)[key]
    assert planned(ran, "20 %").keys() == planned(ran, "20 %", *alone).keys()
    assert large is not None
    assert small is not None
    assert among_others is not None
    assert 2 <= large < small < among_others


def test_the_number_is_that_at_which_compare_finds_the_change(ran: Lasthop) -> None:
    done = ran("compare", "pilot", "--json")
    rows = json.loads(done.stdout)["detectable"]
    every = [part for row in rows for part in ("--measure", row["column"])]
    (change,) = [
        row["change"]
        for row in rows
        if (row["stack"], row["column"]) == ("raw_udp ack=on", "wire_bytes_up_offered")
    ]
    for factor, needed in ((1.001, 5), (0.98, 6)):
        found = planned(ran, f"{100 * factor * change:.6f} %", *every)
        assert found["raw_udp ack=on", "wire_bytes_up_offered"] == needed


def test_it_says_what_suffices_and_where_most_are_needed(ran: Lasthop) -> None:
    done = ran("plan", "pilot", "--power", "20 %", "--measure", "latency_p95")
    first, *_ = done.stdout.splitlines()
    most = max(it or 0 for it in planned(ran, "20 %", "--measure", "latency_p95").values())
    told = f"plan     repeat: {most} finds a change of 20 % in 80 % of cases;"
    assert first.replace("\N{NO-BREAK SPACE}", " ").startswith(told)


@pytest.mark.parametrize(
    ("arguments", "code", "clue"),
    [
        (("pilot", "--power", "20"), 2, '--power: "20" has no unit'),
        (("pilot", "--power", "0 %"), 2, "--power: 0 % is no change"),
        (("pilot", "--power", "20 %", "--measure", "speed"), 2, '--measure: "speed" is not compa'),
        (("none", "--power", "20 %"), 2, "none"),
        (("pilot",), 2, "--power"),
    ],
)
def test_what_cannot_be_planned_is_one_line(
    ran: Lasthop, arguments: tuple[str, ...], code: int, clue: str
) -> None:
    done = ran("plan", *arguments)
    assert done.returncode == code
    assert len(done.stderr.splitlines()) == 1
    assert clue in done.stderr


def test_single_runs_and_changes_that_do_not_matter_have_no_number(ran: Lasthop) -> None:
    done = ran("plan", "single", "--power", "20 %")
    assert "the pilot has single runs, which show no spread; write repeat: 5" in done.stdout
    done = ran("plan", "pilot", "--power", "1 %", "--measure", "latency_p95")
    assert "no number of repetitions can be foreseen for a change of 1 %" in done.stdout
    assert "latency_p95: a change of 1 % does not matter in this study" in done.stdout
