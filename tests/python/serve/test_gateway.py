"""The device gateway: paho with tokens of PyJWT, its log, and what devices are told."""

import base64
import json
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import jwt
import paho.mqtt.client as mqtt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.reasoncodes import ReasonCode

from .conftest import PATIENCE_S, FindProgram, RunClient, Server, StartServer
from .counting import lost

REGISTRY = "projects/p1/locations/eu/registries/r1/devices"


@dataclass
class Device:
    """A device with its key."""

    name: str
    key: "ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey"

    @property
    def path(self) -> str:
        return f"{REGISTRY}/{self.name}"

    def token(self, life_s: int = 3600, begins_s: int = 0) -> str:
        algorithm = "RS256" if isinstance(self.key, rsa.RSAPrivateKey) else "ES256"
        now = int(time.time()) + begins_s
        claims = {"iat": now, "exp": now + life_s, "aud": "p1"}
        return jwt.encode(claims, self.key, algorithm=algorithm)

    def public_key(self, folder: Path) -> Path:
        file = folder / f"{self.name}.pub.pem"
        file.write_bytes(
            self.key.public_key().public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            )
        )
        return file


class Client:
    """A paho client of a device, which waits for what it asks for."""

    def __init__(  # noqa: PLR0913  each is a part of a connection
        self,
        server: Server,
        device: Device,
        token: str | None = None,
        *,
        keep_alive_s: int = 60,
        scheme: str = "mqtt",
        authority: Path | None = None,
    ) -> None:
        self.client = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            client_id=device.path,
            transport="websockets" if scheme in {"ws", "wss"} else "tcp",
        )
        if authority is not None:
            self.client.tls_set(str(authority))
        self.client.username_pw_set("unused", token or device.token())
        self.answer = threading.Event()
        self.refusal: str | None = None
        self.gone = threading.Event()
        self.granted = threading.Event()
        self.heard: list[tuple[str, str]] = []
        self.hears = threading.Condition()
        self.client.on_connect = self._on_connect
        self.client.on_disconnect = lambda *_: self.gone.set()
        self.client.on_subscribe = self._on_subscribe
        self.client.on_message = self._on_message
        self.codes: list[int] = []
        self.client.connect(*server.place(scheme), keepalive=keep_alive_s)
        self.client.loop_start()
        assert self.answer.wait(PATIENCE_S)

    def _on_connect(self, *arguments: object) -> None:
        reason = arguments[3]
        assert isinstance(reason, ReasonCode)
        self.refusal = str(reason) if reason.is_failure else None
        self.answer.set()

    def _on_subscribe(self, *arguments: object) -> None:
        codes = arguments[3]
        assert isinstance(codes, list)
        self.codes = [code.value for code in codes]
        self.granted.set()

    def _on_message(self, *arguments: object) -> None:
        message = arguments[2]
        assert isinstance(message, mqtt.MQTTMessage)
        with self.hears:
            self.heard.append((message.topic, message.payload.decode()))
            self.hears.notify_all()

    def subscribe(self, topic: str, qos: int = 1) -> int:
        self.granted.clear()
        self.client.subscribe(topic, qos)
        assert self.granted.wait(PATIENCE_S)
        return self.codes[0]

    def await_message(self, topic: str, payload: str) -> None:
        with self.hears:
            assert self.hears.wait_for(lambda: (topic, payload) in self.heard, PATIENCE_S)

    def publish(self, topic: str, payload: str) -> mqtt.MQTTMessageInfo:
        return self.client.publish(topic, payload, qos=1)

    def leave(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@pytest.fixture(scope="module")
def device() -> Device:
    return Device("d1", ec.generate_private_key(ec.SECP256R1()))


@pytest.fixture
def data(tmp_path: Path, device: Device, lasthop: RunClient) -> Path:
    """Return a folder of data in which the device is known."""
    folder = tmp_path / "gateway"
    add(lasthop, folder, device)
    return folder


@pytest.fixture
def known(place: str, device: Device, lasthop: RunClient) -> str:
    """Return data in each kind of database, in which the device is known."""
    add(lasthop, place, device)
    return place


def add(lasthop: RunClient, data: Path | str, device: Device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        key = device.public_key(Path(folder))
        words = ("gateway", "device", "add", device.path, "--key", str(key))
        done = lasthop(*words, "--data", str(data))
    assert (done.returncode, done.stdout) == (0, f"added {device.path}\n"), done.stderr


def log(lasthop: RunClient, data: Path | str, *options: str) -> list[dict[str, object]]:
    done = lasthop("gateway", "log", "--data", str(data), "--json", *options)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_paho_publishes_with_a_token_and_hears_what_it_is_told(
    serve: StartServer, lasthop: RunClient, known: str, device: Device
) -> None:
    server = serve("gateway", "--data", known)
    client = Client(server, device)
    assert client.refusal is None
    assert client.subscribe("/devices/d1/config") == 1
    assert client.subscribe("/devices/d1/commands/#", qos=2) == 1
    for other in ("/devices/d2/config", "/devices/+/config", "#", "$SYS/#"):
        assert client.subscribe(other) == 0x80, other
    for topic, text in (("events/alarm", "smoke"), ("events", "calm"), ("state", "up")):
        client.publish(f"/devices/d1/{topic}", text).wait_for_publish(PATIENCE_S)
    path = device.path
    set_up = ("--data", known)
    done = lasthop("gateway", "config", "set", path, "slow", *set_up)
    assert done.stdout == f"configuration 1 of {path}\n", done.stderr
    client.await_message("/devices/d1/config", "slow")
    done = lasthop("gateway", "command", "send", path, "open", "--folder", "door", *set_up)
    assert done.returncode == 0, done.stderr
    client.await_message("/devices/d1/commands/door", "open")
    client.leave()
    # The configuration is there for who comes later, and after the server was started again.
    assert server.stop() == 0
    server = serve("gateway", "--data", known)
    client = Client(server, device)
    client.subscribe("/devices/d1/config")
    client.await_message("/devices/d1/config", "slow")
    # Who is removed is sent away, and not let in again.
    assert lasthop("gateway", "device", "remove", path, *set_up).returncode == 0
    assert client.gone.wait(PATIENCE_S)
    client.leave()
    assert Client(server, device).refusal is not None
    said = [(row["kind"], row["folder"], row["device"]) for row in log(lasthop, known)]
    assert said == [("event", "alarm", path), ("event", "", path), ("state", "", path)]


@pytest.mark.soak
def test_curl_says_and_asks_by_the_bridge(
    serve: StartServer, lasthop: RunClient, known: str, device: Device, find_program: FindProgram
) -> None:
    places = ("mqtt://127.0.0.1:0", "http://127.0.0.1:0")
    server = serve("gateway", "--http", "--data", known, listen=places)
    url = f"http://127.0.0.1:{server.place('http')[1]}/v1/{device.path}"
    curl = find_program("curl", "curl")

    def ask(token: str, *arguments: str) -> tuple[int, str]:
        told = subprocess.run(
            [
                curl,
                "-s",
                "-w",
                "\n%{http_code}",
                "-H",
                f"Authorization: Bearer {token}",
                *arguments,
            ],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=True,
        )
        body, _, status = told.stdout.rpartition("\n")
        return int(status), body

    token = device.token()
    event = json.dumps({"binary_data": "c21va2U=", "subFolder": "alarm"})
    state = json.dumps({"state": {"binary_data": "dXA"}})
    assert ask(token, "-d", event, f"{url}:publishEvent") == (200, "{}")
    assert ask(token, "-d", state, f"{url}:setState") == (200, "{}")
    assert ask(token, f"{url}/config?local_version=0")[0] == 304
    done = lasthop("gateway", "config", "set", device.path, "slow", "--data", known)
    assert done.returncode == 0, done.stderr
    config = '{"binaryData":"c2xvdw==","version":"1"}'
    assert ask(token, f"{url}/config") == (200, config)
    assert ask(token, f"{url}/config?local_version=1")[0] == 304
    assert ask(token, "-d", "{}", f"{url}:publishEvent")[0] == 400
    assert ask(token, f"{url}:publishEvent")[0] == 405
    assert ask(token, f"{url}/x")[0] == 404
    refused = {ask(bad, "-d", event, f"{url}:publishEvent") for bad in ("", "x", token[:-4])}
    refused.add(ask(token, "-d", event, f"{url[:-1]}9:publishEvent"))
    assert {status for status, _ in refused} == {401}
    assert len(refused) == 1
    said = [(row["kind"], row["folder"], row["payload_base64"]) for row in log(lasthop, known)]
    assert said == [("event", "alarm", "c21va2U="), ("state", "", "dXA=")]


def test_a_token_of_rsa_is_taken_and_a_bad_one_refused(
    serve: StartServer, lasthop: RunClient, known: str, device: Device
) -> None:
    other = Device("d2", rsa.generate_private_key(65537, 2048))
    add(lasthop, known, other)
    server = serve("gateway", "--data", known)
    for client in (Client(server, other), Client(server, device)):
        assert client.refusal is None
        client.leave()
    claims = {"iat": int(time.time()), "exp": int(time.time()) + 60, "aud": "p1"}
    bad = (
        other.token(),
        device.token(life_s=24 * 3600 + 1),
        device.token(begins_s=-8000),
        device.token(begins_s=1000),
        jwt.encode(claims | {"aud": "p2"}, device.key, algorithm="ES256"),
        jwt.encode(claims, "", algorithm="none"),
        "x" * 60_000,
    )
    refusals = set()
    for token in bad:
        client = Client(server, device, token)
        refusals.add(client.refusal)
        client.leave()
    assert len(refusals) == 1
    assert None not in refusals


@pytest.mark.parametrize("algorithm", ["ES256", "RS256"])
def test_a_token_that_the_command_makes_is_one_to_others(
    algorithm: str, lasthop: RunClient, tmp_path: Path
) -> None:
    key = (
        rsa.generate_private_key(65537, 2048)
        if algorithm == "RS256"
        else ec.generate_private_key(ec.SECP256R1())
    )
    file = tmp_path / "key"
    pkcs8 = serialization.PrivateFormat.PKCS8
    nothing = serialization.NoEncryption()
    file.write_bytes(key.private_bytes(serialization.Encoding.PEM, pkcs8, nothing))
    before = int(time.time())
    device = Device("d1", key)
    done = lasthop("gateway", "token", device.path, "--key", str(file), "--hours", "24")
    assert done.returncode == 0, done.stderr
    token = done.stdout.removesuffix("\n")
    claims = jwt.decode(token, key.public_key(), algorithms=[algorithm], audience="p1")
    assert before <= claims["iat"] <= time.time()
    assert claims["exp"] == claims["iat"] + 24 * 3600


def test_a_token_needs_a_device_and_a_private_key(
    lasthop: RunClient, tmp_path: Path, device: Device
) -> None:
    public = str(device.public_key(tmp_path))
    for words, told in (
        ((device.path,), "--key"),
        ((device.path, "--key", public), "no private key"),
        (("d1", "--key", public), "names no device"),
        ((device.path, "--key", str(tmp_path / "none")), "cannot be read"),
        ((device.path, "--key", public, "--hours", "25"), "--hours"),
    ):
        done = lasthop("gateway", "token", *words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert told in done.stderr


def test_a_second_connection_of_a_device_ends_the_first(
    serve: StartServer, data: Path, device: Device
) -> None:
    server = serve("gateway", "--data", str(data))
    first = Client(server, device)
    first.client.reconnect_delay_set(60, 60)
    second = Client(server, device)
    assert second.refusal is None
    assert first.gone.wait(PATIENCE_S)
    second.publish("/devices/d1/events", "here").wait_for_publish(PATIENCE_S)
    for client in (first, second):
        client.leave()


def test_a_device_may_be_silent_for_twenty_minutes(
    serve: StartServer, data: Path, device: Device
) -> None:
    server = serve("gateway", "--data", str(data))
    for keep_alive_s, is_served in ((0, False), (1, True), (1200, True), (1201, False)):
        client = Client(server, device, keep_alive_s=keep_alive_s)
        assert (client.refusal is None) == is_served, keep_alive_s
        client.leave()


@pytest.mark.parametrize("limit", ["device_messages=3", "device_bytes=300"])
def test_a_device_that_says_too_much_is_cut_off_and_others_are_not(
    limit: str, serve: StartServer, lasthop: RunClient, known: str, device: Device
) -> None:
    other = Device("d2", ec.generate_private_key(ec.SECP256R1()))
    add(lasthop, known, other)
    server = serve("gateway", "--data", known, "--limit", limit)
    # At three a second it would take half a minute to be allowed as many.
    loud, quiet = Client(server, device), Client(server, other)
    loud.client.reconnect_delay_set(60, 60)
    sent = [loud.publish("/devices/d1/events", "x" * 100) for _ in range(100)]
    assert loud.gone.wait(PATIENCE_S)
    loud.client.loop_stop()
    quiet.publish("/devices/d2/events", "here").wait_for_publish(PATIENCE_S)
    quiet.leave()
    devices = [row["device"] for row in log(lasthop, known)]
    # What was published once the connection was gone has an error, and raises it when it is asked.
    left = [info for info in sent if info.rc == mqtt.MQTT_ERR_SUCCESS]
    acknowledged = sum(info.is_published() for info in left)
    assert acknowledged <= devices.count(device.path) < 100
    assert devices.count(device.path) >= 3
    assert devices.count(other.path) == 1


def test_what_was_acknowledged_is_in_the_log_after_a_kill(
    serve: StartServer, lasthop: RunClient, known: str, device: Device
) -> None:
    server = serve("gateway", "--data", known, "--limit", "device_messages=1000000")
    client = Client(server, device)
    sent = [client.publish("/devices/d1/events", str(number)) for number in range(2000)]
    sent[200].wait_for_publish(PATIENCE_S)
    server.process.kill()
    server.process.communicate()
    assert client.gone.wait(PATIENCE_S)
    client.client.loop_stop()
    acknowledged = {str(number) for number, info in enumerate(sent) if info.is_published()}
    assert len(acknowledged) > 200
    kept = {payload.decode() for payload in _payloads(lasthop, known)}
    assert not lost(f"killed, on {known.partition(':')[0]}", acknowledged, kept)
    # A server that comes after it takes over.
    server = serve("gateway", "--data", known)
    client = Client(server, device)
    client.publish("/devices/d1/events", "again").wait_for_publish(PATIENCE_S)
    client.leave()
    assert len(log(lasthop, known)) == len(kept) + 1


def _payloads(lasthop: RunClient, data: str) -> list[bytes]:
    return [base64.b64decode(str(row["payload_base64"])) for row in log(lasthop, data)]


def test_a_subscription_goes_on_where_it_was(
    serve: StartServer, lasthop: RunClient, known: str, device: Device
) -> None:
    server = serve("gateway", "--data", known)
    client = Client(server, device)
    for expected in (["1", "2"], ["3"], []):
        for text in expected:
            client.publish("/devices/d1/events", text).wait_for_publish(PATIENCE_S)
        done = lasthop("gateway", "log", "--data", known, "--subscription", "function")
        assert [line.split()[-1] for line in done.stdout.splitlines()] == expected
    assert len(log(lasthop, known)) == 3
    client.leave()


def test_a_message_is_one_line_of_the_log_whatever_it_holds(
    serve: StartServer, lasthop: RunClient, known: str, device: Device
) -> None:
    server = serve("gateway", "--data", known)
    client = Client(server, device)
    said = "fire\x1b[2J\n2 forged"
    client.publish("/devices/d1/events", said).wait_for_publish(PATIENCE_S)
    client.leave()
    done = lasthop("gateway", "log", "--data", known)
    assert done.stdout.endswith("d1 event fire\\x1b[2J\\n2 forged\n")
    assert done.stdout.count("\n") == 1


def test_two_servers_never_have_the_same_data(
    serve: StartServer, lasthop: RunClient, known: str
) -> None:
    serve("gateway", "--data", known)
    done = lasthop("serve", "gateway", "--listen", "127.0.0.1:0", "--data", known)
    assert done.returncode == 4
    assert "another server uses this data" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("pragma", "told"),
    [
        ("user_version = 99", "version 99, and this lasthop knows 3"),
        ("application_id = 7", "no database of a gateway"),
    ],
)
def test_a_database_of_others_is_refused_untouched(
    lasthop: RunClient, data: Path, pragma: str, told: str
) -> None:
    with closing(sqlite3.connect(data / "gateway.sqlite")) as database:
        database.execute(f"PRAGMA {pragma}")
    before = (data / "gateway.sqlite").read_bytes()
    for words in (("serve", "gateway", "--listen", "127.0.0.1:0"), ("gateway", "device", "list")):
        done = lasthop(*words, "--data", str(data))
        assert done.returncode == 4
        assert told in done.stderr
        assert done.stderr.count("\n") == 1
    assert (data / "gateway.sqlite").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("gateway", "device", "add", "d1"), "--key"),
        (("gateway", "device", "add", f"{REGISTRY}/d1"), "--key"),
        (("gateway", "device", "remove", f"{REGISTRY}/d9"), "no device is called"),
        (("gateway", "config", "set", "d1", "x"), "names no device"),
        (("gateway", "config", "set", f"{REGISTRY}/d1", "x" * 65537), "at most 65536 bytes"),
        (("gateway", "command", "send", f"{REGISTRY}/d1", "x"), "no server runs"),
        (("gateway", "device", "burn"), "is not a known action"),
        (("serve", "gateway", "mqtt"), "cannot run together"),
        (("serve", "gateway", "--user", "ann:x"), "authenticate with tokens"),
        (("serve", "mqtt"), "serve gateway"),
    ],
)
def test_bad_input_is_one_line(
    lasthop: RunClient, data: Path, words: tuple[str, ...], told: str
) -> None:
    done = lasthop(*words, "--data", str(data))
    assert done.returncode == 2, done.stderr
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_key_that_is_none_and_a_namesake_are_refused(
    lasthop: RunClient, known: str, tmp_path: Path, device: Device
) -> None:
    junk = tmp_path / "junk.pem"
    junk.write_text("junk", encoding="ascii")
    common = ("gateway", "device", "add", "--data", known)
    done = lasthop(*common, f"{REGISTRY}/d2", "--key", str(junk))
    assert (done.returncode, "no public key" in done.stderr) == (2, True)
    key = device.public_key(tmp_path)
    namesake = device.path.replace("r1", "r2")
    done = lasthop(*common, namesake, "--key", str(key))
    assert (done.returncode, "already" in done.stderr) == (2, True)
    done = lasthop("gateway", "device", "list", "--data", known)
    assert done.stdout == f"{device.path} ES256 configuration 0\n"


def test_a_stopped_server_leaves_what_it_took(
    serve: StartServer, lasthop: RunClient, known: str, device: Device
) -> None:
    server = serve("gateway", "--data", known)
    client = Client(server, device)
    for number in range(50):
        client.publish("/devices/d1/events", str(number))
    client.publish("/devices/d1/events", "last").wait_for_publish(PATIENCE_S)
    assert server.stop(signal.SIGINT) == 0
    client.leave()
    assert len(log(lasthop, known)) == 51
