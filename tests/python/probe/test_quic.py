"""A firewall that drops QUIC is found, by the first packet that a client of QUIC sends."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aioquic._buffer import Buffer
from aioquic.quic.crypto import CryptoPair
from aioquic.quic.packet import pull_quic_header

from lasthop.probe.measuring import measure_all
from lasthop.probe.path_text import path_text
from lasthop.probe.plan import ProbePlan
from lasthop.probe.quic import INITIAL_BYTES, answer_to, first_packet, is_first_packet
from lasthop.probe.record import Record
from lasthop.probe.words import words

from .conftest import Address, towards

Passes = Callable[[bytes], bool]
BLOCKED = "none of 8 Initial packets was answered, while another datagram of that size was"
NOTE = "QUIC does not pass: mqtt/quic and http/quic cannot be used here."


def _is_no_quic(content: bytes) -> bool:
    return content[0] & 0x80 == 0


def _is_small(content: bytes) -> bool:
    return len(content) < INITIAL_BYTES


def _everything(_: bytes) -> bool:
    return True


@contextmanager
def _firewall(server: Address, passes: Passes) -> Iterator[Address]:
    """Relay datagrams to a server and back, but for some of those towards it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as inside:
        inside.bind(("127.0.0.1", 0))
        inside.settimeout(0.05)
        over = threading.Event()
        outside: dict[Address, socket.socket] = {}

        def relay() -> None:
            while not over.is_set():
                for peer, out in outside.items():
                    try:
                        inside.sendto(out.recv(2048), peer)
                    except BlockingIOError:
                        continue
                try:
                    content, peer = inside.recvfrom(2048)
                except TimeoutError:
                    continue
                if peer not in outside:
                    out = outside[peer] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                    out.settimeout(0)
                    out.connect(server)
                if passes(content):
                    outside[peer].send(content)

        thread = threading.Thread(target=relay)
        thread.start()
        yield inside.getsockname()
        over.set()
        thread.join()
        for out in outside.values():
            out.close()


def _probed(address: Address, folder: Path) -> Record:
    plan = ProbePlan(("quic",), datagrams=20, longest_idle_s=1, patience_s=0.3)
    probed = towards(address, most_bytes=plan.most_bytes(28))
    record = Record.open(folder, probed.written)
    measure_all(probed, plan, record, lambda _: None)
    return record


@pytest.mark.parametrize(
    ("passes", "said", "comment"),
    [
        (_everything, "QUIC        passes", False),
        (
            _is_no_quic,
            f"QUIC        is blocked: {BLOCKED}",
            True,
        ),
        (
            _is_small,
            "QUIC        does not pass, nor does any other datagram of 1200 B, which QUIC needs",
            True,
        ),
    ],
    ids=["nothing is dropped", "QUIC is dropped", "what is large is dropped"],
)
def test_what_drops_quic_is_found(
    server: Address, tmp_path: Path, passes: Passes, said: str, *, comment: bool
) -> None:
    with _firewall(server, passes) as address:
        record = _probed(address, tmp_path)
    assert list(words(record.results)) == [said]
    assert (NOTE in path_text(record.results, "it")) == comment
    assert json.loads((tmp_path / "raw.jsonl").read_text())["used_bytes"] > INITIAL_BYTES


def test_the_first_packet_is_one_that_a_server_decrypts() -> None:
    """The library of another project reads it: the keys follow from its connection ID."""
    packet = first_packet()
    assert len(packet) == INITIAL_BYTES
    header = pull_quic_header(Buffer(data=packet))
    assert (header.version, header.destination_cid.hex()) == (1, "8394c8f03e515708")
    keys = CryptoPair()
    keys.setup_initial(cid=header.destination_cid, is_client=False, version=1)
    number_offset = 18
    _, plain, number = keys.decrypt_packet(packet, number_offset, 0)
    assert number == 2
    assert b"example.com" in plain


def test_another_library_reads_the_answer_as_a_version_negotiation() -> None:
    header = pull_quic_header(Buffer(data=answer_to(first_packet())), host_cid_length=0)
    assert header.version == 0
    assert (header.destination_cid, header.source_cid.hex()) == (b"", "8394c8f03e515708")
    assert header.supported_versions == [0x1A2A3A4A]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xc0" * 1199,
        bytes(1200),
        b"\x40" + bytes(1199),
        b"\xc0" + bytes(1199),
        b"\xc0\0\0\0\1\xff" + bytes(1194),
    ],
    ids=["nothing", "small", "zeros", "short header", "version 0", "long ID"],
)
def test_what_is_no_first_packet_is_not_answered(content: bytes) -> None:
    assert not is_first_packet(content)
