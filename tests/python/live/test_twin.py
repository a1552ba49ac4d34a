"""A study in both worlds: real brokers and servers are where the simulator says that they are."""

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl

from lasthop.outcome.results import Results
from lasthop.statistics.intervals import interval
from lasthop.twin import Twin, World
from lasthop.twin.gap import gap, offered
from lasthop.twin.limits import Limit, is_plain
from lasthop.twin.twin import Verdict, _judge

FOLDER = Path(__file__).parent
Needs = Callable[..., None]


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
    assert median.verdict is Verdict.OUTSIDE


def test_limits_are_those_of_the_larger_share_or_amount() -> None:
    limit = Limit(share=0.02, least=1.0)
    assert (limit.around(10.0), limit.around(200.0)) == (1.0, 4.0)
    assert _judge(interval([0.5]), 1.0) is Verdict.UNDECIDED
    assert _judge(interval([0.5, 0.5, 0.5, 0.5, 0.5]), 1.0) is Verdict.INSIDE
    assert _judge(interval([2.0, 2.1, 2.0, 2.1, 2.0]), 1.0) is Verdict.OUTSIDE
    assert _judge(interval([0.9, 1.1, 0.9, 1.1, 0.9]), 1.0) is Verdict.UNDECIDED
    assert _judge(interval([math.inf, 0.5]), 1.0) is Verdict.UNDECIDED


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
