"""A device on lwIP: its packets are those of its firmware, and it ends when its heap does."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lasthop.adapters import clients, lwip_firmware
from lasthop.adapters.programs import lwip_device
from lasthop.adapters.programs.lwip_device import ESP8266, firmware_of
from lasthop.errors import EnvironmentFailure
from lasthop.outcome.results import Results
from lasthop.running import live_engine
from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

from .conftest import installed

Needs = Callable[..., None]

STUDY = """
study: esp8266
duration: 5 s
measure: {set_up: 3 min, warm_up: 0 s, drain: 2 s}
engine: live
servers: {broker: {}}
paths: {lan: {delay: 1 ms}}
fleet:
  clients: {count: 4, path: lan, server: broker, stack: "mqtt qos=0 client=mosquitto BROKER"}
  esp: {count: 1, path: lan, server: broker, stack: "mqtt qos=0 client=lwip BROKER"}
traffic:
  control: {from: clients, to: esp, report: 41 B, every: 1 s, spread: 0 s}
repeat: 1
""".replace("BROKER", "impl=mosquitto tcp.nodelay_server=off")


@pytest.fixture(autouse=True)
def _however_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_engine, "LATENESS_LIMITS_MS", {})
    monkeypatch.setattr(live_engine, "PROGRAM_WAIT_LIMIT_MS", float("inf"))


def _run(tmp_path: Path, settings: dict[str, str] | None = None) -> Results:
    installed(clients()["lwip"])
    study = tmp_path / "esp8266.yaml"
    study.write_text(STUDY)
    plan = Plan(load_study(study, overrides=list((settings or {}).items())))
    return carry_out(plan, out=tmp_path / "out", jobs=1).results


@pytest.mark.soak
def test_a_reader_of_first_messages_loses_what_the_broker_stuffs_behind_them(
    needs: Needs, tmp_path: Path
) -> None:
    needs("mosquitto")
    (run,) = _run(tmp_path).runs.to_dicts()
    assert run["status"] == "completed", run["reason"]
    assert run["messages_offered"] == 4 * 5
    # The first is alone in its segment; of those behind it in the next one, it takes the first.
    assert 0.35 <= run["delivery_ratio"] <= 0.65


@pytest.mark.smoke("lwip as a device")
def test_a_read_that_begins_within_a_lost_one_is_a_misread(needs: Needs, tmp_path: Path) -> None:
    needs("mosquitto")
    # Messages of 50 to 60 B: a read that takes more than one ends within the next.
    settings = {"fleet.esp.device": "{profile: esp8266, read_size: 80 B}", "duration": "3 s"}
    (run,) = _run(tmp_path, settings).runs.to_dicts()
    assert run["status"] == "completed", run["reason"]
    assert run["device_misreads"] > 0
    assert run["messages_delivered"] > 0


@pytest.mark.soak
def test_ten_clients_lose_the_share_of_the_paper(needs: Needs, tmp_path: Path) -> None:
    needs("mosquitto")
    settings = {"fleet.clients.count": "10", "duration": "100 s"}
    (run,) = _run(tmp_path, settings).runs.to_dicts()
    assert run["status"] == "completed", run["reason"]
    assert abs(run["delivery_ratio"] - 0.198) <= 0.02


@pytest.mark.soak
def test_a_device_of_many_topics_hears_again_that_boots_right_before_a_burst(
    needs: Needs, tmp_path: Path
) -> None:
    needs("mosquitto")
    stack = "mqtt qos=1 client={} impl=mosquitto max_in_flight=1 tcp.nodelay_server=off"
    settings = {
        "fleet.clients.count": "60",
        "fleet.clients.stack": stack.format("mosquitto"),
        "fleet.esp.stack": stack.format("lwip"),
        "fleet.esp.device": "{profile: esp8266, watchdog: 2 s, boot: 1900 ms}",
        "measure.overload": "allow",
        "duration": "20 s",
    }
    (run,) = _run(tmp_path, settings).runs.to_dicts()
    assert run["status"] == "completed", run["reason"]
    assert run["device_crashes_watchdog"] >= 3, run["device_events"]


def _device(**settings: object) -> dict[str, Any]:
    heap = {"connection_bytes": 500, "segment_bytes": 30, "heap_bytes": 20_000}
    return {**ESP8266, **heap, **settings}


def _errand(device: Mapping[str, Any], descriptor: int) -> dict[str, Any]:
    return {
        "address": "198.18.0.1",
        "port": 1883,
        "name": "device-0",
        "options": {"qos": 0, "keep_alive": 60},
        "messages": [],
        "hears": ["control"],
        "own": "198.19.0.1",
        "descriptor": descriptor,
        "device": device,
    }


@contextmanager
def _started(device: Mapping[str, Any]) -> Iterator[tuple[subprocess.Popen[str], socket.socket]]:
    """Give a device that begins to connect, and the other end of its packets."""
    installed(clients()["lwip"])
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    errand = _errand(device, there.fileno())
    firmware_of(device).path()
    here.settimeout(20)
    command = [sys.executable, "-m", "lasthop.adapters.programs.lwip_device"]
    with (
        here,
        there,
        subprocess.Popen(
            command,
            text=True,
            pass_fds=(there.fileno(),),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process,
    ):
        assert process.stdin is not None
        process.stdin.write(json.dumps(errand) + "\n")
        process.stdin.flush()
        yield process, here
        process.stdin.close()
        process.wait(20)


def test_its_segments_offer_what_the_firmware_of_the_device_offers() -> None:
    tcp = {**ESP8266["tcp"], "max_segment_bytes": 1000, "window_bytes": 4000}
    for device, size, window in ((_device(), 1440, 5744), (_device(tcp=tcp), 1000, 4000)):
        with _started(device) as (_, path):
            segment = path.recv(2000)
        header = segment[20:]
        assert segment[12:20] == bytes((198, 19, 0, 1, 198, 18, 0, 1))
        assert header[13] == 0x02
        assert int.from_bytes(header[14:16]) == window
        # The size of segments alone: no SACK, no window scale, no time stamps.
        assert header[20:] == bytes((2, 4)) + size.to_bytes(2)


def test_a_device_whose_heap_ends_says_so_and_dies() -> None:
    with _started(_device(heap_bytes=300)) as (process, _):
        assert process.wait(20) == 1
        assert process.stderr is not None
        said = process.stderr.read()
    assert "the heap of 300 B is used up by 1 connections and 1 segments" in said
    assert "the device died (exit 70)" in said


def test_where_it_may_crash_it_boots_and_begins_again() -> None:
    boot_ns = 200_000_000
    with _started(_device(heap_bytes=300, boot_ns=boot_ns)) as (process, _):
        assert process.stdout is not None
        told = [process.stdout.readline().split() for _ in range(4)]
    assert [words[:-1] for words in told] == [["crashed", "heap"], ["booted"]] * 2
    times = [int(words[-1]) for words in told]
    assert times[1] - times[0] >= boot_ns
    assert times == sorted(times)


def test_a_device_that_has_died_takes_no_packets_of_its_last_life() -> None:
    with _started(_device(heap_bytes=300, boot_ns=10**8)) as (process, path):
        assert process.stdout is not None
        process.stdout.readline()
        path.send(bytes(40))
        # It boots, and dies of its own connection again rather than of what waited.
        told = [process.stdout.readline().split()[0] for _ in range(3)]
    assert told == ["booted", "crashed", "booted"]


def test_a_device_that_hangs_is_one_that_crashed(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(clients()["lwip"])
    told: list[str] = []
    monkeypatch.setattr(lwip_device, "tell", lambda *words: told.append(" ".join(words)))
    monkeypatch.setattr(lwip_device, "HANGS_AFTER_S", 2.0)
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with here, there:
        here.settimeout(20)
        supervisor = lwip_device.Supervisor(_errand(_device(boot_ns=10**8), there.fileno()))
        thread = threading.Thread(target=supervisor.run)
        thread.start()
        first = here.recv(2000)
        assert supervisor.running is not None
        os.kill(supervisor.running, signal.SIGSTOP)
        while told != ["crashed hang", "booted"]:
            assert thread.is_alive()
            time.sleep(0.01)
        # It begins as in its first life, but for the ports.
        assert len(here.recv(2000)) == len(first)
        supervisor.end()
        thread.join(20)
    assert told == ["crashed hang", "booted"]


def test_without_the_source_of_lwip_one_line_says_what_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    with pytest.raises(EnvironmentFailure) as missing:
        clients()["lwip"].find()
    assert "the source of lwIP is missing; apt-get install gcc cargo, then cargo fetch" in str(
        missing.value
    )


def test_a_source_that_does_not_compile_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(clients()["lwip"])
    monkeypatch.setenv("HOME", str(tmp_path))
    cargo = os.environ.get("CARGO_HOME", str(Path("~root/.cargo").expanduser()))
    monkeypatch.setenv("CARGO_HOME", cargo)
    firmware = firmware_of(_device(mailbox="none"))
    with pytest.raises(EnvironmentFailure, match="lwip: the compiler failed: "):
        firmware.path()
    assert not list(tmp_path.rglob("lwip-*"))


def test_a_firmware_is_compiled_once() -> None:
    installed(clients()["lwip"])
    made = firmware_of(_device()).path()
    before = made.stat().st_mtime_ns
    time.sleep(0.01)
    assert firmware_of(_device()).path() == made
    assert made.stat().st_mtime_ns == before
    assert firmware_of(_device(mailbox=7)).path() != made
    assert lwip_firmware.version() == "2.2.1"
