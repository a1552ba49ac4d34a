"""Real software as the devices of a study, beside a real server: what it tells is what happened."""

import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.python.capture import tshark

import lasthop
from lasthop.adapters import clients
from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.outcome.results import Results
from lasthop.running import live_engine
from lasthop.running.captured_hosts import CapturedHosts
from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

from .conftest import installed

FOLDER = Path(__file__).parent
Needs = Callable[..., None]

RELAYED = """
study: relayed
duration: 3 s
measure: {warm_up: 0 s, drain: 20 s}
engine: live
servers: {head: {}}
fleet:
  sensor: {count: 2, path: near, server: head}
  reader: {count: 1, path: near, server: head}
paths: {near: {delay: 20 ms, loss: 5 %}}
traffic:
  reading: {from: sensor, to: reader, report: 100 B, every: 250 ms}
stacks:
  - mqtt qos=1 client=paho impl=mosquitto
  - mqtt qos=2 client=mosquitto impl=mosquitto
  - mqtt qos=1 impl=mosquitto
repeat: 1
"""


@pytest.fixture(autouse=True)
def _however_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked at must not depend on how busy this machine is."""
    monkeypatch.setattr(live_engine, "LATENESS_LIMITS_MS", {})
    monkeypatch.setattr(live_engine, "PROGRAM_WAIT_LIMIT_MS", float("inf"))


def _run(study: Path, out: Path, settings: dict[str, str] | None = None) -> Results:
    plan = Plan(load_study(study, overrides=list((settings or {}).items())))
    return carry_out(plan, out=out, jobs=6, capture=CapturedHosts()).results


@pytest.mark.soak
def test_paho_and_mosquitto_exchange_the_packets_of_our_models(
    needs: Needs, tmp_path: Path
) -> None:
    needs("mosquitto")
    stacks = "[mqtt qos=0 client=paho impl=mosquitto, mqtt qos=1 client=paho impl=mosquitto]"
    settings = {"stacks": stacks, "measure.drain": "5 s"}
    live = _run(FOLDER / "mosquitto.yaml", tmp_path / "live", settings)
    ours = _run(
        FOLDER / "mosquitto.yaml",
        tmp_path / "virtual",
        {"stacks": "[mqtt qos=0, mqtt qos=1]", "engine": "virtual"},
    )
    assert live.runs["status"].to_list() == ["completed"] * 2, live.runs["reason"].to_list()
    assert live.runs["delivery_ratio"].to_list() == [1.0, 1.0]
    assert (live.runs["latency_p50_ms"] >= 60).all()
    assert live.runs["messages_offered"].to_list() == ours.runs["messages_offered"].to_list()
    # The same messages at the same instants, of the same size.
    when = ["message", "intended_ns", "measured"]
    assert live.messages.select(when).equals(ours.messages.select(when))
    of_payload = (pl.col("cause") == "payload") & (pl.col("fate") == "offered")

    def payload(results: Results) -> list[int]:
        return results.ledger.filter(of_payload).sort("run_id", "direction")["bytes"].to_list()

    assert payload(live) == payload(ours)
    ways = ("wire_bytes_up_offered", "wire_bytes_down_offered")
    for run_id, *offered in live.runs.select("run_id", *ways).rows():
        of_run = live.ledger.filter(run_id=run_id).group_by("direction").agg(pl.sum("bytes"))
        assert dict(of_run.rows()) == dict(zip(("up", "down"), offered, strict=True))
    programs = live.programs.filter(run_id=live.runs["run_id"][0])
    assert programs["software"].to_list() == ["mosquitto", "paho"]
    assert programs["version"].null_count() == 0
    kept = {file.name.split(".")[1] for file in (tmp_path / "live" / "captures").iterdir()}
    assert "device-0" in kept


@pytest.mark.smoke("mosquitto as a device")
def test_readings_of_several_devices_reach_all_readers_over_lossy_paths(
    needs: Needs, tmp_path: Path
) -> None:
    needs("mosquitto")
    study = tmp_path / "relayed.yaml"
    study.write_text(RELAYED)
    settings = {"traffic.reading.to": "all of reader", "fleet.reader.count": "2"}
    results = _run(study, tmp_path / "out", settings)
    runs = results.runs.to_dicts()
    assert len(runs) == 3
    for run in runs:
        assert (run["status"], run["delivery_ratio"]) == ("completed", 1.0), run
        assert run["messages_offered"] == 2 * 24
        assert run["latency_p50_ms"] >= 40
        packets = results.packets.filter(run_id=run["run_id"], reason="loss")
        lost = packets["packets"].sum()
        assert lost > 0
        offered = run["packets_up_offered"] + run["packets_down_offered"]
        assert run["packets_up_delivered"] + run["packets_down_delivered"] <= offered - lost
        _assert_captured_by_server(tmp_path / "out" / "captures", run)
    assert set(results.messages["status"]) == {"delivered"}
    assert (results.messages["acknowledged_ns"] >= results.messages["sent_ns"]).all()


def _assert_captured_by_server(folder: Path, run: Mapping[str, Any]) -> None:
    """Hold what Wireshark reads of the server's one file against what the paths counted."""
    frames = tshark.read_all({"server-0": folder / f"{run['run_id']}.head-0.pcapng"})
    ways = Counter(frame.is_outbound for frame in frames)
    assert ways == {True: run["packets_down_offered"], False: run["packets_up_delivered"]}
    times = [frame.time_s for frame in frames]
    assert times == sorted(times)
    interfaces = {frame.interface for frame in frames}
    beside_ours = "client=" not in run["stack"]
    assert len(interfaces) == (1 if beside_ours else 4), interfaces


@pytest.mark.smoke("libcoap as a device", "aiocoap as a device")
def test_readings_of_libraries_of_coap_are_passed_on_over_every_transport(
    needs: Needs, tmp_path: Path
) -> None:
    needs("coap-server-notls")
    study = tmp_path / "relayed.yaml"
    study.write_text(RELAYED)
    stacks = [
        "coap type=con client=aiocoap impl=libcoap",
        "coap type=non client=aiocoap impl=libcoap",
        "coap/tcp client=aiocoap impl=libcoap",
        "coap type=con nstart=4 client=libcoap impl=libcoap",
        "coap type=non client=libcoap impl=aiocoap",
        "coap/tcp client=libcoap impl=lasthop",
    ]
    settings = {
        "stacks": f"[{', '.join(stacks)}]",
        "fleet.sensor.count": "1",
        "paths.near.loss": "0 %",
        "measure.drain": "2 s",
        # Who observes before the first message is refused, and asks again a second later.
        "measure.warm_up": "2 s",
    }
    results = _run(study, tmp_path / "out", settings)
    runs = {run["stack"]: run for run in results.runs.to_dicts()}
    assert set(runs) == set(stacks)
    for stack, run in runs.items():
        assert (run["status"], run["delivery_ratio"]) == ("completed", 1.0), run
        assert run["latency_p50_ms"] >= 40, stack
        # A state is told to who observes it once, and once more by who asks for it first.
        heard = results.messages.filter(run_id=run["run_id"])
        assert (heard["deliveries"].sum() - heard.height) <= 1, stack
    types = results.ledger.filter(run_id=runs[stacks[0]]["run_id"])
    assert "acknowledgement" in types["cause"].to_list()


@pytest.mark.soak
def test_amqp_is_an_arm_on_rabbitmq(needs: Needs, tmp_path: Path) -> None:
    needs("rabbitmq-server")
    stacks = "[amqp client=pika impl=rabbitmq, amqp confirm=off ack=off client=pika impl=rabbitmq]"
    settings = {"stacks": stacks, "measure.drain": "20 s"}
    results = _run(FOLDER / "mosquitto.yaml", tmp_path / "out", settings)
    assert results.runs["delivery_ratio"].to_list() == [1.0, 1.0], results.runs["reason"].to_list()
    assert (results.runs["latency_p50_ms"] >= 60).all()
    confirmed = results.messages.group_by("run_id", maintain_order=True).agg(
        pl.col("acknowledged_ns").is_not_null().all()
    )
    assert confirmed["acknowledged_ns"].to_list() == [True, False]
    sent, frugal = results.runs["wire_bytes_up_offered"]
    assert frugal < sent


@pytest.mark.parametrize(
    ("stack", "engine", "modelled"),
    [
        ("amqp", "virtual", False),
        ("amqp impl=rabbitmq", "live", False),
        ("amqp client=pika impl=rabbitmq", "live", True),
    ],
)
def test_there_is_no_model_of_amqp(stack: str, engine: str, *, modelled: bool) -> None:
    settings = [("stacks", f"[{stack}]"), ("engine", engine)]
    study = load_study(FOLDER / "mosquitto.yaml", overrides=settings, modelled=modelled)
    assert [stack.reason for stack in study.stacks] == ["amqp is not built yet"]


@pytest.mark.smoke("cyclonedds as a device", "fastdds as a device")
def test_participants_of_others_exchange_reports_with_their_own_and_each_other(
    needs: Needs, tmp_path: Path
) -> None:
    for name in ("cyclonedds", "fastdds"):
        installed(clients()[name])
    needs()
    makes = ["client=cyclonedds impl=cyclonedds", "client=fastdds impl=fastdds"]
    stacks = [
        f"dds type_information=off {how} {make}"
        for make in makes
        for how in ("reliability=reliable", "reliability=best_effort")
    ]
    stacks.append("dds type_information=off client=fastdds impl=cyclonedds")
    # Which we have no model of.
    stacks.append("dds/rtps_tcp type_information=off client=fastdds impl=fastdds")
    settings = {"stacks": f"[{', '.join(stacks)}]", "measure.drain": "2 s"}
    results = _run(FOLDER / "mosquitto.yaml", tmp_path / "out", settings)
    assert results.runs["delivery_ratio"].to_list() == [1.0] * 6, results.runs["reason"].to_list()
    assert (results.runs["latency_p50_ms"] >= 60).all()
    told = results.ledger.filter(pl.col("cause") == "payload", pl.col("fate") == "offered")
    # A message of 100 B is a sample with a key and a length, 4 B each; the warm-up counts.
    samples = 108 * (3000 // 250)
    for (run_id,), rows in told.group_by("run_id"):
        of_payload = rows.group_by("direction").agg(pl.sum("bytes"))["bytes"].to_list()
        assert of_payload == [samples] * 2, run_id


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"stacks": "[mqtt client=paho]"}, "need exactly one server, which is real software"),
        (
            {"stacks": "[mqtt client=paho impl=mosquitto, mqtt impl=mosquitto]", "devices": "129"},
            "write at most 128 devices that stay",
        ),
        (
            {
                "stacks": "[mqtt client=paho impl=mosquitto]",
                "events": "[{start: 1 s, outage: path, for: 1 s}]",
            },
            "events are possible only with simulated devices",
        ),
        (
            {"stacks": "[mqtt client=paho impl=mosquitto]", "path.scope": "all"},
            "cannot share a hop",
        ),
    ],
)
def test_what_only_devices_of_ours_have_is_refused(settings: dict[str, str], told: str) -> None:
    with pytest.raises(lasthop.LasthopError, match=told):
        load_study(FOLDER / "mosquitto.yaml", overrides=list(settings.items()))


def test_a_client_that_nobody_knows_or_that_speaks_otherwise_is_told(
    needs: Needs, tmp_path: Path
) -> None:
    needs("mosquitto")
    for stack, told in (
        (
            "mqtt client=nobody impl=mosquitto",
            "client=nobody: there is no client software of this name",
        ),
        ("mqtt/tls/tcp client=paho impl=mine", "there is no server software of this name"),
    ):
        with pytest.raises(UsageError, match=told):
            _run(FOLDER / "mosquitto.yaml", tmp_path / "out", {"stacks": f"[{stack}]"})
    assert not (tmp_path / "out").exists()


# A device on lwIP is built, and has a test of its own; scripts/soak installs Locust.
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.soak if name == "locust" else ())
        for name in sorted({*clients()} - {"lwip"})
    ],
)
def test_a_library_that_is_missing_is_named_with_what_brings_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = installed(clients()[name])
    client.version(client.find())
    monkeypatch.setattr("lasthop.adapters.client.find_spec", lambda _: None)
    monkeypatch.setattr("lasthop.adapters.shared_library.CDLL", _missing)
    monkeypatch.setattr(shutil, "which", lambda *_args, **_options: None)
    with pytest.raises(
        EnvironmentFailure, match=f"^{name}: the library .* is missing; (apt-get|pip) install"
    ):
        client.find()


def test_a_device_that_dies_is_no_result(
    needs: Needs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("mosquitto")
    dying = ["/bin/sh", "-c", "echo no memory >&2; exit 7"]
    monkeypatch.setattr(type(clients()["paho"]), "command", lambda *_: dying)
    with pytest.raises(EnvironmentFailure, match=r"paho .* died \(exit 7\).*: no memory$"):
        _run(
            FOLDER / "mosquitto.yaml",
            tmp_path / "out",
            {"stacks": "[mqtt client=paho impl=mosquitto]"},
        )
    assert not (tmp_path / "out" / "parts").exists()


def _missing(name: str) -> None:
    raise OSError(name)


def test_without_the_live_engine_real_devices_are_not_simulated() -> None:
    settings = [("engine", "virtual"), ("stacks", "[mqtt client=paho impl=mosquitto]")]
    study = load_study(FOLDER / "mosquitto.yaml", overrides=settings)
    assert {stack.reason for stack in study.stacks} == {
        "real software (impl=) runs only with --engine live"
    }
