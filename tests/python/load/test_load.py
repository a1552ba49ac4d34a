"""`lasthop load` against servers of others: what is measured is what happened there."""

import json
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tests.python.load.conftest import Echo, free_port

from lasthop.outcome.results import Results

Mosquitto = Callable[..., int]

COMMAND = (sys.executable, "-m", "lasthop", "load")
PATIENCE_S = 120.0

REPORTS = """
study: reports
duration: 3 s
measure: {warm_up: 1 s, drain: 5 s}
devices: 20
traffic: {report: 100 B, every: 100 ms}
stacks: [mqtt qos=0, mqtt qos=1, mqtt qos=2, mqtt qos=1 version=5]
expect: ["delivery_ratio == 100 %", "messages_duplicated == 0 where stack == 'mqtt qos=2'"]
repeat: 1
"""

ECHOES = """
study: echoes
duration: 3 s
measure: {warm_up: 0 s, drain: 2 s}
traffic: {round_trip: 100 B, every: 10 ms}
stacks: [raw_udp]
repeat: 1
"""

TO_ALL = """
study: to-all
duration: 2 s
measure: {warm_up: 1 s, drain: 5 s, messages: each}
servers: {broker: {}}
fleet:
  sensors: {count: 2, server: broker}
  displays: {count: 3, server: broker}
traffic:
  reading: {from: sensors, to: all of displays, report: 100 B, every: 100 ms}
stacks: [mqtt qos=1]
repeat: 1
"""


def _study(folder: Path, text: str, name: str = "study") -> Path:
    file = folder / f"{name}.yaml"
    file.write_text(text)
    return file


def _start(folder: Path, text: str, *arguments: str, out: str = "out") -> "subprocess.Popen[str]":
    command = [*COMMAND, str(_study(folder, text, out)), "--out", str(folder / out), *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen([*command, "--quiet"], stdout=pipe, stderr=pipe, text=True)


def _load(folder: Path, text: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    with _start(folder, text, *arguments) as process:
        said, complaints = process.communicate(timeout=PATIENCE_S)
    return subprocess.CompletedProcess(process.args, process.returncode, said, complaints)


@pytest.mark.soak
def test_reports_through_mosquitto_end_at_subscribers_of_ours(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    port = mosquitto()
    done = _load(tmp_path, REPORTS, "--against", f"mqtt://127.0.0.1:{port}")
    assert done.returncode in {0, 3}, done.stderr  # 3: this machine was too busy to be believed
    results = Results(tmp_path / "out")
    runs = results.runs
    assert runs["engine"].unique().to_list() == ["load"]
    assert runs["delivery_ratio"].to_list() == [1.0] * 4
    measured = 20 * 2000 // 100
    for offered in runs["messages_offered"]:
        assert abs(offered - measured) <= 20  # one more or less of each device
    assert (runs["latency_p50_ms"] > 0).all()
    assert runs["wire_bytes_up_offered"].null_count() == 4
    assert runs["lateness_p99_ms"].null_count() == 0
    programs = results.programs
    assert programs["software"].to_list() == ["lasthop"] * 4
    assert (programs["cpu_s"] > 0).all()
    assert (tmp_path / "out" / "report.html").is_file()


@pytest.mark.soak
def test_nothing_of_it_stays_at_the_broker(mosquitto: Mosquitto, tmp_path: Path) -> None:
    port = mosquitto()
    _load(tmp_path, REPORTS, "--against", f"127.0.0.1:{port}", "--set", "stacks=[mqtt qos=2]")
    total = "$SYS/broker/clients/total"
    asked = ["mosquitto_sub", "-p", str(port), "-t", total, "-R", "-C", "1", "-W", "20"]
    told = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert told.stdout.split() == ["1"]  # who asks


@pytest.mark.soak
def test_two_loads_at_once_do_not_meet(mosquitto: Mosquitto, tmp_path: Path) -> None:
    address = f"127.0.0.1:{mosquitto()}"
    against = ("--against", address, "--set", "stacks=[mqtt qos=1]", "--set", "expect=[]")
    loads = [_start(tmp_path, REPORTS, *against, out=out) for out in ("one", "two")]
    for process in loads:
        _, complaints = process.communicate(timeout=PATIENCE_S)
        assert not complaints
    for out in ("one", "two"):
        (run,) = Results(tmp_path / out).runs.to_dicts()
        assert run["delivery_ratio"] == 1.0, run["reason"]
        assert run["messages_duplicated"] == 0


def test_a_server_that_stops_for_a_while_thins_out_no_load(echo: Echo, tmp_path: Path) -> None:
    """Whoever waits for an answer before the next message would see one slow message, not 80."""
    echo.pause_after, echo.pause_s = 100, 0.8
    _load(tmp_path, ECHOES, "--against", f"raw_udp://127.0.0.1:{echo.port}")
    results = Results(tmp_path / "out")
    (run,) = results.runs.to_dicts()
    assert run["messages_offered"] == 300
    assert run["delivery_ratio"] == 1.0
    messages = results.messages.sort("intended_ns")
    gaps = messages["intended_ns"].diff().drop_nulls()
    assert gaps.unique().to_list() == [10_000_000]  # as planned, to the nanosecond
    slow = messages.filter(pl.col("latency_ms") > 100).height
    # At least those that were due in the first 0.7 s of the pause.
    assert slow >= 60
    assert run["latency_max_ms"] >= 700


def test_a_finished_load_says_nothing_of_a_server_by_now(tmp_path: Path, echo: Echo) -> None:
    short = ("--set", "measure.drain=1 s", "--set", "duration=1 s")
    against = ("--against", f"raw_udp://127.0.0.1:{echo.port}", *short)
    # A machine that was too late for it has finished, too.
    assert _load(tmp_path, ECHOES, *against).returncode in {0, 3}
    echo.ended = True
    again = _load(tmp_path, ECHOES, *against)
    assert again.returncode == 2
    assert again.stderr == (
        f"lasthop: {tmp_path}/out: it has the results of a finished load, and these "
        "cannot be repeated or continued; choose another --out, or remove the "
        "folder\n"
    )


def test_what_nobody_answers_is_not_delivered(tmp_path: Path, echo: Echo) -> None:
    echo.ended = True
    _load(
        tmp_path,
        ECHOES,
        *("--against", f"raw_udp://127.0.0.1:{echo.port}"),
        *("--set", "measure.drain=1 s", "--set", "duration=1 s"),
    )
    (run,) = Results(tmp_path / "out").runs.to_dicts()
    assert (run["messages_offered"], run["messages_unfinished"]) == (100, 100)
    assert run["delivery_ratio"] == 0.0


COAP = """
study: coap
duration: 3 s
measure: {warm_up: 1500 ms, drain: 3 s}
devices: 10
traffic: {report: 64 B, every: 200 ms}
stacks: [coap type=con, coap type=non]
repeat: 1
"""


@pytest.mark.soak
def test_reports_over_coap_reach_who_observes_at_libcoap(tmp_path: Path) -> None:
    program = shutil.which("coap-server-notls")
    if program is None:
        pytest.skip("coap-server-notls is missing; apt-get install libcoap3-bin")
    port = free_port()
    with subprocess.Popen([program, "-A", "127.0.0.1", "-p", str(port), "-d", "100"]) as server:
        time.sleep(0.5)
        _load(tmp_path, COAP, "--against", f"coap://127.0.0.1:{port}")
        server.terminate()
    runs = Results(tmp_path / "out").runs
    assert runs["delivery_ratio"].to_list() == [1.0, 1.0], runs["reason"].to_list()


@pytest.mark.soak
def test_users_and_passwords(mosquitto: Mosquitto, tmp_path: Path) -> None:
    passwords = tmp_path / "passwords"
    made = ["mosquitto_passwd", "-b", "-c", str(passwords), "ann", "secret"]
    subprocess.run(made, check=True, capture_output=True)
    passwords.chmod(0o644)
    port = mosquitto("allow_anonymous false", f"password_file {passwords}")
    short = ("--set", "stacks=[mqtt qos=1]", "--set", "measure.set_up=2 s", "--set", "expect=[]")
    against = ("--against", f"127.0.0.1:{port}", *short)
    known = _load(tmp_path, REPORTS, *against, "--user", "ann:secret")
    assert known.returncode in {0, 3}, known.stderr
    (run,) = Results(tmp_path / "out").runs.to_dicts()
    assert run["delivery_ratio"] == 1.0
    for file in (tmp_path / "out").iterdir():
        assert file.is_dir() or b"ann:secret" not in file.read_bytes(), file


def test_what_was_stopped_is_told_and_done_again(echo: Echo, tmp_path: Path) -> None:
    against = ("--against", f"raw_udp://127.0.0.1:{echo.port}", "--set", "duration=1 min")
    with _start(tmp_path, ECHOES, *against, "--json") as process:
        while len(echo.seen) < 50:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        said, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "to continue" in complaints
    assert json.loads(said)["counts"] == {"invalid": 1}
    (run,) = Results(tmp_path / "out").runs.to_dicts()
    assert (run["status"], run["reason"]) == ("invalid", "interrupted")
    assert 40 <= run["messages_delivered"] <= run["messages_offered"] < 6000
    assert not list((tmp_path / "out" / "parts").glob("*.part"))


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["--set", "path.loss=5 %"], 2, "cannot emulate a path"),
        (
            ["--set", "events=[{start: 1 s, outage: server, for: 1 s}]"],
            2,
            "possible only in a simulation",
        ),
        (["--set", "faults=[{drop: coap.ack}]"], 2, "faults"),
        (["--set", "traffic={command: 10 B, every: 1 s}"], 2, "the arrival of a command"),
        (
            ["--set", "traffic={report: 10 B, every: 1 s}"],
            2,
            "the arrival of a report of raw_udp",
        ),
        (["--set", "stacks=[mqtt impl=mosquitto]"], 2, "impl= starts real software only"),
        (
            ["--set", "stacks=[mqtt]"],
            2,
            "no stack of the study can be sent to a server: no --against",
        ),
        (["--against", "smtp://127.0.0.1"], 2, '"smtp" is not a protocol of lasthop load'),
        (["--against", "dds://127.0.0.1"], 2, '"dds" is not a protocol of lasthop load'),
        (["--set", "stacks=[dds]"], 2, "dds has no server that can be loaded"),
        (["--against", "mqtt://"], 2, "is not a valid address"),
        (["--against", "raw_udp://127.0.0.1:9"], 2, "are both for raw_udp/udp"),
        (["--set", "devices=90000"], 4, "connections"),
    ],
)
def test_what_cannot_be_loaded_is_told_in_a_line(
    echo: Echo, tmp_path: Path, arguments: list[str], code: int, complaint: str
) -> None:
    against = ("--against", f"raw_udp://127.0.0.1:{echo.port}")
    done = _load(tmp_path, ECHOES, *against, *arguments)
    assert done.returncode == code, done.stderr
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) <= 1
    assert not echo.seen
    assert code == 0 or not (tmp_path / "out").exists()


def test_nobody_listens(tmp_path: Path) -> None:
    done = _load(tmp_path, REPORTS, "--against", f"mqtt://127.0.0.1:{free_port()}")
    assert done.returncode == 4
    assert "connection refused; check that the server is running" in done.stderr


def test_a_server_that_lets_nobody_in_is_no_result(tmp_path: Path) -> None:
    """It takes the connections, and says nothing on them: no broker, or one that hangs."""
    study = REPORTS[: REPORTS.index("stacks:")] + "stacks: [mqtt qos=0]\nrepeat: 1\n"
    study = study.replace("warm_up: 1 s", "warm_up: 1 s, set_up: 1 s")
    with socket.create_server(("127.0.0.1", 0)) as mute:
        done = _load(
            tmp_path, study, "--against", f"mqtt://127.0.0.1:{mute.getsockname()[1]}", "--json"
        )
    assert done.returncode == 4
    assert "no session came about in any run" in done.stderr
    told = json.loads(done.stdout)
    assert (told["exit_code"], told["counts"]) == (4, {"failed": 1})


def test_an_address_for_all_protocols_where_nobody_listens_is_no_success(tmp_path: Path) -> None:
    port = free_port()
    done = _load(tmp_path, REPORTS, "--against", f"127.0.0.1:{port}")
    (line,) = done.stderr.splitlines()
    assert done.returncode == 4
    assert f"127.0.0.1:{port}: connection refused; check that the server is running" in line
    assert not (tmp_path / "out").exists()


def test_options_that_the_kernel_has_are_named(mosquitto: Mosquitto, tmp_path: Path) -> None:
    command = [*COMMAND, str(_study(tmp_path, REPORTS)), "--out", str(tmp_path / "out")]
    command += ["--against", f"127.0.0.1:{mosquitto()}", "--set", "duration=2 s"]
    command += ["--set", "stacks=[mqtt qos=0 tcp.congestion=cubic]", "--set", "measure.drain=0 s"]
    command += ["--set", "expect=[]"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert "not used: tcp.congestion; TCP and UDP are those of the kernel" in done.stderr


def test_a_report_for_all_of_a_group_reaches_each_through_a_server_under_load(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    done = _load(tmp_path, TO_ALL, "--against", f"127.0.0.1:{mosquitto()}")
    assert done.returncode in {0, 3}, done.stderr  # 3: this machine was too busy to be believed
    results = Results(tmp_path / "out")
    (run,) = results.runs.to_dicts()
    assert run["delivery_ratio"] == 1.0, run["reason"]
    messages = results.messages.filter(pl.col("measured"))
    assert run["messages_offered"] == len(messages)
    told = messages.group_by("device", "message").agg(pl.col("receiver").sort())
    assert told["receiver"].to_list() == [[0, 1, 2]] * len(told)
    assert set(messages["device"]) == {0, 1}
