"""What a program behind a link meets, measured by the program; its status, its surroundings."""

import errno
import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .conftest import QUIET, Link

PROBE = Path(__file__).with_name("probe.py")


def test_loss_and_delay_are_those_that_the_program_measures(link: Link, python: str) -> None:
    """Loss 10 % each way: 0.81 come back; with seed 1 this is one draw, its bound that of 1e-6."""
    count = 1000
    done = link(
        *("--loss", "10%", "--delay", "40ms", "--jitter", "10ms", "--summary=json", *QUIET),
        *("--far", f"{python} {PROBE} echo 7", "--"),
        *(python, PROBE, "ask", "7", str(count), "4", "500"),
    )
    assert done.returncode == 0, done.stderr
    seconds = sorted(json.loads(done.stdout))
    spread = math.sqrt(0.81 * 0.19 / count)
    assert abs(len(seconds) / count - 0.81) < 4.9 * spread
    assert seconds[0] >= 0.060
    # The sum of two uniform delays of 30 to 50 ms; 20 ms for a machine with other work.
    assert 0.078 < seconds[len(seconds) // 2] < 0.102
    told = json.loads(done.stderr.splitlines()[-1])
    up, down = told["up"], told["down"]
    assert up["offered"]["packets"] == count
    assert up["offered"]["packets"] - up["dropped"]["loss"]["packets"] == down["offered"]["packets"]
    assert down["delivered"]["packets"] == len(seconds)
    assert up["offered"]["bytes"] == count * 128


def test_the_same_seed_loses_the_same_packets_and_another_one_others(
    link: Link, python: str
) -> None:
    def lost(seed: str) -> int:
        done = link(
            *("--loss", "30%", "--seed", seed, "--summary=json", *QUIET),
            *("--far", f"{python} {PROBE} echo 7", "--"),
            *(python, PROBE, "ask", "7", "200", "1", "10"),
        )
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stderr.splitlines()[-1])
        return int(told["up"]["dropped"]["loss"]["packets"])

    assert lost("1") == lost("1")
    assert len({lost(seed) for seed in "1234"}) > 1


@pytest.mark.soak
def test_a_real_client_and_broker_meet_the_delay_and_the_capture_is_tsharks(
    link: Link, broker: str, tmp_path: Path
) -> None:
    if shutil.which("mosquitto_pub") is None or shutil.which("tshark") is None:
        pytest.skip("mosquitto_pub or tshark is missing; apt-get install mosquitto-clients tshark")
    done = link(
        *("--delay", "100ms", "--capture", "out", *QUIET, "--far", broker, "--"),
        *("mosquitto_pub", "-h", "{host}", "-t", "x", "-m", "y"),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    def read(end: str, wanted: str, fields: tuple[str, ...]) -> list[str]:
        options = [option for field in fields for option in ("-e", field)]
        file = str(tmp_path / "out" / f"{end}.pcapng")
        command = ["tshark", "-r", file, "-Y", wanted, "-T", "fields", *options]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout.split()

    (sent,) = read("near", "mqtt.msgtype == 3", ("frame.time_epoch",))
    (came,) = read("far", "mqtt.msgtype == 3", ("frame.time_epoch",))
    assert 0.0999 < float(came) - float(sent) < 0.15
    # What it says as its last word arrives, though the program has ended by then.
    assert read("far", "mqtt.msgtype == 14", ("mqtt.msgtype",)) == ["14"]
    assert read("far", "tcp.checksum.status == 0", ("frame.number",)) == []


def test_what_differs_each_way_and_a_nat_are_there(link: Link, python: str) -> None:
    done = link(
        *("--up", "delay=60ms", "--down", "loss=100%", "--nat", "udp=30s", "--summary=json"),
        *(*QUIET, "--far", f"{python} {PROBE} echo 7", "--"),
        *(python, PROBE, "ask", "7", "5", "1", "200"),
    )
    assert (done.returncode, json.loads(done.stdout)) == (0, [])
    told = json.loads(done.stderr.splitlines()[-1])
    assert told["up"]["delivered"]["packets"] == 5
    assert told["down"]["dropped"] == {"loss": {"packets": 5, "bytes": 640}}


STUDY = """
study: two-hops
duration: 10 s
servers: {head: {}}
fleet:
  near: {count: 1, path: direct, server: head}
  far: {count: 1, path: behind, server: head}
paths:
  direct: {delay: 5 ms}
  behind: [{up: {delay: 40 ms}, mtu: 900 B}, {nat: {udp: 30 s}}, {down: {loss: 100 %}}]
traffic:
  reading: {from: far, report: 100 B, every: 1 s}
  other: {from: near, report: 100 B, every: 1 s}
stacks: [raw_udp]
"""


def test_the_path_of_a_study_is_there_with_all_its_hops(
    link: Link, python: str, tmp_path: Path
) -> None:
    (tmp_path / "two-hops.yaml").write_text(STUDY)
    asking = ("--far", f"{python} {PROBE} echo 7", "--", python, PROBE, "ask", "7", "5", "1", "300")

    def told(*options: str) -> Any:  # noqa: ANN401  plain values
        path = ("--path", "two-hops.yaml", "--summary=json", *QUIET)
        done = link(*path, *options, *asking)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), json.loads(done.stderr.splitlines()[-1])

    answered, did = told("--group", "far")
    assert answered == []
    assert did["link"] == {"path": "link, nat, link of far in two-hops"}
    assert did["up"]["delivered"]["packets"] == 5
    assert did["down"]["dropped"]["loss"]["packets"] == 5
    answered, did = told("--set", "paths.direct.delay=60 ms")
    assert len(answered) == 5
    assert min(answered) >= 0.12
    assert did["link"] == {"path": "link of near in two-hops"}


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (("--trace", "ridge.csv"), "the trace ridge.csv"),
        (("--profile", "satellite_geo"), "300 ms, no overtaking"),
    ],
)
def test_a_recorded_link_and_a_named_one_are_there(
    link: Link, python: str, tmp_path: Path, chosen: tuple[str, str], said: str
) -> None:
    (tmp_path / "ridge.csv").write_text("time_s,delay_ms\n0,40\n600,40\n")
    done = link(
        *(*chosen, "--summary=json", *QUIET, "--far", f"{python} {PROBE} echo 7"),
        *("--", python, PROBE, "ask", "7", "3", "1", "900"),
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stderr.splitlines()[-1])["link"]
    assert said in told["delay"], told
    least_s = 0.08 if "--trace" in chosen else 0.6
    assert all(seconds >= least_s for seconds in json.loads(done.stdout))


def test_a_firewall_lets_streams_pass_and_no_datagram(link: Link, python: str) -> None:
    block = ("--block", "udp", "--summary=json", *QUIET)
    done = link(
        *(*block, "--far", f"{python} {PROBE} echo 7", "--"),
        *(python, PROBE, "ask", "7", "5", "1", "200"),
    )
    assert (done.returncode, json.loads(done.stdout)) == (0, [])
    told = json.loads(done.stderr.splitlines()[-1])
    assert told["up"]["dropped"] == {"blocked": {"packets": 5, "bytes": 640}}
    fetch = "import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).status)"
    server = f"{python} -m http.server --bind {{host}} 8000"
    done = link(*block, "--far", server, "--", python, "-c", fetch, "http://{host}:8000/")
    assert (done.returncode, done.stdout) == (0, "200\n")


def test_ipv6_is_there_and_nothing_of_it_that_no_program_sends(link: Link, python: str) -> None:
    fetch = "import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).status)"
    server = f"{python} -m http.server --bind {{host6}} 8000"
    done = link(*QUIET, "--far", server, "--", python, "-c", fetch, "http://[{host6}]:8000/")
    assert (done.returncode, done.stdout) == (0, "200\n")
    asked = (python, "-c", "import os, time; time.sleep(1); print(os.environ['LASTHOP_HOST6'])")
    done = link("--summary=json", *QUIET, "--", *asked)
    assert (done.returncode, done.stdout) == (0, "fd77::2\n")
    told = json.loads(done.stderr.splitlines()[-1])
    assert told["up"]["offered"]["packets"] == told["down"]["offered"]["packets"] == 0


def test_a_device_in_a_cell_of_nbiot_waits_for_its_radio(link: Link, python: str) -> None:
    done = link(
        *("--nbiot", "coupling_loss=154dB", "--summary", *QUIET),
        *("--far", f"{python} {PROBE} echo 7", "--", python, PROBE, "ask", "7", "2", "100", "6000"),
    )
    assert done.returncode == 0, done.stderr
    seconds = json.loads(done.stdout)
    assert len(seconds) == 2
    assert all(0.1 < one < 6 for one in seconds)
    assert "2 packets (256 B) offered, 2 packets (256 B) delivered" in done.stderr


def test_nothing_but_the_far_end_can_be_reached(link: Link) -> None:
    done = link(*QUIET, "--", "ip", "-o", "address")
    reachable = [line.split()[1] for line in done.stdout.splitlines()]
    assert reachable == ["lo", "link0", "link0"]  # over IPv4 and IPv6
    assert link(*QUIET, "--", "ip", "route", "get", "192.0.2.1").returncode != 0
    assert link(*QUIET, "--", "ip", "route", "get", "{host}").returncode == 0


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (("true",), 0),
        (("sh", "-c", "exit 7"), 7),
        (("sh", "-c", "kill -9 $$"), 137),
        (("sh", "-c", "kill -TERM $$"), 143),
        (("no-such-program",), 127),
        (("/etc/passwd",), 126),
    ],
)
def test_the_status_is_that_of_the_program(
    link: Link, command: tuple[str, ...], status: int
) -> None:
    assert link(*QUIET, "--", *command).returncode == status


def test_what_belongs_to_the_program_is_left_to_it(link: Link) -> None:
    done = link(*QUIET, "echo", "--summary", "--help", "--loss", "{host}", "--")
    assert (done.returncode, done.stdout) == (0, "--summary --help --loss 10.77.0.2 --\n")
    assert done.stderr == ""
    assert link(*QUIET, "--", "sh", "-c", "echo $LASTHOP_HOST").stdout == "10.77.0.2\n"


def test_a_link_that_came_too_late_is_told_and_fails_what_succeeded(link: Link) -> None:
    """The emulator stops for 300 ms with all of this process."""
    stop = "kill -STOP $PPID; sleep 0.3; kill -CONT $PPID; sleep 0.1"
    done = link("--delay", "1ms", "--late-limit", "5ms", "--", "sh", "-c", stop)
    assert done.returncode == 3
    assert "lasthop: the link cannot be believed: " in done.stderr
    assert link("--late-limit", "5ms", "--", "sh", "-c", f"{stop}; exit 9").returncode == 9


def test_the_congestion_control_is_that_of_the_route(link: Link, python: str) -> None:
    ask = (
        "import os, socket\n"
        "s = socket.create_connection((os.environ['LASTHOP_HOST'], 8000))\n"
        "print(s.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b'\\0').decode())"
    )
    serve = f"{python} -m http.server 8000"
    for name in ("reno", "cubic"):
        done = link("--congestion", name, *QUIET, "--far", serve, "--", python, "-c", ask)
        assert (done.returncode, done.stdout) == (0, f"{name}\n"), done.stderr
    refused = link("--congestion", "none", *QUIET, "--", "true")
    assert refused.returncode == 2
    assert "tcp_available_congestion_control" in refused.stderr


ECHO = """
import socket
server = socket.create_server(("0.0.0.0", 8000))
print("started", flush=True)
while True:
    client, _ = server.accept()
    with client, client.makefile("rb") as come:
        client.sendall(come.read(100_000))
"""

ASK = """
import json, os, socket
with socket.create_connection((os.environ["LASTHOP_HOST"], 8000)) as client:
    client.sendall(bytes(100_000))
    client.shutdown(socket.SHUT_WR)
    come = client.makefile("rb").read()
    print(json.dumps([len(come), client.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG)]))
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
    client.setsockopt(socket.IPPROTO_IP, 10, 2)  # IP_MTU_DISCOVER, IP_PMTUDISC_DO
    client.connect((os.environ["LASTHOP_HOST"], 9))
    try:
        client.send(bytes(901 - 28))
    except OSError as error:
        print(error.errno)
"""


@pytest.mark.parametrize("hops", ["--mtu 900B", "--path narrow.yaml"])
def test_tcp_of_the_kernel_and_its_datagrams_meet_the_mtu_of_the_smallest_hop(
    hops: str, link: Link, python: str, tmp_path: Path
) -> None:
    narrow = STUDY.replace("{down: {loss: 100 %}}", "{mtu: 900 B}").replace(
        "40 ms}, mtu: 900", "40 ms}, mtu: 1200"
    )
    (tmp_path / "narrow.yaml").write_text(narrow)
    (tmp_path / "echo.py").write_text(ECHO)
    (tmp_path / "ask.py").write_text(ASK)
    options = [*hops.split(), *(("--group", "far") if "path" in hops else ())]
    far = ("--far", f"{python} {tmp_path}/echo.py", "--")
    done = link(*options, "--summary=json", *QUIET, *far, python, tmp_path / "ask.py")
    assert done.returncode == 0, done.stderr
    (come, segment), errno_of_a_larger = map(json.loads, done.stdout.splitlines())
    assert come == 100_000
    assert segment <= 900 - 40
    assert errno_of_a_larger == errno.EMSGSIZE
    told = json.loads(done.stderr.splitlines()[-1])
    assert told["up"]["dropped"] == told["down"]["dropped"] == {}
