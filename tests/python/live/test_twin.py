"""A study in both worlds: real brokers and servers are where the simulator says that they are."""

import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from lasthop.cli.execution import Request
from lasthop.cli.twin import execute_both
from lasthop.outcome.results import Results
from lasthop.running import live_engine
from lasthop.statistics.intervals import interval
from lasthop.testbed.folder import left_folders
from lasthop.testbed.processes import tagged_processes
from lasthop.twin import Twin, World
from lasthop.twin.gap import gap, offered
from lasthop.twin.limits import Limit, is_plain
from lasthop.twin.verdict import TwinVerdict, judge

from .conftest import NAMESPACES

FOLDER = Path(__file__).parent
Needs = Callable[..., None]


def wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(3000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen within 30 s")


def _both(name: str, out: Path, *options: str) -> tuple[int, pl.DataFrame, pl.DataFrame]:
    command = [sys.executable, "-m", "lasthop", "run", str(FOLDER / name), "--engine", "both"]
    command += ["--out", str(out), "--quiet", "--set", "repeat=2", "--jobs", "2"]
    code = subprocess.run([*command, *options], check=False, timeout=120).returncode
    return code, pl.read_parquet(out / "twin.parquet"), pl.read_parquet(out / "twin_bytes.parquet")


def _adds_up(rows: pl.DataFrame, parts: pl.DataFrame) -> bool:
    for (stack,), bytes_of in rows.filter(metric="bytes").group_by("stack"):
        listed = parts.filter(stack=stack)["gap_bytes"].sum()
        if not math.isclose(listed, bytes_of["difference_mean"].item(), abs_tol=1e-6):
            return False
    return True


@pytest.mark.smoke("mosquitto")
def test_without_loss_our_broker_sends_what_mosquitto_does(needs: Needs, tmp_path: Path) -> None:
    needs("mosquitto")
    code, rows, parts = _both("mosquitto.yaml", tmp_path / "out")
    assert code in {0, 1}, rows  # on a busy machine it may be too late for a median
    exact = rows.filter(pl.col("limit") == "equal")
    assert exact["metric"].n_unique() == 5
    assert exact["verdict"].unique().to_list() == ["inside"], exact
    assert (rows.filter(metric="latency p50")["live_mean"] >= 60).all()
    assert _adds_up(rows, parts)
    assert "Simulated and real" in (tmp_path / "out" / "report.html").read_text()
    # What is left are acknowledgements that carry nothing, with their IP headers.
    gap = parts.filter(pl.col("gap_bytes") != 0).select("layer", "cause").unique().rows()
    assert set(gap) <= {("ip", "header"), ("tcp", "acknowledgement")}


CLAIMS = """
paper: Kitchen 2026
claims:
  - id: K1
    kind: value
    what: share that is delivered
    published: 100 %
    rules:
      - {column: delivery_ratio, stacks: [mqtt qos=1 impl=mosquitto], part: base, equals: 100 %}
  - id: K2
    kind: threshold
    what: latency below that of the path
    published: "< 50 ms"
    rules:
      - {column: latency_p50, stacks: [mqtt qos=1 impl=mosquitto], part: base, below: 50 ms}
"""


@pytest.mark.soak
def test_claims_are_judged_in_both_worlds_and_summarised(
    needs: Needs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    needs("mosquitto")
    # How late this machine is decides nothing here.
    monkeypatch.setattr(live_engine, "LATENESS_LIMITS_MS", {})
    monkeypatch.setattr(live_engine, "PROGRAM_WAIT_LIMIT_MS", float("inf"))
    study, summary = tmp_path / "study.yaml", tmp_path / "summary.md"
    study.write_text((FOLDER / "mosquitto.yaml").read_text() + "claims: claims.yaml\n")
    (tmp_path / "claims.yaml").write_text(CLAIMS)
    request = Request(
        study=study,
        out=tmp_path / "out",
        overrides=(
            ("stacks", "[mqtt qos=1 impl=mosquitto]"),
            ("repeat", "2"),
            ("measure.drain", "10 s"),
        ),
        engine="both",
        jobs=2,
        summary=summary,
        as_json=True,
        quiet=True,
    )
    execute_both(request, until_decided=False, at_most=None)
    told = json.loads(capsys.readouterr().out)
    worlds = ("virtual", "live")
    verdicts = {it["id"]: [it[world]["verdict"] for world in worlds] for it in told["claims"]}
    assert verdicts["K1"] == ["predicted", "predicted"], told
    assert not {"predicted", "holds"} & set(verdicts["K2"])
    page = summary.read_text()
    assert "## lasthop: live-mosquitto, simulated and real" in page
    (line,) = [line for line in page.splitlines() if line.startswith("| K1 | share")]
    assert line.count("| predicted |") == len(worlds)
    assert "Claims, virtual: " in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.soak
def test_the_quick_twin_of_a_paper_runs_for_real_and_leaves_nothing(
    needs: Needs, tmp_path: Path
) -> None:
    needs("mosquitto", "coap-server-notls")
    out = tmp_path / "out"
    command = [sys.executable, "-m", "lasthop", "run", "chen-kunz-2016/twin", "--engine", "both"]
    command += ["--quick", "--jobs", "3", "--out", str(out), "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as lab:
        told, _ = lab.communicate(timeout=300)
    assert lab.returncode in {0, 1}, told
    assert told.startswith("How far is the simulator from real software?\n")
    assert "not run" in told
    assert _left_by(lab.pid) == set()
    assert "lasthop0" not in {device.name for device in Path("/sys/class/net").iterdir()}

    live = Results(out / "live")
    ran = live.runs.filter(pl.col("status") == "completed")
    assert ran["stack"].to_list() == [
        "mqtt qos=1 impl=mosquitto",
        "coap type=non impl=libcoap",
        "dds type_information=off impl=cyclonedds",
    ]
    assert ran["seed"].n_unique() == 1
    assert (live.programs["cpu_pressure"] >= 0).all()
    # Both legs of at least 80 ms; TCP brings all, datagrams what the path leaves: 0.9 squared.
    assert (ran["latency_p50_ms"] >= 160).all()
    mqtt, coap, dds = ran["delivery_ratio"]
    assert mqtt == 1.0
    # What its history of ten no longer holds is not sent again.
    assert dds > 0.9
    assert 0.5 < coap < 0.95
    rows = pl.read_parquet(out / "twin.parquet")
    assert set(rows["metric"]) == {"delivery", "latency p50", "latency p95"}
    (median,) = rows.filter(
        pl.col("stack").str.starts_with("mqtt"), metric="latency p50"
    ).to_dicts()
    assert abs(median["difference_mean"]) < 0.5 * median["virtual_mean"], median


def _left_by(lab: int) -> set[str]:
    """Give what a process made and did not remove."""
    mark = f"lasthop-{lab}-*"
    folders = (NAMESPACES, Path(tempfile.gettempdir()))
    processes = {str(pid) for pid, tag in tagged_processes() if tag.pid == lab}
    return processes | {file.name for folder in folders for file in folder.glob(mark)}


@pytest.mark.soak
def test_a_twin_that_is_killed_goes_on_and_grows_until_it_is_decided(
    needs: Needs, tmp_path: Path
) -> None:
    needs("mosquitto")
    out = tmp_path / "out"
    command = [sys.executable, "-m", "lasthop", "run", str(FOLDER / "mosquitto.yaml")]
    command += ["--engine", "both", "--out", str(out), "--quiet", "--jobs", "1", "--no-report"]
    with subprocess.Popen(command) as lab:
        wait_until(lambda: any((out / "live" / "parts").glob("*.part")))
        wait_until(lambda: len(list((out / "live" / "logs").iterdir())) > 1)
        lab.kill()
    left = [folder for folder in left_folders() if folder.name.startswith(f"lasthop-{lab.pid}-")]
    assert left, "the folder of the program's files is not found"
    subprocess.run([sys.executable, "-m", "lasthop", "doctor", "--clean"], check=True)
    assert _left_by(lab.pid) == set()

    finished = next((out / "live" / "parts").glob("*.part")).stem
    command += ["--until-decided"]
    done = subprocess.run(
        [*command, "--at-most", "4", "--json"], check=False, stdout=subprocess.PIPE, timeout=240
    )
    told = json.loads(done.stdout)
    assert done.returncode in {0, 1}, told
    counts = [ended["repetitions"] for ended in told["rounds"]]
    assert counts == [1, 2, 4][: len(counts)]
    assert len(counts) > 1  # of one repetition nothing can be said
    assert told["decided"] or counts[-1] == 4
    live = Results(out / "live")
    assert finished in live.runs["run_id"].to_list()
    assert live.programs.height == 2 * counts[-1]


@pytest.mark.soak
def test_what_libcoap_does_differently_is_told(needs: Needs, tmp_path: Path) -> None:
    """It has no resource before the first message to it: who observes is refused, and asks again.

    What comes within this second is not handed on; and every fifth notification is confirmable.
    """
    needs("coap-server-notls")
    code, rows, parts = _both("libcoap.yaml", tmp_path / "out")
    assert code == 1
    verdicts = {(row["stack"], row["metric"]): row["verdict"] for row in rows.to_dicts()}
    for stack in rows["stack"].unique():
        assert verdicts[stack, "delivery"] == "inside"  # measured after the warm-up
        assert verdicts[stack, "payload up"] == "inside"
        assert verdicts[stack, "payload down"] == "outside"
    assert (rows.filter(metric="latency p50")["live_mean"] >= 60).all()
    assert _adds_up(rows, parts)
    non = parts.filter(pl.col("stack").str.contains("type=non"), direction="up")
    assert non.filter(cause="acknowledgement")["gap_bytes"].sum() > 0


@pytest.mark.soak
def test_a_simulator_that_is_wrong_is_outside(needs: Needs, tmp_path: Path) -> None:
    """Hold the other way round: what differs must be seen."""
    needs("mosquitto")
    out = tmp_path / "out"
    stacks = "stacks=[mqtt qos=1 impl=mosquitto]"
    options = ["--set", stacks]
    _both("mosquitto.yaml", out, *options)
    # The same folders, read as if the simulator had said 50 ms less: no run is done again.
    virtual, live = Results(out / "virtual"), Results(out / "live")
    wrong = virtual.runs.with_columns(pl.col("latency_p50_ms") - 50.0)
    twin = Twin.of(
        World(virtual.manifest.study, wrong, virtual.ledger),
        World(live.manifest.study, live.runs, live.ledger),
    )
    (median,) = [row for row in twin.rows if row.metric == "latency p50"]
    assert median.verdict is TwinVerdict.OUTSIDE


def test_two_programs_that_one_model_stands_for_have_the_bytes_of_one_run_each() -> None:
    row = {"run_id": "a", "path": "path", "direction": "up", "fate": "offered", "reason": None}
    ledger = pl.DataFrame([{**row, "layer": "ip", "cause": "header", "bytes": 20}] * 2)
    assert offered(ledger, ["a"])["bytes"].to_list() == [20]


def test_limits_are_those_of_the_larger_share_or_amount() -> None:
    limit = Limit(share=0.02, least=1.0)
    assert (limit.around(10.0), limit.around(200.0)) == (1.0, 4.0)
    assert judge(interval([0.5]), 1.0) is TwinVerdict.UNDECIDED
    assert judge(interval([0.5, 0.5, 0.5, 0.5, 0.5]), 1.0) is TwinVerdict.INSIDE
    assert judge(interval([2.0, 2.1, 2.0, 2.1, 2.0]), 1.0) is TwinVerdict.OUTSIDE
    assert judge(interval([0.9, 1.1, 0.9, 1.1, 0.9]), 1.0) is TwinVerdict.UNDECIDED
    assert judge(interval([math.inf, 0.5]), 1.0) is TwinVerdict.UNDECIDED


def test_a_path_is_plain_that_only_delays() -> None:
    def spec(**direction: object) -> str:
        plain: dict[str, object] = {
            "outages": [],
            "loss": None,
            "delay": {"model": {"constant": {}}},
        }
        link = {"up": {**plain, **direction}, "down": plain}
        return json.dumps({"events": [], "paths": {"path": {"hops": [{"link": link}]}}})

    assert is_plain(spec())
    assert not is_plain(spec(loss={"bernoulli": {}}))
    assert not is_plain(spec(delay={"model": {"uniform": {}}}))
    assert not is_plain(spec(outages=[{}]))


def test_the_bytes_of_the_gap_add_up_whichever_world_lacks_a_cause() -> None:
    def ledger(run: str, rows: dict[tuple[str, str], int]) -> pl.DataFrame:
        table = [
            {
                "run_id": run,
                "direction": "up",
                "fate": "offered",
                "layer": a,
                "cause": b,
                "bytes": n,
            }
            for (a, b), n in rows.items()
        ]
        return offered(pl.DataFrame(table), [run])

    virtual = ledger("a", {("ip", "header"): 100, ("tcp", "keep_alive"): 8})
    live = ledger("b", {("ip", "header"): 140, ("tcp", "acknowledgement"): 64})
    rows = gap(virtual, live, runs=(1, 1))
    assert {(row.cause, row.gap_bytes) for row in rows} == {
        ("header", 40),
        ("keep_alive", -8),
        ("acknowledgement", 64),
    }
    assert sum(row.gap_bytes for row in rows) == 204 - 108
