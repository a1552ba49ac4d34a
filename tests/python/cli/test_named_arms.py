"""Names of stacks and swept values from the study to the last page."""

import json
import re

import polars as pl
import pytest

from .conftest import Lasthop

STUDY = """\
study: named
duration: 20 s
measure: {drain: 10 s, overload: allow}
traffic: {round_trip: 100 B, every: 250 ms}
path: {delay: 50 ms}
stacks: {ours: "raw_udp ack={on,off}", plain json: json_udp}
sweep:
  - {name: air, path.loss: {wifi: {gilbert_elliott: {good: 5 s, bad: 1 s}}, clean: 0 %}}
  - {name: delay, path.delay: {near: 10 ms, far: 400 ms}}
repeat: 2
decide: {require: ["delivery_ratio >= 99 % where stack == 'plain json'"], minimise: latency_p50}
"""
BURSTS = "{gilbert_elliott: {good: 5 s, bad: 1 s}}"


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Lasthop:
    """Return a folder with the results of a study that names what it compares."""
    lasthop = Lasthop(tmp_path_factory.mktemp("names"))
    lasthop.write("study.yaml", STUDY)
    done = lasthop("run", "study.yaml", "--out", "base", "--no-report")
    assert done.returncode == 0, done.stderr
    (lasthop.folder / "study.yaml").unlink()
    return lasthop


def test_the_tables_hold_the_names(named: Lasthop) -> None:
    runs = pl.read_parquet(named.folder / "base/runs.parquet")
    assert runs["stack"].unique(maintain_order=True).to_list() == [
        "ours ack=on",
        "ours ack=off",
        "plain json",
    ]
    assert runs["stack_resolved"].str.contains("ours").sum() == 0
    air = runs.filter(pl.col("part") == "air")
    assert air["path_loss"].unique(maintain_order=True).to_list() == ["wifi", "clean"]
    delay = runs.filter(pl.col("part") == "delay")
    assert delay["path_delay_ms"].unique(maintain_order=True).to_list() == [10.0, 400.0]


def test_the_folder_alone_tells_the_answer_by_name(named: Lasthop) -> None:
    done = named("report", "base")
    assert done.returncode == 0, done.stderr
    assert "path loss wifi: " in done.stdout
    assert "near (10\N{NO-BREAK SPACE}ms)" in done.stdout
    assert "names    ours ack=on is raw_udp ack=on\n" in done.stdout
    assert "         plain json is json_udp\n" in done.stdout
    assert f"         path.loss wifi is {BURSTS}\n" in done.stdout
    assert done.stdout.count("is json_udp") == 1
    assert "#1" not in done.stdout


def test_the_report_says_what_the_names_stand_for(named: Lasthop) -> None:
    assert named("report", "base").returncode == 0
    page = (named.folder / "base/report.html").read_text(encoding="utf-8")
    text = " ".join(re.sub(r"<[^>]+>", " ", page.partition('id="conditions"')[2]).split())
    assert "Stack Stands for Resolved ours ack=on raw_udp ack=on raw_udp/udp/ip ack=on" in text
    assert f"path.loss: wifi ({BURSTS}), clean (0 %)" in text
    assert "path.delay: near (10 ms), far (400 ms)" in text


def test_an_expectation_holds_a_name_to_account(lasthop: Lasthop) -> None:
    expect = (
        "expect: [\"latency_p50 < 300 ms where path.delay == 400 ms and stack == 'ours ack=on'\"]\n"
    )
    lasthop.write("study.yaml", STUDY + expect)
    done = lasthop("run", "study.yaml", "--no-report")
    assert done.returncode == 1, done.stdout
    assert "ours ack=on" in done.stdout.partition("expect")[2]


def test_a_comparison_says_that_a_name_means_something_else(named: Lasthop) -> None:
    changed = STUDY.replace("bad: 1 s", "bad: 2 s").replace(
        "json_udp", "json_udp subscribe_timeout=2s"
    )
    named.write("changed.yaml", changed)
    done = named("run", "changed.yaml", "--out", "changed", "--no-report")
    assert done.returncode == 0, done.stderr
    said = json.loads(named("compare", "base", "changed", "--json").stdout)
    told = "\n".join(said["differences"])
    assert "plain json: json_udp/udp/ip" in told
    assert (
        f"path.loss wifi: {BURSTS} in the base, {BURSTS.replace('1 s', '2 s')} in the new" in told
    )


def test_a_name_that_deceives_is_refused_in_one_line(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", STUDY.replace("plain json: json_udp", "coap: json_udp"))
    done = lasthop("run", "study.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        'lasthop: study.yaml:6:40: stacks.coap: the name "coap" is a protocol'
    )
    assert done.stderr.count("\n") == 1
    assert not (lasthop.folder / "results").exists()


def test_a_comparison_finds_values_that_only_one_study_names(named: Lasthop) -> None:
    sweep = f"""\
sweep:
  - {{name: air, path.loss: [{BURSTS}, 0 %]}}
  - {{name: distance, path.delay: [400 ms, 10 ms]}}
"""
    named.write("unnamed.yaml", re.sub(r"sweep:.*?(?=repeat)", sweep, STUDY, flags=re.DOTALL))
    done = named("run", "unnamed.yaml", "--out", "unnamed", "--no-report")
    assert done.returncode == 0, done.stderr
    said = json.loads(named("compare", "base", "unnamed", "--json").stdout)
    assert (said["only_in_base"], said["only_in_new"]) == ([], [])
    paired = {
        (change["of_base"]["point"][key], change["point"][key])
        for change in said["changes"]
        for key in change["point"]
    }
    said_far = "far (400\N{NO-BREAK SPACE}ms)", "400\N{NO-BREAK SPACE}ms"
    said_near = "near (10\N{NO-BREAK SPACE}ms)", "10\N{NO-BREAK SPACE}ms"
    assert paired == {("wifi", BURSTS), ("clean", "0 %"), said_far, said_near}
    assert said["summary"].startswith("no change")


def test_a_dry_run_says_what_the_names_stand_for(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", STUDY)
    done = lasthop("run", "study.yaml", "--dry-run")
    assert done.returncode == 0, done.stderr
    told = done.stdout.partition("names    ")[2].partition("runs     ")[0]
    assert [line.strip() for line in told.splitlines()] == [
        "ours ack=on is raw_udp ack=on",
        "ours ack=off is raw_udp ack=off",
        "plain json is json_udp",
        f"path.loss wifi is {BURSTS}",
        "path.loss clean is 0 %",
        "path.delay near is 10 ms",
        "path.delay far is 400 ms",
    ]
    assert json.loads(lasthop("run", "study.yaml", "--dry-run", "--json").stdout)["names"] == [
        line.strip() for line in told.splitlines()
    ]


def test_a_dry_run_without_names_says_none(lasthop: Lasthop) -> None:
    lasthop.write(
        "study.yaml",
        STUDY.replace('{ours: "raw_udp ack={on,off}", plain json: json_udp}', "[raw_udp]").split(
            "sweep:"
        )[0],
    )
    done = lasthop("run", "study.yaml", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "names" not in done.stdout
