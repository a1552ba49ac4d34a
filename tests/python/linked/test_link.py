"""A link before a server, as the emulator and as a proxy."""

import contextlib
import gc
import os
import socket
import struct
import subprocess
import sys
import warnings
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Literal

import pytest

import lasthop
from lasthop._native import CaptureLedger
from lasthop.errors import EnvironmentFailure, LasthopError, UsageError
from lasthop.linked import Link
from lasthop.testbed import missing_requirement

from .conftest import Echo, answered, exchange

Kind = Literal["emulator", "proxy"]

_TCP_INFO_TOTAL_RETRANS = 100
"""Where struct tcp_info of linux/tcp.h has tcpi_total_retrans."""


@pytest.fixture(params=["emulator", "proxy"])
def kind(request: pytest.FixtureRequest) -> Kind:
    """Name each kind of link, where this machine allows it."""
    if request.param == "emulator" and (missing := missing_requirement()) is not None:
        pytest.skip(f"the emulator needs {missing}")
    chosen: Kind = request.param
    return chosen


def test_bytes_pass_whole_and_end_in_both_directions_whatever_is_lost(
    kind: Kind, echo: Echo
) -> None:
    content = os.urandom(200_000)
    with lasthop.link(loss="5 %", delay="5 ms", server=echo.address, kind=kind, seed=3) as link:
        assert link.kind == kind
        assert exchange(link.address, content) == content
        stats = link.stats()
    assert stats.up.dropped["loss"] > 0
    assert stats.down.dropped["loss"] > 0
    for way in (stats.up, stats.down):
        gone = way.delivered_packets + sum(way.dropped.values()) + way.queued_packets
        assert way.offered_packets + way.duplicated_packets == gone


def test_the_clients_own_tcp_meets_the_losses_of_the_emulator_and_not_those_of_a_proxy(
    kind: Kind, echo: Echo
) -> None:
    content = b"x" * 300_000
    with (
        lasthop.link(loss="10 %", server=echo.address, kind=kind) as link,
        socket.create_connection(link.address, timeout=60) as client,
    ):
        client.settimeout(60)
        client.sendall(content)
        read = 0
        while read < len(content):
            read += len(client.recv(65_536))
        info = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 192)
        retransmitted = struct.unpack_from("=I", info, _TCP_INFO_TOTAL_RETRANS)[0]
    assert (retransmitted > 0) == (kind == "emulator")


def test_the_same_seed_loses_the_same_datagrams(kind: Kind, echo: Echo) -> None:
    came: list[set[int]] = []
    for seed in (7, 7, 8):
        with lasthop.link(loss="30 %", server=echo.address, kind=kind, seed=seed) as link:
            came.append(answered(link.address, range(100)))
    assert came[0] == came[1] != came[2]
    # (1 - p)^2 of 100, five standard deviations wide.
    assert 24 <= len(came[0]) <= 74


def test_settings_change_while_it_works_and_the_others_stay(kind: Kind, echo: Echo) -> None:
    with lasthop.link(delay="1 ms", server=echo.address, kind=kind) as link:
        assert len(answered(link.address, range(20))) == 20
        link.set(loss="100 %")
        assert answered(link.address, range(20), patience=0.3) == set()
        assert link.stats().up.dropped == {"loss": 20}
        link.set(loss=None)
        assert len(answered(link.address, range(20))) == 20
        assert "delay 1 ms" in link.describe()


def test_nothing_passes_while_it_is_cut(kind: Kind, echo: Echo) -> None:
    with lasthop.link(server=echo.address, kind=kind) as link:
        link.cut()
        link.cut()
        assert answered(link.address, range(5), patience=0.3) == set()
        assert link.stats().up.dropped == {"outage": 5}
        link.restore()
        assert len(answered(link.address, range(5))) == 5


def test_several_clients_pass_at_a_time(kind: Kind, echo: Echo) -> None:
    with lasthop.link(delay="2 ms", server=echo.address, kind=kind) as link:
        clients = [socket.create_connection(link.address, timeout=30) for _ in range(20)]
        for number, client in enumerate(clients):
            client.sendall(b"%d" % number)
        for number, client in enumerate(clients):
            assert client.recv(10) == b"%d" % number
            client.close()


def test_a_capture_holds_what_passes_from_then_on(kind: Kind, echo: Echo, tmp_path: Path) -> None:
    with lasthop.link(server=echo.address, kind=kind) as link:
        answered(link.address, range(100, 105))
        link.capture(tmp_path / "near.pcapng")
        answered(link.address, range(200, 205))
        link.capture(None)
        captured = (tmp_path / "near.pcapng").read_bytes()
        link.capture(tmp_path / "far.pcapng", end="far")
        answered(link.address, range(300, 305))
    assert b"200" in captured
    assert b"100" not in captured
    ledger = CaptureLedger()
    ledger.feed((tmp_path / "far.pcapng").read_bytes())
    ledger.end_of_file()
    assert '"packets"' in ledger.finish()


def test_a_server_that_is_not_there_resets_the_connection(kind: Kind) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = taken.getsockname()
    with (
        lasthop.link(server=nobody, kind=kind) as link,
        pytest.raises(ConnectionResetError),
        socket.create_connection(link.address, timeout=10) as client,
    ):
        client.recv(1)


def test_a_link_that_is_closed_ends_its_connections_and_keeps_its_stats(
    kind: Kind, echo: Echo
) -> None:
    with lasthop.link(server=echo.address, kind=kind) as link:
        answered(link.address, range(3))
        client = socket.create_connection(link.address, timeout=10)
    with client:
        client.settimeout(1)
        # It ends or is reset; with the device of the emulator gone, there is silence.
        with contextlib.suppress(OSError):
            assert client.recv(1) == b""
    assert link.stats().up.offered_packets >= 3
    link.close()
    with pytest.raises(UsageError, match="the link is closed"):
        link.cut()


def test_one_that_is_forgotten_is_closed_with_a_warning(echo: Echo) -> None:
    link = lasthop.link(server=echo.address, kind="proxy")
    link.start()
    address = link.address
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del link
        gc.collect()
    assert [str(it.message).startswith("the link 127.0.0.1:") for it in caught] == [True]
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(address, timeout=1)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a loss without a unit": ({"loss": 10}, 'loss:*"10" has no unit; write "10 %"'),
    "an unknown key": ({"lost": "10 %"}, 'lost:*unknown key "lost"*'),
    "a value of no path": ({"loss": object()}, "loss: *is not a value of a path*"),
    "no port": ({"server": "localhost"}, "server: *is not a host and a port*"),
    "port 0": ({"server": ("127.0.0.1", 0)}, "server: no server listens at port 0; write *"),
    "an unknown host": ({"server": ("no.such.host.invalid", 1)}, "server: *not a known host*"),
    "a seed of text": ({"seed": "1"}, "seed: *is not a whole number*"),
    "an unknown kind": ({"kind": "vpn"}, 'kind: *write "emulator" or "proxy"'),
    "a kind that cannot listen": (
        {"kind": "emulator", "listen": ("127.0.0.1", 0)},
        "listen: an emulator has an address of its own*",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_is_refused_in_one_line(case: str) -> None:
    arguments, message = BAD[case]
    with pytest.raises(LasthopError) as caught:
        lasthop.link(**{"server": ("127.0.0.1", 9)} | arguments)
    said = str(caught.value)
    assert fnmatch(said, message.replace("[", "[[]")), said
    assert "\n" not in said


def test_a_port_that_is_taken_is_named_with_a_remedy(echo: Echo) -> None:
    link = lasthop.link(server=echo.address, listen=echo.address)
    with pytest.raises(EnvironmentFailure, match=r"in use; stop the program .* or write port 0"):
        link.start()


def test_what_cannot_change_while_it_works_is_refused_and_it_goes_on(echo: Echo) -> None:
    with lasthop.link(server=echo.address, kind="proxy") as link:
        with pytest.raises(UsageError, match="mtu: the ends know 1500 B"):
            link.set(mtu="600 B")
        with pytest.raises(UsageError, match="only the values of a link can be changed"):
            link.set(nat={"udp": "30 s"})
        with pytest.raises(LasthopError, match='loss: "5" has no unit'):
            link.set(loss="5")
        with pytest.raises(EnvironmentFailure, match=r"capture: .*No such file"):
            link.capture("/no/such/folder/x.pcapng")
        assert len(answered(link.address, range(5))) == 5


def test_without_rights_it_is_a_proxy_and_says_what_to_type(
    echo: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("lasthop.linked.ends.Tun.open_here", refused)
    with lasthop.link(server=echo.address) as link:
        assert (link.kind, len(answered(link.address, range(3)))) == ("proxy", 3)
        assert "unshare --user --map-root-user --net" in (link.why_proxy or "")
    with pytest.raises(EnvironmentFailure, match="may not create network devices"):
        Link({}, server=echo.address, kind="emulator").start()


def test_a_server_at_an_ipv6_address_is_reached(kind: Kind) -> None:
    try:
        server = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with (
        server,
        lasthop.link(server=server.getsockname()[:2], kind=kind) as link,
        socket.create_connection(link.address, timeout=10) as client,
    ):
        accepted, peer = server.accept()
        with accepted:
            accepted.sendall(b"hello")
            assert (client.recv(10), peer[0]) == (b"hello", "::1")


def test_on_a_machine_with_ipv6_alone_a_link_works() -> None:
    program = """
import socket, lasthop
server = socket.create_server(("::1", 0), family=socket.AF_INET6)
for kind in ("emulator", "proxy"):
    listen = ("::1", 0) if kind == "proxy" else None
    with lasthop.link(server=server.getsockname()[:2], kind=kind, listen=listen) as link:
        with socket.create_connection(link.address, timeout=10) as client:
            accepted, _ = server.accept()
            accepted.sendall(kind.encode())
            print(client.recv(20).decode())
"""
    only_ipv6 = "ip link set lo up; ip addr del 127.0.0.1/8 dev lo; "
    command = ["unshare", "--user", "--map-root-user", "--net", "bash", "-c"]
    command += [only_ipv6 + f"exec {sys.executable} -c '{program}'"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if "unshare failed" in done.stderr:
        pytest.skip("user namespaces are not allowed")
    assert done.stdout.split() == ["emulator", "proxy"], done.stderr
