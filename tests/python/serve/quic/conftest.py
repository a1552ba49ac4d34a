"""A server of ours that speaks MQTT over QUIC beside TLS, and packets of MQTT to say there."""

from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, make
from tests.python.serve.conftest import FindProgram, Server, StartServer

BOTH = ("mqtts://127.0.0.1:0", "quic://127.0.0.1:0")
CONNECT = b"\x10\x0e\x00\x04MQTT\x04\x02\x00\x3c\x00\x02me"
CONNACK = b"\x20\x02\x00\x00"
PUBLISH = b"\x32\x0c\x00\x04door\x00\x01open"
PUBACK = b"\x40\x02\x00\x01"
DISCONNECT = b"\xe0\x00"


@pytest.fixture
def files(tmp_path: Path, find_program: FindProgram) -> Credentials:
    return make(find_program("openssl", "openssl"), tmp_path, "ec")


@pytest.fixture
def start(serve: StartServer, files: Credentials) -> StartServer:
    def started(*options: str) -> Server:
        tls = (f"--tls-cert={files.certificate}", f"--tls-key={files.key}")
        return serve("mqtt", "--quic", *tls, *options, listen=BOTH)

    return started


@pytest.fixture
def server(start: StartServer) -> Server:
    return start()
