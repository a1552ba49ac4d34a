"""Translators and radio networks between sockets of the kernel, in the time of the machine."""

import json
import socket
import time

import pytest

from lasthop import _native

from .conftest import FAR, NEAR, PATIENCE_S, Ends, Spec, constant, emulation, link, way

PORT = 5683
OUTSIDE = "198.51.100.7"


def _nat(**settings: object) -> Spec:
    second = 1_000_000_000
    usual = {"udp_timeout_ns": 60 * second, "tcp_timeout_ns": 7200 * second, "ports": 64512}
    nat = {**usual, "rebind_every_ns": None, **settings}
    return {"name": "nat", "scope": "own", "nat": nat}


def _bound(address: str, port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind((address, port))
    made.settimeout(PATIENCE_S)
    return made


def test_the_far_end_sees_the_translator_and_a_new_port_after_it_has_forgotten(ends: Ends) -> None:
    path = {"translated": {"ipv4": OUTSIDE, "ipv6": "2001:db8::7"}}
    hops = (_nat(rebind_every_ns=700_000_000), link(way(delay=constant(1))))
    seen = []
    device = ends.near.inside(lambda: _bound(NEAR, 4000))
    server = ends.far.inside(lambda: _bound(FAR, PORT))
    with device, server, ends.behind(emulation(*hops, path=path)) as running:
        for _ in range(2):
            device.sendto(b"question", (FAR, PORT))
            question, asker = server.recvfrom(100)
            server.sendto(b"answer", asker)
            assert (question, device.recv(100)) == (b"question", b"answer")
            seen.append(asker)
            time.sleep(0.75)
        # To the first address there is no way back any more.
        server.sendto(b"late", seen[0])
        time.sleep(0.2)
    assert [address for address, _ in seen] == [OUTSIDE, OUTSIDE]
    assert seen[0] != seen[1]
    assert running.summary["down"]["dropped"] == {"nat_no_mapping": {"packets": 1, "bytes": 32}}
    assert running.summary["up"]["delivered"]["packets"] == 2


def test_tcp_goes_through_a_translator_with_checksums_that_the_kernel_accepts(ends: Ends) -> None:
    sent = bytes(range(256)) * 400
    with ends.behind(emulation(_nat())):
        listener = ends.far.inside(lambda: socket.create_server((FAR, PORT)))
        client = ends.near.inside(lambda: socket.create_connection((FAR, PORT), PATIENCE_S))
        with listener, client:
            server, (asker, _) = listener.accept()
            with server:
                server.settimeout(PATIENCE_S)
                client.sendall(sent)
                client.shutdown(socket.SHUT_WR)
                came = b"".join(iter(lambda: server.recv(1 << 16), b""))
    assert came == sent
    assert asker.startswith("100.64.")


@pytest.mark.parametrize("ends", ["tun"], indirect=True)
def test_a_cell_of_nbiot_takes_its_time(ends: Ends) -> None:
    cell = {
        "name": "cell",
        "scope": "all",
        "nbiot": json.loads(_native.nbiot_preset("single_device")),
    }
    device = ends.near.inside(lambda: _bound(NEAR, 4000))
    server = ends.far.inside(lambda: _bound(FAR, PORT))
    taken = []
    with device, server, ends.behind(emulation(cell, path={"coupling_loss_db": 144.0})) as running:
        for _ in range(2):
            begin = time.monotonic()
            device.sendto(b"reading", (FAR, PORT))
            reading, sender = server.recvfrom(100)
            up = time.monotonic() - begin
            server.sendto(b"command", sender)
            assert (reading, device.recv(100)) == (b"reading", b"command")
            taken.append((up, time.monotonic() - begin))
    (first, _), (second, _) = taken
    # Random access comes before the first; a preamble and three messages take more than 40 ms.
    assert 0.04 < first < 20
    assert second < first
    assert running.summary["up"]["queued"]["packets"] == 0
