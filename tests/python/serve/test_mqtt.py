"""Our broker on sockets, and foreign clients: paho-mqtt and those of mosquitto."""

import json
import queue
import signal
import subprocess
from typing import Any

import pytest
from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from .conftest import PATIENCE_S, FindProgram, RunClient, Server, StartServer


class Client(paho.Client):
    """A client of paho-mqtt that keeps what it receives."""

    def __init__(self, name: str, *, is_5: bool = False, lasting: bool = False) -> None:
        protocol = paho.MQTTv5 if is_5 else paho.MQTTv311
        clean = None if is_5 else not lasting
        super().__init__(
            CallbackAPIVersion.VERSION2, client_id=name, protocol=protocol, clean_session=clean
        )
        self._options: dict[str, Any] = {}
        if is_5:
            properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            properties.SessionExpiryInterval = 600 if lasting else 0
            self._options = {"clean_start": not lasting, "properties": properties}
        self.inbox: queue.Queue[tuple[str, bytes, bool]] = queue.Queue()
        self.resumed: queue.Queue[bool] = queue.Queue()
        self.granted: queue.Queue[list[int]] = queue.Queue()
        self.gone: queue.Queue[int] = queue.Queue()
        self.on_message = lambda _client, _data, message: self.inbox.put(
            (message.topic, bytes(message.payload), message.retain)
        )
        self.on_connect = lambda _client, _data, flags, _code, _properties: self.resumed.put(
            flags.session_present
        )
        self.on_subscribe = lambda _client, _data, _id, codes, _properties: self.granted.put(
            [code.value for code in codes]
        )

        def disconnected(client: paho.Client, *told: Any) -> None:  # noqa: ANN401
            client.disconnect()  # Or it would come back.
            self.gone.put(told[2].value)

        self.on_disconnect = disconnected

    def begin(self, place: tuple[str, int]) -> bool:
        """Connect, and return whether the broker knew the session."""
        self.connect(*place, keepalive=30, **self._options)
        self.loop_start()
        return self.resumed.get(timeout=PATIENCE_S)

    def want(self, topic: str, qos: int) -> list[int]:
        """Subscribe, and return what was granted."""
        self.subscribe(topic, qos)
        return self.granted.get(timeout=PATIENCE_S)

    def send(self, topic: str, payload: bytes, qos: int, *, retain: bool = False) -> None:
        """Publish, and wait until that is done."""
        self.publish(topic, payload, qos, retain=retain).wait_for_publish(PATIENCE_S)

    def next_message(self) -> tuple[str, bytes, bool]:
        return self.inbox.get(timeout=PATIENCE_S)

    def end(self) -> None:
        self.disconnect()
        self.loop_stop()


@pytest.fixture
def server(serve: StartServer) -> Server:
    return serve("mqtt")


@pytest.mark.soak
@pytest.mark.parametrize("is_5", [False, True], ids=["3.1.1", "5"])
@pytest.mark.parametrize("qos", [0, 1, 2])
def test_carries_messages_whole_and_in_order(server: Server, *, is_5: bool, qos: int) -> None:
    sender, receiver = Client("sender", is_5=is_5), Client("receiver", is_5=is_5)
    for client in (sender, receiver):
        client.begin(server.addresses[0])
    assert receiver.want("lab/+/t", qos) == [qos]
    payloads = [bytes([number]) * (1 + 9_973 * number) for number in range(20)]
    for payload in payloads:
        sender.send("lab/7/t", payload, qos)
    received = [receiver.next_message() for _ in payloads]
    assert received == [("lab/7/t", payload, False) for payload in payloads]
    for client in (sender, receiver):
        client.end()


def test_several_listeners_are_one_broker(serve: StartServer) -> None:
    server = serve("mqtt", listen=("127.0.0.1:0", "[::1]:0"))
    old, new = Client("old"), Client("new")
    old.begin(server.addresses[0])
    new.begin(server.addresses[1])
    old.want("t", 1)
    new.send("t", b"from the other family", 1)
    assert old.next_message() == ("t", b"from the other family", False)
    old.end()
    new.end()


@pytest.mark.parametrize("is_5", [False, True], ids=["3.1.1", "5"])
def test_keeps_sessions_and_retained_messages(server: Server, *, is_5: bool) -> None:
    place = server.addresses[0]
    sleeper = Client("sleeper", is_5=is_5, lasting=True)
    assert not sleeper.begin(place)
    sleeper.want("news", 1)
    sleeper.end()
    sender = Client("sender", is_5=is_5)
    sender.begin(place)
    sender.send("news", b"1", 1)
    sender.send("state", b"on", 1, retain=True)
    sender.end()
    again = Client("sleeper", is_5=is_5, lasting=True)
    assert again.begin(place)
    assert again.next_message() == ("news", b"1", False)
    again.want("state", 1)
    assert again.next_message() == ("state", b"on", True)
    again.end()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_says_good_bye_and_exits_0(serve: StartServer, number: int) -> None:
    server = serve("mqtt")
    client = Client("client", is_5=True)
    client.begin(server.addresses[0])
    assert server.stop(number) == 0
    server_shutting_down = 0x8B
    assert client.gone.get(timeout=PATIENCE_S) == server_shutting_down
    client.loop_stop()


def test_a_will_is_published_when_a_client_goes_without_a_word(server: Server) -> None:
    heir, mortal = Client("heir"), Client("mortal")
    heir.begin(server.addresses[0])
    heir.want("will", 1)
    mortal.will_set("will", b"gone", 1)
    mortal.begin(server.addresses[0])
    opened = mortal.socket()
    assert opened is not None
    mortal.loop_stop()
    opened.close()
    assert heir.next_message() == ("will", b"gone", False)
    heir.end()


@pytest.mark.smoke("mosquitto_pub and mosquitto_sub")
def test_clients_of_mosquitto_understand_it(server: Server, find_program: FindProgram) -> None:
    package = "mosquitto-clients"
    pub, sub = find_program("mosquitto_pub", package), find_program("mosquitto_sub", package)
    port = str(server.port)
    for version in ("mqttv311", "mqttv5"):
        for qos in ("0", "1", "2"):
            common = ("-h", "127.0.0.1", "-p", port, "-V", version, "-q", qos, "-t", "a/b")
            subprocess.run([pub, *common, "-r", "-m", "kept"], check=True, timeout=PATIENCE_S)
            told = subprocess.run(
                [sub, *common, "-C", "1", "-F", "%t %r %p"],
                check=True,
                timeout=PATIENCE_S,
                capture_output=True,
                text=True,
            )
            assert told.stdout == "a/b 1 kept\n"


@pytest.mark.soak
@pytest.mark.parametrize("version", ["3.1.1", "5"])
@pytest.mark.parametrize("qos", ["0", "1", "2"])
def test_our_clients_speak_with_paho(
    server: Server, lasthop: RunClient, version: str, qos: str
) -> None:
    receiver = Client("receiver")
    receiver.begin(server.addresses[0])
    receiver.want("house/door", 2)
    url = f"mqtt://localhost:{server.port}/house/door"
    done = lasthop("pub", url, "offen, ganz weit", "--qos", qos, "--version", version)
    assert (done.returncode, done.stderr) == (0, "")
    assert receiver.next_message() == ("house/door", b"offen, ganz weit", False)
    receiver.send("house/state", b"kept", 1, retain=True)
    receiver.send("house/other", b"kept too", 1, retain=True)
    wanted = ("--count", "2", "--qos", qos, "--version", version)
    done = lasthop("sub", f"mqtt://127.0.0.1:{server.port}/house/#", *wanted)
    assert (done.returncode, sorted(done.stdout.splitlines())) == (0, ["kept", "kept too"])
    receiver.end()


@pytest.mark.soak
@pytest.mark.parametrize("qos", ["0", "1", "2"])
def test_topics_are_told_as_by_mosquitto(
    server: Server, lasthop: RunClient, find_program: FindProgram, qos: str
) -> None:
    program = find_program("mosquitto_sub", "mosquitto-clients")
    sender = Client("sender")
    sender.begin(server.addresses[0])
    for topic, payload in (("a/b", b"one"), ("a/c d", b"\xc3\xa9"), ("a/e", b"two words")):
        sender.send(topic, payload, 2, retain=True)
    sender.end()
    theirs = subprocess.run(
        [program, "-p", str(server.port), "-t", "a/#", "-q", qos, "-C", "3", "-v"],
        check=True,
        timeout=PATIENCE_S,
        capture_output=True,
        text=True,
    )
    url = f"mqtt://127.0.0.1:{server.port}/a/#"
    ours = lasthop("sub", url, "--count", "3", "--qos", qos, "-v")
    assert (ours.returncode, ours.stderr) == (0, "")
    assert sorted(ours.stdout.splitlines()) == sorted(theirs.stdout.splitlines())
    told = lasthop("sub", url, "--count", "3", "--qos", qos, "--json")
    messages = [json.loads(line) for line in told.stdout.splitlines()]
    assert sorted(one["topic"] for one in messages) == ["a/b", "a/c d", "a/e"]


@pytest.mark.parametrize("version", ["3.1.1", "5"])
def test_our_clients_have_messages_kept_and_show_who_they_are(
    serve: StartServer, lasthop: RunClient, version: str
) -> None:
    server = serve("mqtt", "--user=ann:a:b")
    url = f"mqtt://127.0.0.1:{server.port}/house/door"
    as_ann = ("--user", "ann:a:b", "--version", version)
    for options in ((), ("--user", "ann:b"), ("--user", "eve:a:b")):
        done = lasthop("pub", url, "open", "--version", version, *options)
        assert (done.returncode, done.stdout) == (4, "")
        assert "the broker refuses the connection" in done.stderr
    assert lasthop("pub", url, "unheard", *as_ann).returncode == 0
    assert lasthop("pub", url, "kept", "--retain", *as_ann).returncode == 0
    done = lasthop("sub", url, "--count", "1", *as_ann)
    assert (done.returncode, done.stdout) == (0, "kept\n")
