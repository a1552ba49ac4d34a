"""Our MQTT client against mosquitto, and paho-mqtt against our broker: all QoS, both versions."""

import queue
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from lasthop.testbed import Namespace, Tun

from .conftest import KERNEL, OURS, FindProgram, StartHost
from .waiting import wait_for_port

pytestmark = pytest.mark.soak

PORT = 1883
LOSSY: dict[str, Any] = {"loss": 0.1, "delay_ms": 5}
Version = Literal["3.1.1", "5"]

_PATIENCE_S = 120.0


@pytest.fixture(params=["3.1.1", "5"])
def version(request: pytest.FixtureRequest) -> Version:
    version: Version = request.param
    return version


@pytest.fixture(params=[0, 1, 2], ids=lambda qos: f"qos{qos}")
def qos(request: pytest.FixtureRequest) -> int:
    qos: int = request.param
    return qos


class PahoClient(paho.Client):
    """A client of paho-mqtt in a namespace, which keeps what it receives."""

    def __init__(
        self, namespace: Namespace, name: str, version: Version, *, lasting: bool = False
    ) -> None:
        is_5 = version == "5"
        super().__init__(
            CallbackAPIVersion.VERSION2,
            client_id=name,
            protocol=paho.MQTTv5 if is_5 else paho.MQTTv311,
            clean_session=None if is_5 else not lasting,
        )
        self._namespace = namespace
        self._lasting = lasting
        self._is_5 = is_5
        self.inbox: queue.Queue[tuple[str, bytes, bool]] = queue.Queue()
        self.resumed: queue.Queue[bool] = queue.Queue()
        self.granted: queue.Queue[list[Any]] = queue.Queue()
        self.on_message = lambda _client, _data, message: self.inbox.put(
            (message.topic, bytes(message.payload), message.retain)
        )
        self.on_connect = lambda _client, _data, flags, _code, _properties: self.resumed.put(
            flags.session_present
        )
        self.on_subscribe = lambda _client, _data, _id, codes, _properties: self.granted.put(codes)

    def _create_socket_connection(self) -> socket.socket:
        # The socket belongs to the namespace; that is all there is to it.
        address = (self._host, self._port)
        return self._namespace.inside(lambda: socket.create_connection(address, _PATIENCE_S))

    def begin(self, broker: str) -> bool:
        """Connect, and return whether the broker knew the session."""
        options: dict[str, Any] = {}
        if self._is_5:
            properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            properties.SessionExpiryInterval = 600 if self._lasting else 0
            options = {"clean_start": not self._lasting, "properties": properties}
        self.connect(broker, PORT, keepalive=30, **options)
        self.loop_start()
        return self.resumed.get(timeout=_PATIENCE_S)

    def want(self, topic: str, qos: int) -> None:
        """Subscribe, and wait until that holds."""
        self.subscribe(topic, qos)
        self.granted.get(timeout=_PATIENCE_S)

    def send(self, topic: str, payload: bytes, qos: int, *, retain: bool = False) -> None:
        """Publish, and wait until that is done."""
        self.publish(topic, payload, qos, retain=retain).wait_for_publish(_PATIENCE_S)

    def end(self) -> None:
        """Disconnect."""
        self.disconnect()
        self.loop_stop()

    def vanish(self) -> None:
        """Go without a word."""
        opened = self.socket()
        assert isinstance(opened, socket.socket)
        self.loop_stop()
        opened.shutdown(socket.SHUT_RDWR)

    def next_message(self) -> tuple[str, bytes, bool]:
        return self.inbox.get(timeout=_PATIENCE_S)


@pytest.fixture
def mosquitto(namespace: Namespace, device: Tun, find_program: FindProgram, tmp_path: Path) -> None:
    del device  # It has the address that the broker binds.
    config = tmp_path / "mosquitto.conf"
    config.write_text(f"listener {PORT} {KERNEL}\nallow_anonymous true\n", encoding="utf-8")
    broker = find_program("mosquitto", "mosquitto")
    namespace.start(broker, "-c", config, stderr=subprocess.DEVNULL)
    wait_for_port(namespace, "tcp", PORT)


@pytest.mark.usefixtures("mosquitto")
class TestOurClient:
    @pytest.mark.parametrize("link", [{}, LOSSY], ids=["no loss", "10 % loss"])
    def test_gets_back_what_it_sent(
        self, live_host: StartHost, version: Version, qos: int, link: dict[str, Any]
    ) -> None:
        told = live_host("mqtt-client", KERNEL, version, qos, 20, 20, **link).finish()
        received = [line["received"].split(maxsplit=1)[1] for line in told if "received" in line]
        expected = [f"message {number}" for number in range(1, 21)]
        # Over a connection that holds, nothing is lost or sent again at any QoS.
        assert received == expected
        assert not any("failed" in line for line in told)

    def test_finds_its_session_again(self, live_host: StartHost, namespace: Namespace) -> None:
        # For longer than the keep-alive of 2 s, so that both ends give the connection up.
        device = live_host("mqtt-client", KERNEL, "5", 1, 0, 2, outage_ms="500,7500")
        heir = PahoClient(namespace, "heir", "5")
        heir.begin(KERNEL)
        heir.want("will", 1)
        assert heir.next_message() == ("will", b"gone", False)
        for text in (b"AAAAAAAA one", b"AAAAAAAA two"):
            heir.send("device/1", text, 1)
        heir.end()
        told = device.finish()
        assert [line for line in told if "ready" in line] == [{"ready": True}] * 2
        received = [line["received"] for line in told if "received" in line]
        assert received == ["AAAAAAAA one", "AAAAAAAA two"]

    def test_has_its_will_published_and_retained(
        self, live_host: StartHost, namespace: Namespace
    ) -> None:
        heir = PahoClient(namespace, "heir", "3.1.1")
        heir.begin(KERNEL)
        heir.want("will", 1)
        # It ends without a word: the host is gone, and the broker hears nothing for its keep-alive.
        live_host("mqtt-client", KERNEL, "3.1.1", 1, 1, 1).finish()
        assert heir.next_message() == ("will", b"gone", False)
        heir.end()
        late = PahoClient(namespace, "late", "3.1.1")
        late.begin(KERNEL)
        late.want("will", 1)
        assert late.next_message() == ("will", b"gone", True)
        late.end()


class TestOurBroker:
    @pytest.fixture
    def broker(self, live_host: StartHost) -> None:
        live_host("mqtt-broker")

    @pytest.fixture
    def clients(
        self, namespace: Namespace, broker: None, version: Version
    ) -> Iterator["MakeClient"]:
        del broker
        made: list[PahoClient] = []
        yield MakeClient(namespace, version, made)
        for client in made:
            client.end()

    def test_carries_messages_whole_and_in_order(self, clients: "MakeClient", qos: int) -> None:
        sender, receiver = clients("sender"), clients("receiver")
        sender.begin(OURS)
        receiver.begin(OURS)
        receiver.want("lab/+/t", qos)
        payloads = [bytes([number]) * (1 + 997 * number) for number in range(20)]
        for payload in payloads:
            sender.send("lab/7/t", payload, qos)
        assert [receiver.next_message() for _ in payloads] == [
            ("lab/7/t", payload, False) for payload in payloads
        ]
        assert receiver.inbox.empty()

    def test_carries_messages_over_a_lossy_link(
        self, namespace: Namespace, live_host: StartHost, version: Version, qos: int
    ) -> None:
        live_host("mqtt-broker", **LOSSY)
        client = PahoClient(namespace, "both", version)
        client.begin(OURS)
        client.want("#", qos)
        for number in range(20):
            client.publish("t", str(number).encode(), qos)
        received = [client.next_message()[1] for _ in range(20)]
        assert received == [str(number).encode() for number in range(20)]
        client.end()

    def test_keeps_what_is_retained(self, clients: "MakeClient", qos: int) -> None:
        acknowledged = max(qos, 1)  # At QoS 0 nobody knows when the broker has it.
        sender = clients("sender")
        sender.begin(OURS)
        sender.send("state", b"old", acknowledged, retain=True)
        sender.send("state", b"new", acknowledged, retain=True)
        receiver = clients("receiver")
        receiver.begin(OURS)
        receiver.want("state", qos)
        assert receiver.next_message() == ("state", b"new", True)
        sender.send("state", b"", acknowledged, retain=True)
        assert receiver.next_message() == ("state", b"", False)
        late = clients("late")
        late.begin(OURS)
        late.want("state", qos)
        sender.send("state", b"after", qos)
        assert late.next_message() == ("state", b"after", False)

    def test_publishes_a_will(self, clients: "MakeClient") -> None:
        heir = clients("heir")
        heir.begin(OURS)
        heir.want("will", 1)
        mortal = clients("mortal")
        mortal.will_set("will", b"gone", 1)
        mortal.begin(OURS)
        mortal.vanish()
        assert heir.next_message() == ("will", b"gone", False)
        content = clients("content")
        content.will_set("will", b"never", 1)
        content.begin(OURS)
        content.end()
        time.sleep(0.3)
        assert heir.inbox.empty()

    def test_resumes_a_session(self, clients: "MakeClient") -> None:
        first = clients("sleeper", lasting=True)
        assert not first.begin(OURS)
        first.want("news", 1)
        first.end()
        sender = clients("sender")
        sender.begin(OURS)
        for number in range(3):
            sender.send("news", str(number).encode(), 1)
        second = clients("sleeper", lasting=True)
        assert second.begin(OURS)
        assert [second.next_message()[1] for _ in range(3)] == [b"0", b"1", b"2"]

    def test_a_second_client_of_a_name_takes_over(self, clients: "MakeClient") -> None:
        first = clients("name")
        gone = queue.Queue[bool]()

        def disconnected(client: paho.Client, *_: object) -> None:
            client.disconnect()  # Or it would take its name back.
            gone.put(item=True)

        first.on_disconnect = disconnected
        first.begin(OURS)
        second = clients("name")
        second.begin(OURS)
        assert gone.get(timeout=_PATIENCE_S)


class MakeClient:
    """Makes clients of paho-mqtt that are stopped in the end."""

    def __init__(self, namespace: Namespace, version: Version, made: list[PahoClient]) -> None:
        self._namespace = namespace
        self._version = version
        self._made = made

    def __call__(self, name: str, *, lasting: bool = False) -> PahoClient:
        client = PahoClient(self._namespace, name, self._version, lasting=lasting)
        self._made.append(client)
        return client
