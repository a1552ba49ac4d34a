"""The gate of a broker's CI: `examples/broker.yaml` on a good broker and on a faulty one."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from lasthop.adapters import Bindings
from lasthop.cli.conclusion import conclude
from lasthop.cli.explain import command as explain
from lasthop.outcome.culprit_words import again
from lasthop.outcome.job_summary import append_job_summary, job_summary
from lasthop.outcome.results import Results
from lasthop.running import live_engine
from lasthop.running.captured_hosts import CapturedHosts
from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

ROOT = Path(__file__).parents[3]
GATE = ROOT / "examples" / "broker.yaml"
BROKER = Path(__file__).parent / "faulty_broker.py"
Needs = Callable[..., None]

ONE_IN = 150
"""So rarely a fault strikes: about ten times in a run of the gate."""
OPTIONS = "max_in_flight=1 keep_alive=2s ping_after=any_silence impl=mine"
ARMS = {"at_least_once": f"mqtt qos=1 {OPTIONS}", "exactly_once": f"mqtt qos=2 {OPTIONS}"}
Settings = tuple[tuple[str, str], ...]
ROUGH: Settings = (("sweep", "[{name: rough, path.loss: [1 %]}]"),)
CALM: Settings = (("sweep", "[{name: calm, path.loss: [0 %], traffic.every: [500 ms]}]"),)
DELIVERY = "delivery_ratio == 100 %"
COPIES = "messages_duplicated == 0"


def _run(  # noqa: PLR0913  (each is a keyword and has a default)
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    fault: str,
    arm: str = "at_least_once",
    expect: str = DELIVERY,
    settings: Settings = ROUGH,
    one_in: int = ONE_IN,
) -> Results:
    # What is found must not depend on how busy this machine is; what is measured would.
    monkeypatch.setattr(live_engine, "LATENESS_LIMITS_MS", {})
    monkeypatch.setattr(live_engine, "PROGRAM_WAIT_LIMIT_MS", float("inf"))
    overrides = (
        ("repeat", "1"),
        ("duration", "10 s"),
        ("measure.drain", "6 s"),
        ("stacks", f"{{{arm}: {ARMS[arm]}}}"),
        ("expect", f'["{expect}"]'),
        *settings,
    )
    command = shlex.join([sys.executable, str(BROKER)])
    plan = Plan(load_study(GATE, overrides=overrides))
    return carry_out(
        plan,
        out=tmp_path / "out",
        jobs=1,
        capture=CapturedHosts(),
        bindings=Bindings.read([f"mine={command} {{port}} {fault} {one_in}"]),
    ).results


@dataclass(frozen=True)
class Planted:
    """A fault, the expectation that finds it, and what is said of it."""

    fault: str
    arm: str
    expect: str
    told: str
    settings: Settings = ROUGH


PLANTED = [
    Planted(
        "drop-puback",
        "at_least_once",
        DELIVERY,
        "the broker forwarded it and never acknowledged it",
    ),
    Planted(
        "drop-pubrec",
        "exactly_once",
        DELIVERY,
        "never arrived (unfinished): no acknowledgement of the broker",
    ),
    Planted("swallow-publish", "at_least_once", DELIVERY, "and never forwarded it"),
    Planted("swallow-publish", "exactly_once", DELIVERY, "and never forwarded it"),
    Planted(
        "qos2-twice",
        "exactly_once",
        COPIES,
        "arrived 2 times; the broker sent it under packet identifiers",
    ),
    Planted(
        "publish-twice",
        "at_least_once",
        COPIES,
        "arrived 2 times; the broker sent it twice under packet identifier",
        CALM,
    ),
    Planted("stall", "at_least_once", "latency_max <= 1 s", "arrived after 3", CALM),
]


@pytest.mark.soak
@pytest.mark.parametrize("planted", PLANTED, ids=lambda one: f"{one.fault} {one.arm}")
def test_a_planted_fault_is_found_and_named(
    needs: Needs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    planted: Planted,
) -> None:
    expect = planted.expect
    needs("mosquitto")
    results = _run(
        tmp_path,
        monkeypatch,
        fault=planted.fault,
        arm=planted.arm,
        expect=expect,
        settings=planted.settings,
    )
    (found,) = results.expectations
    assert found.verdict.value == "failed", results.runs["reason"].to_list()
    assert conclude(results, report=None, as_json=False) == 1
    said = capsys.readouterr().out
    assert said.startswith(f"failed: {expect} (1 of 1 expectation)\n")
    assert planted.told in said
    culprit = results.culprit(found)
    assert culprit is not None
    assert culprit.capture is not None, "the packets of every device are kept"
    assert culprit.packets
    command = again(results.manifest.command, culprit)
    assert ("--only", culprit.run_id) == tuple(shlex.split(command))[-4:-2]
    junit = (tmp_path / "out" / "junit.xml").read_text()
    assert f"Seed of the run: {culprit.seed}" in junit
    assert culprit.capture.name in junit
    device = culprit.host.rpartition("-")[2]
    explain(culprit.run_id, f"{device}:{culprit.message}", folder=tmp_path / "out", as_json=True)
    explained = json.loads(capsys.readouterr().out)
    assert explained["packets"] == list(culprit.packets)
    assert explained["capture"] == str(culprit.capture)


@pytest.mark.soak
def test_a_puback_that_never_comes_is_in_the_page_with_its_packets(
    needs: Needs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("mosquitto", "tshark")
    results = _run(tmp_path, monkeypatch, fault="drop-puback")
    page = tmp_path / "summary.md"
    append_job_summary(job_summary(results), page)
    told = page.read_text()
    assert "| ❌ failed | `delivery_ratio == 100 %` | 0 of 1 hold |" in told
    (run,) = results.runs.to_dicts()
    match = re.search(
        r"Message (\d+) of (device-\d+) .* never acknowledged it\. Seed .*: (\d+)\.", told
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
@pytest.mark.parametrize("settings", [ROUGH, CALM], ids=["rough", "calm"])
def test_a_good_broker_passes(
    needs: Needs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
) -> None:
    needs("mosquitto")
    expect = DELIVERY if settings != CALM else "latency_max <= 1 s"
    results = _run(tmp_path, monkeypatch, fault="none", expect=expect, settings=settings)
    (found,) = results.expectations
    assert found.verdict.value == "held", found
    page = tmp_path / "summary.md"
    append_job_summary(job_summary(results), page)
    append_job_summary(job_summary(results), page)
    assert page.read_text().count("✅ held") == 2
