"""A peer of TLS 1.3 asks for new keys (RFC 8446, 4.6.3): its connection and others go on."""

import os
import subprocess
from pathlib import Path

import pytest
from benchmarks.certificates import make

from .conftest import FindProgram, StartServer

CONNECT = b"\x10\x0e\x00\x04MQTT\x04\x02\x00\x3c\x00\x02me"
PING = b"\xc0\x00"
UPGRADE = (
    b"GET /mqtt HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Protocol: mqtt\r\n\r\n"
)
MASKED_CONNECT = b"\x82" + bytes([0x80 | len(CONNECT)]) + bytes(4) + CONNECT
GET = b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n"

SAID = {
    "mqtts": [(CONNECT, b"\x20\x02\x00\x00"), (PING, b"\xd0\x00")],
    "wss": [(UPGRADE, b" 101 "), (MASKED_CONNECT, b"\x20\x02\x00\x00")],
    "https": [(GET, b" 404 "), (GET, b" 404 ")],
}
"""What each is asked, and a part of its answer, in turn."""


@pytest.mark.parametrize("scheme", SAID)
def test_a_peer_that_asks_for_new_keys_is_answered_by_them(
    scheme: str, serve: StartServer, tmp_path: Path, find_program: FindProgram
) -> None:
    openssl = find_program("openssl", "openssl")
    files = make(openssl, tmp_path, "ec")
    tls = (f"--tls-cert={files.certificate}", f"--tls-key={files.key}")
    kind = ("gateway", "--http", f"--data={tmp_path / 'gateway'}") if scheme == "https" else ()
    listen = tuple(f"{it}://127.0.0.1:0" for it in dict.fromkeys(("mqtts", scheme)))
    server = serve(*(kind or ("mqtt", *(["--ws"] if scheme == "wss" else []))), *tls, listen=listen)
    port = server.place(scheme)[1]
    for _ in range(2):
        # Once more in another connection: the server is still there.
        _ask(openssl, port, scheme)
    assert server.stop() == 0


def _ask(openssl: str, port: int, scheme: str) -> None:
    command = [openssl, "s_client", "-connect", f"127.0.0.1:{port}", "-tls1_3"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as peer:
        assert peer.stdin is not None
        assert peer.stdout is not None
        assert peer.stderr is not None
        for request, answer in SAID[scheme]:
            peer.stdin.write(b"K\n")
            peer.stdin.flush()
            while b"KEYUPDATE" not in peer.stderr.readline():
                assert peer.poll() is None, "the server ended the connection"
            peer.stdin.write(request)
            peer.stdin.flush()
            said = b""
            while answer not in said:
                said += (piece := os.read(peer.stdout.fileno(), 1000))
                assert piece, f"the server ended the connection after {said!r}"
        peer.kill()
