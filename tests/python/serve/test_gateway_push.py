"""What a gateway's log hands to a function by push: at least once, each device in its order."""

import contextlib
import json
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from lasthop.live import pushing

from .conftest import COMMAND, PATIENCE_S, RunClient, StartServer
from .test_gateway import REGISTRY, Client, Device, add

FUNCTION = Path(__file__).parents[3] / "examples" / "function.py"
DEVICES = ("d1", "d2")
EACH = 20

Answer = Callable[[dict[str, str], int], int]


class Receiver:
    """A web server that answers as it is told, and notes what it was handed."""

    def __init__(self, answer: Answer) -> None:
        self.handed: list[dict[str, object]] = []
        self.tries: Counter[str] = Counter()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                handed = json.loads(self.rfile.read(length))
                message = handed["message"]
                receiver.tries[message["messageId"]] += 1
                status = answer(message, receiver.tries[message["messageId"]])
                if not status:
                    self.close_connection = True
                    return
                if status == 204:
                    receiver.handed.append(handed)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/take?me=1"

    def said(self, device: str) -> list[int]:
        """Give the places of what was taken of a device, as they came."""
        messages = [handed["message"] for handed in self.handed]
        return [
            int(message["messageId"])
            for message in messages
            if isinstance(message, dict) and message["attributes"]["deviceId"] == device
        ]


@pytest.fixture
def receiver() -> Iterator[Callable[[Answer], Receiver]]:
    started: list[Receiver] = []

    def start(answer: Answer) -> Receiver:
        started.append(Receiver(answer))
        return started[-1]

    yield start
    for each in started:
        each.server.shutdown()
        each.server.server_close()


@pytest.fixture
def data(serve: StartServer, lasthop: RunClient, tmp_path: Path) -> str:
    """Return the folder of a gateway whose two devices have spoken in turn."""
    return spoken(serve, lasthop, str(tmp_path / "gateway"))


@pytest.fixture
def known(serve: StartServer, lasthop: RunClient, place: str) -> str:
    """Return the same in each kind of database."""
    return spoken(serve, lasthop, place)


def spoken(serve: StartServer, lasthop: RunClient, folder: str) -> str:
    devices = [Device(name, ec.generate_private_key(ec.SECP256R1())) for name in DEVICES]
    for device in devices:
        add(lasthop, folder, device)
    server = serve("gateway", "--data", folder)
    clients = [Client(server, device) for device in devices]
    for number in range(EACH):
        for name, client in zip(DEVICES, clients, strict=True):
            sent = client.publish(f"/devices/{name}/events/soil", str(number))
            sent.wait_for_publish(PATIENCE_S)
    for client in clients:
        client.leave()
    assert server.stop() == 0
    return folder


def test_a_function_takes_each_message_once_by_push_and_by_pull(
    lasthop: RunClient, known: str, tmp_path: Path
) -> None:
    def lines(name: str) -> list[dict[str, object]]:
        return [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]

    function = subprocess.Popen(
        [sys.executable, FUNCTION, tmp_path / "pushed", "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert function.stdout is not None
        url = f"http://127.0.0.1:{function.stdout.readline().split()[-1]}/"
        # Another name begins at the first message: the function knows what it has.
        for name, count in (("one", 40), ("one", 0), ("two", 40)):
            done = lasthop("gateway", "push", name, url, "--data", known)
            assert (done.returncode, done.stdout) == (0, "")
            assert done.stderr == f"lasthop: push: {count} messages taken by {url}\n"
    finally:
        function.kill()
        function.communicate()
    assert sorted(int(str(line["place"])) for line in lines("pushed")) == list(range(1, 41))
    for device in DEVICES:
        said = [line["said"] for line in lines("pushed") if line["device"] == device]
        assert said == [str(number) for number in range(EACH)]
    logged = lasthop("gateway", "log", "--subscription", "three", "--json", "--data", known)
    for _ in range(2):
        subprocess.run(
            [sys.executable, FUNCTION, tmp_path / "pulled"],
            input=logged.stdout,
            text=True,
            check=True,
            timeout=PATIENCE_S,
        )
    assert lines("pulled") == sorted(lines("pushed"), key=lambda line: int(str(line["place"])))


def test_what_is_handed_over_is_wrapped_as_pub_sub_wraps_it(
    lasthop: RunClient, data: str, receiver: Callable[[Answer], Receiver]
) -> None:
    there = receiver(lambda _message, _tries: 204)
    assert lasthop("gateway", "push", "f", there.url, "--data", data).returncode == 0
    first = next(it for it in there.handed if it["message"]["messageId"] == "1")  # type: ignore[index]
    assert first["subscription"] == "f"
    message = first["message"]
    assert isinstance(message, dict)
    assert message["attributes"] == {
        "projectId": "p1",
        "deviceRegistryLocation": "eu",
        "deviceRegistryId": "r1",
        "deviceId": "d1",
        "kind": "event",
        "subFolder": "soil",
    }
    assert (message["data"], set(message)) == (
        "MA==",
        {"attributes", "data", "messageId", "publishTime"},
    )


@pytest.mark.parametrize("failure", [503, 404, 301, 0])
def test_what_is_not_taken_comes_again_and_holds_up_its_own_device_alone(
    failure: int, lasthop: RunClient, data: str, receiver: Callable[[Answer], Receiver]
) -> None:
    there = receiver(
        lambda message, tries: failure if message["messageId"] in "139" and tries < 4 else 204
    )
    done = lasthop("gateway", "push", "f", there.url, "--data", data)
    assert done.returncode == 0
    assert "trying again" in done.stderr
    assert there.said("d1") == list(range(1, 41, 2))
    assert there.said("d2") == list(range(2, 41, 2))
    places = [int(it["message"]["messageId"]) for it in there.handed]  # type: ignore[index]
    assert places.index(1) > places.index(40)


def test_a_message_that_nobody_ever_takes_is_given_up_and_printed(
    lasthop: RunClient, data: str, receiver: Callable[[Answer], Receiver]
) -> None:
    there = receiver(lambda message, _tries: 500 if message["messageId"] == "5" else 204)
    options = ("--attempts", "3", "--data", data)
    done = lasthop("gateway", "push", "f", there.url, *options)
    assert done.returncode == 0
    assert [json.loads(line)["offset"] for line in done.stdout.splitlines()] == [5]
    assert there.tries["5"] == 3
    assert len(there.handed) == 39
    assert "39 messages taken" in done.stderr
    assert lasthop("gateway", "push", "f", there.url, *options).stdout == ""


def test_what_was_on_its_way_at_a_kill_comes_again(
    lasthop: RunClient, known: str, receiver: Callable[[Answer], Receiver]
) -> None:
    reached = threading.Event()

    def answer(message: dict[str, str], tries: int) -> int:
        if message["messageId"] == "21" and tries == 1:
            reached.set()
            threading.Event().wait(2)
        return 204

    there = receiver(answer)
    command = [*COMMAND, "gateway", "push", "f", there.url, "--follow", "--data", known]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert reached.wait(PATIENCE_S)
        process.kill()
    assert lasthop("gateway", "push", "f", there.url, "--data", known).returncode == 0
    assert {*there.said("d1"), *there.said("d2")} == set(range(1, 41))
    assert there.tries["21"] == 2


def test_who_stops_it_loses_nothing_and_waits_for_nobody(
    lasthop: RunClient, data: str, receiver: Callable[[Answer], Receiver]
) -> None:
    reached = threading.Event()

    def answer(message: dict[str, str], tries: int) -> int:
        if message["messageId"] in {"1", "2"} and tries == 1:
            reached.set()
            threading.Event().wait(5)
        return 204

    there = receiver(answer)
    command = [*COMMAND, "gateway", "push", "f", there.url, "--follow", "--data", data]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert reached.wait(PATIENCE_S)
        process.send_signal(signal.SIGINT)
        complaints = process.communicate(timeout=PATIENCE_S)[1]
    assert process.returncode == 130
    assert complaints.startswith("lasthop: push: 0 messages taken by ")
    assert "Traceback" not in complaints
    assert lasthop("gateway", "push", "f", there.url, "--data", data).returncode == 0
    assert {*there.said("d1"), *there.said("d2")} == set(range(1, 41))


@pytest.mark.parametrize(
    "url",
    ["127.0.0.1:80", "ftp://h/", "http://", "http://h:99999/", "http://u:p@h/", "http://h/\n"],
)
def test_what_is_no_url_is_said_in_one_line(url: str, lasthop: RunClient, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "gateway.sqlite").touch()
    done = lasthop("gateway", "push", "f", url, "--data", str(tmp_path))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is not a URL; write for example http://127.0.0.1:8081/" in done.stderr


def test_attempts_are_of_push_alone(lasthop: RunClient, tmp_path: Path) -> None:
    done = lasthop("gateway", "log", "--attempts", "3", "--data", str(tmp_path))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--attempts: it works only with push" in done.stderr


class OneMessage:
    """A log of one message."""

    acknowledged = 1

    def messages(self, first: int, _most: int) -> list[tuple[int, str, int, str, str, bytes]]:
        said = [(1, f"{REGISTRY}/d1", 0, "event", "", b"x")]
        return said if first == 1 else []

    def next_of(self, _subscription: str) -> int:
        return self.acknowledged

    def acknowledge(self, _subscription: str, before: int) -> None:
        self.acknowledged = before


@pytest.mark.parametrize("begins", ["HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 OK\r\n\r\n"])
def test_a_function_that_answers_a_byte_at_a_time_is_cut_off(
    begins: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pushing, "_TIMEOUT_S", 0.5)
    over = threading.Event()

    def drip(server: socket.socket) -> None:
        stream, _ = server.accept()
        with stream, contextlib.suppress(OSError):
            stream.sendall(begins.encode())
            while not over.wait(0.05):
                stream.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=drip, args=(server,), daemon=True).start()
        lost: list[pushing.Message] = []
        told: list[str] = []
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        push = pushing.Push(
            OneMessage(),
            "f",
            pushing.Endpoint(url),
            give_up=lost.append,
            tell=told.append,
            attempts=1,
        )
        push.run(follow=False, pause_s=0.05)
        over.set()
    assert [message.offset for message in lost] == [1]
    assert "has not answered within" in told[0]
    assert push.delivered == 0
