"""The kernel's stack at both ends of a path of ours, in the time of the machine."""

import json
import select
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from lasthop import _native
from lasthop.testbed import Emulation

from .conftest import FAR, NEAR, PATIENCE_S, Ends, constant, emulation, link, way

PORT = 7


def _sockets(ends: Ends) -> tuple[socket.socket, socket.socket]:
    def bound(address: str) -> socket.socket:
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.bind((address, PORT))
        made.settimeout(PATIENCE_S)
        return made

    return ends.near.inside(lambda: bound(NEAR)), ends.far.inside(lambda: bound(FAR))


def _waiting(one: socket.socket) -> list[bytes]:
    """Give what came, once nothing has come for a while."""
    came: list[bytes] = []
    while select.select([one], [], [], 1.0)[0]:
        came.append(one.recv(2000))
    return came


def test_a_datagram_takes_the_delay_of_its_way_and_never_less(ends: Ends) -> None:
    hop = link(way(delay=constant(30)), way(delay=constant(10)))
    near, far = _sockets(ends)
    with near, far, ends.behind(emulation(hop)) as path:
        taken = []
        for number in range(20):
            begin = time.monotonic_ns()
            near.sendto(number.to_bytes(2), (FAR, PORT))
            assert far.recvfrom(10) == (number.to_bytes(2), (NEAR, PORT))
            middle = time.monotonic_ns()
            far.sendto(b"back", (NEAR, PORT))
            near.recv(10)
            taken.append((middle - begin, time.monotonic_ns() - middle))
    assert min(up for up, _ in taken) >= 30e6
    assert min(down for _, down in taken) >= 10e6
    # The median of 20 is beside the point of a machine that is busy for a while.
    assert sorted(up for up, _ in taken)[10] < 60e6
    packet = 20 + 8
    assert path.summary["up"]["offered"] == {"packets": 20, "bytes": 20 * (packet + 2)}
    assert path.summary["down"]["delivered"] == {"packets": 20, "bytes": 20 * (packet + 4)}
    # One that is met to the nanosecond is not late.
    assert 30 <= path.summary["lateness"]["deadlines"] <= 40
    assert path.summary["invalid"] == []
    assert path.summary["cpu_seconds"] < path.summary["seconds"]


def test_loss_is_that_of_the_seed_and_every_packet_ends_somewhere(ends: Ends) -> None:
    hop = link(way(loss={"bernoulli": {"probability": 0.3}}, duplicate={"probability": 0.1}))
    arrived = []
    for seed in (1, 1, 2):
        near, far = _sockets(ends)
        with near, far, ends.behind(emulation(hop, seed=seed)) as path:
            for number in range(300):
                near.sendto(number.to_bytes(2), (FAR, PORT))
                time.sleep(0.0002)
            arrived.append(_waiting(far))
        up = path.summary["up"]
        assert up["offered"]["packets"] == 300
        assert up["delivered"]["packets"] == len(arrived[-1])
        lost = up["dropped"]["loss"]["packets"]
        assert 300 + up["duplicated"]["packets"] == len(arrived[-1]) + lost
        assert up["queued"]["packets"] == up["refused_packets"] == 0
        # 90 give or take 5 deviations of 7.9.
        assert 50 <= lost <= 130
    assert arrived[0] == arrived[1] != arrived[2]


def test_what_is_under_way_at_the_end_is_told(ends: Ends) -> None:
    near, far = _sockets(ends)
    with near, far, ends.behind(emulation(link(way(delay=constant(60_000))))) as path:
        near.sendto(b"late", (FAR, PORT))
        time.sleep(0.3)
    assert path.summary["up"]["queued"] == {"packets": 1, "bytes": 32}
    assert path.summary["down"]["offered"]["packets"] == 0


def test_captures_hold_what_each_end_saw_and_why_packets_ended(ends: Ends, tmp_path: Path) -> None:
    files: dict[str, Any] = {
        f"capture_{end}": str(tmp_path / f"{end}.pcapng") for end in ("near", "far")
    }
    hop = link(way(loss={"bernoulli": {"probability": 0.5}}, delay=constant(5)), way())
    before = time.time()
    near, far = _sockets(ends)
    with near, far, ends.behind(emulation(hop, **files)):
        for number in range(40):
            near.sendto(number.to_bytes(2), (FAR, PORT))
        arrived = _waiting(far)
    names = ("frame.time_epoch", "frame.comment", "udp.payload")
    seen = {}
    for end, file in files.items():
        command = ["tshark", "-n", "-r", file, "-T", "json", *(f"-e{name}" for name in names)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        seen[end] = [packet["_source"]["layers"] for packet in json.loads(done.stdout)]
    sent, came = seen["capture_near"], seen["capture_far"]
    assert [bytes.fromhex(packet["udp.payload"][0]) for packet in came] == arrived
    assert len(sent) == 40
    dropped = [packet for packet in sent if "dropped: loss" in packet["frame.comment"]]
    assert len(dropped) == 40 - len(arrived)
    # Nanoseconds, of the time of day; a packet arrives when its delay is over.
    left = {packet["frame.comment"][0]: packet["frame.time_epoch"][0] for packet in sent}
    for packet in came:
        at, left_at = packet["frame.time_epoch"][0], left[packet["frame.comment"][0]]
        assert len(at.split(".")[1]) == 9
        assert before < float(left_at) <= float(at) - 0.0049 < time.time()


def test_tcp_goes_through_a_lossy_path_whole(ends: Ends) -> None:
    hop = link(way(loss={"bernoulli": {"probability": 0.02}}, delay=constant(2)))
    sent = bytes(range(256)) * 800
    with ends.behind(emulation(hop)) as path:
        listener = ends.far.inside(lambda: socket.create_server((FAR, PORT)))
        client = ends.near.inside(lambda: socket.create_connection((FAR, PORT), PATIENCE_S))
        with listener, client, listener.accept()[0] as server:
            server.settimeout(PATIENCE_S)
            client.sendall(sent)
            client.shutdown(socket.SHUT_WR)
            came = b"".join(iter(lambda: server.recv(1 << 16), b""))
    assert came == sent
    assert path.summary["up"]["offered"]["bytes"] > len(sent)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"hops": []}, "at least one hop"),
        (
            {"hops": [{"name": "x", "scope": "own"}]},
            "a hop is one of link, nat, nbiot, wlan, serial, registered",
        ),
        ({"hops": 3}, "invalid type"),
    ],
)
def test_a_path_that_cannot_be_is_said_before_anything_begins(
    ends: Ends, change: dict[str, object], words: str
) -> None:
    spec = emulation(link(way()), path={"path": change})
    with pytest.raises(_native.SpecError, match=words), ends.behind(spec):
        pytest.fail("it began")


def test_an_end_that_is_no_device_is_an_error_of_the_system() -> None:
    with pytest.raises(OSError, match="Bad file"), Emulation(emulation(link(way())), 999, 998):
        pytest.fail("it began")
