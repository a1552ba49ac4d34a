"""The gate of a broker's CI: `examples/broker.yaml` on a good broker and on a faulty one."""

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lasthop.adapters import Bindings
from lasthop.outcome.job_summary import append_job_summary, job_summary
from lasthop.outcome.results import Results
from lasthop.running import live_engine
from lasthop.running.captured_hosts import CapturedHosts
from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

ROOT = Path(__file__).parents[3]
GATE = ROOT / "examples" / "broker.yaml"
BROKER = Path(__file__).parent / "lossy_broker.py"
Needs = Callable[..., None]

ONE_IN = 1000


def _run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, one_in: int) -> Results:
    # What is found must not depend on how busy this machine is; what is measured would.
    monkeypatch.setattr(live_engine, "LATENESS_LIMITS_MS", {})
    monkeypatch.setattr(live_engine, "PROGRAM_WAIT_LIMIT_MS", float("inf"))
    stack = "mqtt qos=1 max_in_flight=1 keep_alive=2s ping_after=any_silence impl=mine"
    settings = [
        ("repeat", "1"),
        ("stacks", f"{{at_least_once: {stack}}}"),
        ("expect", "[delivery_ratio == 100 %]"),
    ]
    command = shlex.join([sys.executable, str(BROKER)])
    plan = Plan(load_study(GATE, overrides=settings))
    return carry_out(
        plan,
        out=tmp_path / "out",
        jobs=1,
        capture=CapturedHosts.parse(",".join(f"device-{number}" for number in range(20))),
        bindings=Bindings.read([f"mine={command} {{port}} {one_in}"]),
    ).results


@pytest.mark.soak
def test_one_puback_in_a_thousand_is_found(
    needs: Needs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("mosquitto", "tshark")
    results = _run(tmp_path, monkeypatch, one_in=ONE_IN)
    (found,) = results.expectations
    assert found.verdict.value == "failed", results.runs["reason"].to_list()
    page = tmp_path / "summary.md"
    append_job_summary(job_summary(results), page)
    told = page.read_text()
    assert "| ❌ failed | `delivery_ratio == 100 %` | 0 of 1 hold |" in told
    (run,) = results.runs.to_dicts()
    match = re.search(
        r"Message (\d+) of (device-\d+) .* never acknowledged\. Seed .*: (\d+)\.", told
    )
    assert match is not None, told
    assert int(match[3]) == run["seed"]
    assert "--only" in told
    packets = re.search(r"Packets? ([\d, ]+).* of `(captures/.*)` carry", told)
    assert packets is not None, told
    assert _is_never_acknowledged(tmp_path / "out" / packets[2], int(packets[1].split(",")[0]))


def _is_never_acknowledged(capture: Path, number: int) -> bool:
    """Ask tshark whether the PUBLISH of a packet has no PUBACK of the broker behind it."""
    fields = ["frame.number", "mqtt.msgtype", "mqtt.msgid", "ip.src"]
    command = ["tshark", "-r", str(capture), "-Y", "mqtt", "-T", "fields"]
    command += [word for field in fields for word in ("-e", field)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t") for line in told.splitlines()]
    (publish,) = [row for row in rows if int(row[0]) == number]
    assert "3" in publish[1].split(",")
    msgid = publish[2].split(",")[0]
    later = [row for row in rows if int(row[0]) > number and row[3] != publish[3]]
    acknowledged = [row for row in later if "4" in row[1].split(",") and msgid in row[2].split(",")]
    return not acknowledged


@pytest.mark.soak
def test_a_good_broker_passes(
    needs: Needs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("mosquitto")
    results = _run(tmp_path, monkeypatch, one_in=10**6)
    (found,) = results.expectations
    assert found.verdict.value == "held", str(found)
    page = tmp_path / "summary.md"
    append_job_summary(job_summary(results), page)
    append_job_summary(job_summary(results), page)
    assert page.read_text().count("✅ held") == 2
