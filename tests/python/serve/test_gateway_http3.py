"""A gateway over HTTP/3: aioquic posts, reads and asks for what is not there."""

import base64
import json
from pathlib import Path

import pytest
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived, H3Event, HeadersReceived
from aioquic.quic.events import QuicEvent
from benchmarks.certificates import Credentials, make
from benchmarks.quic_client import QuicClient
from cryptography.hazmat.primitives.asymmetric import ec

from .conftest import FindProgram, RunClient, Server, StartServer
from .test_gateway import Device, add, log

MANY = 60


class Http3Client(QuicClient):
    """Makes requests, each on a stream of its own."""

    def __init__(self, server: Server, authority: Path) -> None:
        super().__init__(server.place("h3"), authority, protocol="h3")
        self.http = H3Connection(self.quic)
        self.statuses: dict[int, int] = {}
        self.bodies: dict[int, bytes] = {}
        self.is_whole: set[int] = set()

    def take(self, event: QuicEvent) -> None:
        """Keep what has happened, and read it as HTTP/3."""
        super().take(event)
        for said in self.http.handle_event(event):
            self.keep(said)

    def keep(self, said: H3Event) -> None:
        """Keep a part of an answer."""
        assert isinstance(said, HeadersReceived | DataReceived), said
        if isinstance(said, HeadersReceived):
            self.statuses[said.stream_id] = int(dict(said.headers)[b":status"])
        else:
            self.bodies[said.stream_id] = self.bodies.get(said.stream_id, b"") + said.data
        if said.stream_ended:
            self.is_whole.add(said.stream_id)

    def begin(self, method: str, path: str, token: str, body: bytes = b"") -> int:
        """Make a request; its answer comes on the stream that is returned."""
        stream = self.quic.get_next_available_stream_id()
        fields = {
            ":method": method,
            ":scheme": "https",
            ":authority": self.place[0],
            ":path": path,
            "authorization": f"Bearer {token}",
            "content-type": "application/json",
            "content-length": str(len(body)),
        }
        self.http.send_headers(
            stream, [(name.encode(), value.encode()) for name, value in fields.items()]
        )
        self.http.send_data(stream, body, end_stream=True)
        return stream

    def request(self, method: str, path: str, token: str, body: bytes = b"") -> int:
        """Make a request, wait for its answer and return its status."""
        stream = self.begin(method, path, token, body)
        self.until(lambda: stream in self.is_whole)
        return self.statuses[stream]


def event(text: str) -> bytes:
    return json.dumps({"binary_data": base64.b64encode(text.encode()).decode()}).encode()


@pytest.fixture
def device() -> Device:
    return Device("d1", ec.generate_private_key(ec.SECP256R1()))


@pytest.fixture
def credentials(tmp_path: Path, find_program: FindProgram) -> Credentials:
    return make(find_program("openssl", "openssl"), tmp_path, "ec")


@pytest.fixture
def server(
    serve: StartServer, lasthop: RunClient, tmp_path: Path, device: Device, credentials: Credentials
) -> Server:
    add(lasthop, tmp_path / "gateway", device)
    return serve(
        "gateway",
        "--http3",
        f"--data={tmp_path / 'gateway'}",
        f"--tls-cert={credentials.certificate}",
        f"--tls-key={credentials.key}",
        listen=("mqtts://127.0.0.1:0", "h3://127.0.0.1:0"),
    )


@pytest.mark.soak
def test_a_foreign_client_publishes_and_reads(
    server: Server, device: Device, credentials: Credentials, lasthop: RunClient, tmp_path: Path
) -> None:
    path = f"/v1/{device.path}"
    with Http3Client(server, credentials.authority) as client:
        token = device.token()
        assert client.request("POST", f"{path}:publishEvent", token, event("first")) == 200
        assert client.request("GET", f"{path}/config", token) == 304  # there is none yet
        assert client.request("GET", "/nothing", token) == 404
        forged = token[:-8] + "AAAAAAAA"
        assert client.request("POST", f"{path}:publishEvent", forged, event("forged")) == 401
        asked = [
            client.begin("POST", f"{path}:publishEvent", token, event(str(number)))
            for number in range(MANY)
        ]
        client.until(lambda: client.is_whole.issuperset(asked))
        assert {client.statuses[stream] for stream in asked} == {200}
    assert server.stop() == 0
    said = [
        base64.b64decode(str(row["payload_base64"])) for row in log(lasthop, tmp_path / "gateway")
    ]
    assert said[0] == b"first"
    assert sorted(said[1:]) == sorted(str(number).encode() for number in range(MANY))


def test_who_speaks_no_http3_is_not_served(server: Server, credentials: Credentials) -> None:
    with QuicClient(server.place("h3"), credentials.authority, protocol="mqtt") as client:
        ended = client.until_the_end()
    assert ended.error_code == 0x178  # no_application_protocol (RFC 7301 section 3.2)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("mqtt", "--http3"), "--http3: mqtt is not served over HTTP; write lasthop serve gateway"),
        (
            ("gateway", "--http3", "--data=x"),
            "--http3: QUIC needs a certificate; add --tls-cert FILE --tls-key FILE",
        ),
    ],
)
def test_what_cannot_be_served(
    lasthop: RunClient, options: tuple[str, ...], complaint: str
) -> None:
    done = lasthop("serve", *options)
    assert done.returncode == 2
    assert complaint in done.stderr
