"""Clients of others as devices at a gateway that asks for tokens: each message is in its log."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lasthop import _native
from lasthop.adapters import clients
from lasthop.errors import StudyError, UsageError
from lasthop.outcome.results import Results
from lasthop.running import live_engine
from lasthop.running.captured_hosts import CapturedHosts
from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

from .conftest import installed

Needs = Callable[..., None]

STUDY = """
study: at-a-gateway
duration: 2 s
measure: {{warm_up: 0 s, drain: 10 s}}
engine: live
servers: {{cloud: {{}}}}
fleet: {{device: {{count: 2, path: near, server: cloud}}}}
paths: {{near: {{delay: 20 ms}}}}
traffic: {{reading: {{from: device, {traffic}, every: 500 ms, session: {session}}}}}
stacks: [{stack}]
repeat: 1
"""
OFFERED = 2 * 4
OF_2018 = "tls.version=1.2 tls.key=rsa_2048 tls.chain=2"
ROUND_TRIP_MS = 40


@pytest.fixture(autouse=True)
def _however_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked at must not depend on how busy this machine is."""
    monkeypatch.setattr(live_engine, "LATENESS_LIMITS_MS", {})
    monkeypatch.setattr(live_engine, "PROGRAM_WAIT_LIMIT_MS", float("inf"))


def _run(folder: Path, stack: str, session: str, *, traffic: str = "report: 45 B") -> Results:
    study = folder / "study.yaml"
    study.write_text(STUDY.format(stack=stack, session=session, traffic=traffic))
    plan = Plan(load_study(study))
    return carry_out(plan, out=folder / "out", jobs=2, capture=CapturedHosts()).results


def _connections(capture: Path) -> int:
    ledger = _native.CaptureLedger()
    ledger.feed(capture.read_bytes())
    ledger.end_of_file()
    count: int = json.loads(ledger.finish())["conversation_count"]
    return count


@pytest.mark.parametrize(
    ("client", "stack", "round_trips"),
    [
        pytest.param(
            "paho",
            "mqtt/tls auth=jwt client=paho impl=gateway",
            4,
            marks=pytest.mark.smoke("paho as a device"),
        ),
        pytest.param(
            "curl",
            "http/tls auth=jwt client=curl impl=gateway",
            3,
            marks=pytest.mark.smoke("curl as a device"),
        ),
        pytest.param(
            "curl",
            f"http/tls version=2 auth=jwt {OF_2018} client=curl impl=gateway",
            4,
            marks=pytest.mark.soak,
        ),
        pytest.param(
            "aioquic",
            "http/quic auth=jwt client=aioquic impl=gateway",
            2,
            marks=pytest.mark.smoke("aioquic as a device"),
        ),
        pytest.param(
            "locust", "http/tls auth=jwt client=locust impl=gateway", 3, marks=pytest.mark.soak
        ),
    ],
)
def test_each_report_is_kept_and_pays_for_its_connection(
    client: str, stack: str, round_trips: int, needs: Needs, tmp_path: Path
) -> None:
    needs()
    installed(clients()[client])
    (run,) = _run(tmp_path, stack, "per 2").runs.to_dicts()
    assert (run["status"], run["delivery_ratio"]) == ("completed", 1.0), run["reason"]
    assert run["messages_offered"] == OFFERED
    assert run["payload_bytes_first_sent"] == OFFERED * 45
    # Every other message sets a connection up before it.
    assert run["response_max_ms"] >= round_trips * ROUND_TRIP_MS
    assert run["response_mean_ms"] >= (round_trips + 1) / 2 * ROUND_TRIP_MS
    files = [file for file in (tmp_path / "out" / "captures").iterdir() if ".device-" in file.name]
    assert len(files) == 2
    assert [_connections(file) for file in files] == [2, 2]


@pytest.mark.parametrize(
    ("stack", "session", "told"),
    [
        ("mqtt/tls client=paho impl=gateway", "keep", '"auth=jwt" in a stack'),
        (
            "mqtt/tls auth=jwt qos=0 client=paho impl=gateway",
            "keep",
            "does not acknowledge QoS 0",
        ),
        ("mqtt/tls auth=jwt qos=2 client=paho impl=gateway", "keep", "does not accept QoS 2"),
        ("mqtt auth=jwt client=mosquitto impl=gateway", "keep", "it does not support tokens"),
        ("mqtt auth=jwt client=paho impl=mosquitto", "keep", "it does not support tokens"),
        pytest.param(
            "http/tls version=2 auth=jwt client=locust impl=gateway",
            "keep",
            "it does not support version 2",
            marks=pytest.mark.soak,
        ),
    ],
)
def test_what_a_program_does_not_do_is_said_before_the_first_run(
    stack: str, session: str, told: str, needs: Needs, tmp_path: Path
) -> None:
    needs("mosquitto")
    with pytest.raises((UsageError, StudyError), match=told):
        _run(tmp_path, stack, session)
