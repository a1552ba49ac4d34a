"""What lies at the ends: veth with its traps, ports with boards on them, a machine that stops."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import FAR, NEAR, PATIENCE_S, Ends, constant, emulation, link, way

PORT = 7


def _bound(address: str) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind((address, PORT))
    made.settimeout(PATIENCE_S)
    return made


def test_fragments_are_carried(ends: Ends) -> None:
    near, far = ends.near.inside(lambda: _bound(NEAR)), ends.far.inside(lambda: _bound(FAR))
    datagram = bytes(range(250)) * 16
    with near, far, ends.behind(emulation(link(way(delay=constant(1))))) as path:
        near.sendto(datagram, (FAR, PORT))
        assert far.recv(5000) == datagram
    assert path.summary["up"]["delivered"] == {"packets": 3, "bytes": 4000 + 8 + 3 * 20}


@pytest.mark.parametrize("ends", ["veth"], indirect=True)
def test_packets_that_no_wire_carries_make_the_run_invalid(ends: Ends) -> None:
    # A device that is told of a larger MTU gives them as one with offloads does.
    ends.near.run("ip", "link", "set", "out", "mtu", "9000")
    near, far = ends.near.inside(lambda: _bound(NEAR)), ends.far.inside(lambda: _bound(FAR))
    with near, far, ends.behind(emulation(link(way()), mtu_bytes=1500)) as path:
        near.sendto(bytes(1472), (FAR, PORT))
        near.sendto(bytes(1473), (FAR, PORT))
        time.sleep(0.3)
    assert path.summary["up"]["oversized_packets"] == 1
    (why,) = path.summary["invalid"]
    assert why == (
        "the near end gave packets of more than 1500 bytes, 1 in all; switch its offloads off"
    )


@pytest.mark.parametrize("ends", ["veth"], indirect=True)
def test_a_board_that_asks_by_arp_and_one_that_has_not_spoken_are_reached(ends: Ends) -> None:
    for namespace, number in ((ends.near, "77"), (ends.far, "78")):
        namespace.run(
            "ip", "link", "set", "out", "address", f"02:00:00:00:00:{number}", "arp", "on"
        )
        namespace.run("ip", "route", "replace", "default", "dev", "out")
    near, far = ends.near.inside(lambda: _bound(NEAR)), ends.far.inside(lambda: _bound(FAR))
    with near, far, ends.behind(emulation(link(way()))):
        far.settimeout(0.2)
        came = b""
        for _ in range(20):
            near.sendto(b"to a board", (FAR, PORT))
            try:
                came = far.recv(100)
                break
            except TimeoutError:
                pass  # Its address was asked for meanwhile.
        assert came == b"to a board"
        far.sendto(b"back", (NEAR, PORT))
        assert near.recv(100) == b"back"


_ALONE = """
import json, sys
from lasthop.testbed import Emulation
with Emulation(json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])) as path:
    print("READY", flush=True)
    sys.stdin.read()
print(json.dumps(path.summary))
"""


@pytest.mark.parametrize("stopped_s", [0, 2])
def test_an_emulator_that_was_stopped_says_so_with_the_figure(ends: Ends, stopped_s: int) -> None:
    limit = {"p99_ns": 1_500_000_000, "max_ns": 1_500_000_000}
    spec = emulation(link(way(delay=constant(5))), lateness_limit=limit)
    command = [sys.executable, "-c", _ALONE, json.dumps(spec), *map(str, ends.descriptors)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        pass_fds=ends.descriptors,
        cwd=Path(__file__).parents[3],
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "READY\n"
        if stopped_s:
            os.kill(process.pid, signal.SIGSTOP)
            time.sleep(stopped_s)
            os.kill(process.pid, signal.SIGCONT)
        summary = json.loads(process.communicate(timeout=PATIENCE_S)[0])
    if not stopped_s:
        assert summary["invalid"] == []
        return
    assert 1.9e9 < summary["lateness"]["longest_pause_ns"] < 30e9
    assert any(
        why.startswith("the emulator was up to ") and why.endswith("the limit is 1500.0 ms")
        for why in summary["invalid"]
    )
