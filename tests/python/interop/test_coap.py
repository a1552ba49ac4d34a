"""Our CoAP against libcoap, both ways: NON, CON and TCP, observations, blocks, loss."""

import subprocess
import time
from pathlib import Path
from typing import Any, Literal

import pytest

from lasthop.testbed import Namespace, Tun

from .conftest import KERNEL, OURS, FindProgram, StartHost
from .waiting import wait_for_port

pytestmark = pytest.mark.soak

PACKAGE = "libcoap3-bin"
BODY = "".join(f"{number:04}" for number in range(750))
"""Longer than any block, and no two blocks are alike."""

Kind = Literal["con", "non", "tcp"]
"""CON and NON over UDP, or over TCP, which knows neither."""

KINDS: tuple[Kind, ...] = ("con", "non", "tcp")

LOSSY: dict[str, Any] = {"loss": 0.1, "delay_ms": 10}


@pytest.fixture
def body(tmp_path: Path) -> Path:
    path = tmp_path / "body"
    path.write_text(BODY, encoding="ascii")
    return path


@pytest.fixture
def libcoap_server(namespace: Namespace, device: Tun, find_program: FindProgram) -> None:
    """Start a server that keeps what is put to any path, and tells /time each second."""
    del device  # It has the address that the server binds.
    server = find_program("coap-server-notls", PACKAGE)
    namespace.start(server, "-A", KERNEL, "-d", "10", stderr=subprocess.DEVNULL)
    for protocol in ("udp", "tcp"):
        wait_for_port(namespace, protocol, 5683)


@pytest.mark.usefixtures("libcoap_server")
class TestOurClient:
    @pytest.mark.parametrize("kind", KINDS)
    def test_puts_gets_and_deletes(self, live_host: StartHost, tmp_path: Path, kind: Kind) -> None:
        note = tmp_path / "note"
        note.write_text("a note", encoding="ascii")
        requests = ("put", "shelf", note, "get", "shelf", "delete", "shelf", "get", "shelf")
        told = live_host("coap-client", KERNEL, kind, *requests).finish()
        assert [response["code"] for response in told] == ["2.01", "2.05", "2.02", "4.04"]
        assert told[1]["payload"] == "a note"

    @pytest.mark.parametrize("kind", KINDS)
    def test_moves_a_body_block_by_block(
        self, live_host: StartHost, body: Path, kind: Kind
    ) -> None:
        told = live_host("coap-client", KERNEL, kind, "put", "shelf", body, "get", "shelf").finish()
        assert [response["code"] for response in told] == ["2.01", "2.05"]
        assert told[1]["payload"] == BODY

    @pytest.mark.parametrize("kind", ["con", "tcp"])
    def test_moves_a_body_over_a_lossy_link(
        self, live_host: StartHost, body: Path, kind: Kind
    ) -> None:
        requests = ("put", "shelf", body, "get", "shelf")
        told = live_host("coap-client", KERNEL, kind, *requests, **LOSSY).finish()
        assert told[1]["payload"] == BODY

    @pytest.mark.parametrize("kind", ["con", "tcp"])
    def test_takes_a_separate_response(self, live_host: StartHost, kind: Kind) -> None:
        (told,) = live_host("coap-client", KERNEL, kind, "get", "async?1").finish()
        assert told["code"] == "2.05"

    @pytest.mark.parametrize("kind", KINDS)
    def test_observes_and_stops(self, live_host: StartHost, kind: Kind) -> None:
        told = live_host(
            "coap-client", KERNEL, kind, "observe", "time", "3", "get", "time"
        ).finish()
        notifications, after = told[:3], told[3:]
        assert all(notification["observe"] is not None for notification in notifications)
        # libcoap may tell the same second twice.
        assert len({notification["payload"] for notification in notifications}) >= 2
        assert [response["observe"] for response in after] == [None]


class TestOurServer:
    @pytest.fixture(params=KINDS)
    def kind(self, request: pytest.FixtureRequest) -> Kind:
        kind: Kind = request.param
        return kind

    @pytest.fixture
    def request_of(self, namespace: Namespace, find_program: FindProgram, kind: Kind) -> "Request":
        find_program("coap-client-notls", PACKAGE)
        return Request(namespace, kind)

    def test_keeps_and_gives_back(
        self, live_host: StartHost, request_of: "Request", kind: Kind
    ) -> None:
        live_host("coap-server", kind)
        request_of("-m", "put", "-e", "a note", path="shelf")
        assert request_of(path="shelf") == "a note"
        request_of("-m", "delete", path="shelf")
        assert "4.04" in request_of(path="shelf")
        assert "shelf" not in request_of(path=".well-known/core")

    @pytest.mark.parametrize("block", [64, 1024])
    def test_takes_and_gives_a_body_block_by_block(
        self, live_host: StartHost, request_of: "Request", kind: Kind, body: Path, block: int
    ) -> None:
        live_host("coap-server", kind)
        request_of("-m", "put", "-b", str(block), "-f", str(body), path="shelf")
        assert request_of("-b", str(block), path="shelf") == BODY

    def test_heeds_conditions(
        self, live_host: StartHost, request_of: "Request", kind: Kind
    ) -> None:
        live_host("coap-server", kind)
        request_of("-m", "put", "-e", "a note", path="shelf")
        for method in ("get", "put", "delete"):
            assert "4.12" in request_of("-m", method, "-O", "1,other", path="shelf")
        assert request_of(path="shelf") == "a note"

    def test_gives_the_format_that_is_wanted_or_none(
        self, live_host: StartHost, request_of: "Request", kind: Kind
    ) -> None:
        live_host("coap-server", kind)
        request_of("-m", "put", "-t", "json", "-e", "{}", path="shelf")
        assert "4.06" in request_of("-A", "text/plain", path="shelf")
        assert request_of("-A", "json", path="shelf") == "{}"

    def test_lists_what_is_asked_for(
        self, live_host: StartHost, request_of: "Request", kind: Kind
    ) -> None:
        live_host("coap-server", kind)
        request_of("-m", "put", "-e", "a note", path="shelf")
        directory = '</rd>;rt="core.rd"'
        assert request_of(path=".well-known/core?rt=core*") == directory
        assert request_of(path=".well-known/core?href=/sh*") == "</shelf>;obs"

    def test_keeps_paths_apart_that_differ_in_their_segments(
        self, live_host: StartHost, request_of: "Request", kind: Kind
    ) -> None:
        live_host("coap-server", kind)
        for path in ("a%2Fb", "a/b"):
            request_of("-m", "put", "-e", path.replace("%2F", " or "), path=path)
        assert (request_of(path="a%2Fb"), request_of(path="a/b")) == ("a or b", "a/b")

    def test_notifies(self, live_host: StartHost, request_of: "Request", kind: Kind) -> None:
        live_host("coap-server", kind)
        request_of("-m", "put", "-e", "first", path="shelf")
        observer = request_of.start("-s", "3", path="shelf")
        time.sleep(0.5)
        for text in ("second", "third"):
            request_of("-m", "put", "-e", text, path="shelf")
            time.sleep(0.2)
        told, _ = observer.communicate(timeout=120)
        assert [told.count(text) for text in ("first", "second", "third")] == [1, 1, 1]
        assert told.index("second") < told.index("third")


@pytest.mark.parametrize("kind", ["con", "tcp"])
def test_our_server_takes_and_gives_a_body_over_a_lossy_link(
    namespace: Namespace, live_host: StartHost, find_program: FindProgram, body: Path, kind: Kind
) -> None:
    find_program("coap-client-notls", PACKAGE)
    request = Request(namespace, kind)
    live_host("coap-server", kind, **LOSSY)
    request("-m", "put", "-f", str(body), path="shelf")
    assert request(path="shelf") == BODY


class Request:
    """Starts libcoap's client; what it prints is the body, or the code of an error."""

    def __init__(self, namespace: Namespace, kind: Kind) -> None:
        self._namespace = namespace
        self._type = ("-N",) if kind == "non" else ()
        self._scheme = "coap+tcp" if kind == "tcp" else "coap"

    def __call__(self, *options: str, path: str) -> str:
        process = self.start(*options, path=path)
        told, _ = process.communicate(timeout=120)
        return told.strip()

    def start(self, *options: str, path: str) -> "subprocess.Popen[str]":
        command = ("coap-client-notls", *self._type, *options, f"{self._scheme}://{OURS}/{path}")
        return self._namespace.start(*command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
