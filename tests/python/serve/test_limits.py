"""Hostile clients meet the limits of a server, and others are served as before."""

import contextlib
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from docs.generator import serve_limits

from lasthop.live.limits import all_limits

from .conftest import PATIENCE_S, Server, StartServer
from .test_mqtt import Client

ROOT = Path(__file__).parents[3]

CONNECT = bytes.fromhex("10 0e 0004 4d515454 04 02 003c 0002") + b"me"
CONNECT_5 = bytes.fromhex("10 0f 0004 4d515454 05 02 003c 00 0002") + b"me"


def test_every_limit_has_a_test() -> None:
    assert {limit.name for limit in all_limits()} == set(serve_limits.TESTS)
    for test in [*serve_limits.TESTS.values(), *(row[-1] for row in serve_limits.FIXED)]:
        file, _, name = test.partition("::")
        text = (ROOT / file).read_text("utf-8")
        assert f"def {name}(" in text or f"fn {name}()" in text, test


@contextlib.contextmanager
def tcp(server: Server) -> Iterator[socket.socket]:
    with socket.create_connection(server.addresses[0], PATIENCE_S) as opened:
        yield opened


def is_closed(opened: socket.socket) -> bool:
    """Tell whether the server ends the connection, with whatever it says before."""
    with contextlib.suppress(ConnectionError):
        while opened.recv(4096):
            pass
    return True


def is_refused(opened: socket.socket, said: bytes) -> bool:
    """Tell whether the server refuses, sooner or later, what is said to it."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            opened.sendall(said)
        except ConnectionError:
            return True
        time.sleep(0.05)
    return False


def still_serves(server: Server) -> bool:
    client = Client("somebody else")
    client.begin(server.addresses[0])
    client.want("t", 1)
    client.send("t", b"x", 1)
    came = client.next_message()
    client.end()
    return came == ("t", b"x", False)


def code_of(server: Server, connect: bytes) -> int:
    """Connect by hand, and return the code of CONNACK."""
    with tcp(server) as opened:
        opened.sendall(connect)
        return opened.recv(4096)[3]


@pytest.mark.parametrize("limit", ["connections", "connections_per_address"])
def test_one_connection_too_many_is_closed(serve: StartServer, limit: str) -> None:
    server = serve("mqtt", f"--limit={limit}=3")
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(tcp(server)) for _ in range(3)]
        for connection in opened:
            connection.sendall(CONNECT.replace(b"me", bytes([65, 65 + opened.index(connection)])))
            assert connection.recv(4) == bytes.fromhex("20020000")
        with tcp(server) as one_more:
            assert is_closed(one_more)
        opened[0].close()
        deadline = time.monotonic() + PATIENCE_S
        while not _is_welcome(server):
            assert time.monotonic() < deadline, "the place was not given back"


def _is_welcome(server: Server) -> bool:
    with tcp(server) as opened, contextlib.suppress(ConnectionError):
        opened.sendall(CONNECT)
        return bool(opened.recv(4))
    return False


def test_without_a_descriptor_a_connection_is_refused_and_the_others_are_served(
    serve: StartServer,
) -> None:
    server = serve("mqtt", prefix=("prlimit", "--nofile=40"))
    client = Client("early")
    client.begin(server.addresses[0])
    client.want("t", 1)
    with contextlib.ExitStack() as stack:
        for _ in range(60):
            stack.enter_context(tcp(server))
        client.send("t", b"still here", 1)
        assert client.next_message() == ("t", b"still here", False)
    deadline = time.monotonic() + PATIENCE_S
    while not _is_welcome(server):
        assert time.monotonic() < deadline, "no place was given back"
    client.end()


def test_who_says_nothing_is_closed(serve: StartServer) -> None:
    server = serve("mqtt", "--limit=connect_time=1")
    with tcp(server) as silent, tcp(server) as slow:
        slow.sendall(CONNECT[:5])
        assert is_closed(silent)
        assert is_closed(slow)
    assert still_serves(server)


CSM = bytes.fromhex("00 e1")
ABORT = bytes.fromhex("00 e5")
RELEASE = bytes.fromhex("00 e4")
PING = bytes.fromhex("00 e2")
HALF_A_PUT = bytes.fromhex("80 03 b1 78")


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("connect_time", b""),
        ("connect_time", CSM[:1]),
        ("message_time", CSM + HALF_A_PUT),
        ("message_time", CSM + PING + HALF_A_PUT[:1]),
    ],
)
def test_who_keeps_a_coap_server_waiting_is_closed(
    serve: StartServer, limit: str, said: bytes
) -> None:
    server = serve("coap_tcp", f"--limit={limit}=1")
    with tcp(server) as slow, tcp(server) as patient:
        patient.sendall(CSM)
        slow.sendall(said)
        assert is_closed(slow)
        # Who is silent between messages is served as before.
        patient.sendall(PING)
        said_to_it = b""
        while not said_to_it.endswith(bytes.fromhex("00 e3")):
            part = patient.recv(100)
            assert part
            said_to_it += part


@pytest.mark.parametrize(
    "farewell", [ABORT, RELEASE, b"\xff"], ids=["abort", "release", "nonsense"]
)
def test_who_stays_after_the_end_of_coap_is_cut_off(serve: StartServer, farewell: bytes) -> None:
    server = serve("coap_tcp", "--limit=connect_time=1")
    with tcp(server) as stays:
        stays.sendall(CSM + farewell)
        assert is_refused(stays, PING)


def test_of_what_waits_for_a_client_on_a_stream_the_newest_is_told(serve: StartServer) -> None:
    server = serve("coap_tcp", "--limit=waiting=2", "--limit=body_size=60000")
    size = 50_000
    head = bytes([0xE0]) + (3 + size - 269).to_bytes(2) + bytes.fromhex("03 b1 78 ff")
    takes_much = bytes.fromhex("30 e1 22 ffff")
    with tcp(server) as observer, tcp(server) as setter:

        def put(state: bytes) -> None:
            setter.sendall(head + state * size)
            setter.recv(1000)

        for client in (setter, observer):
            client.sendall(takes_much)
            # The server's own CSM, or it would be taken for an answer.
            assert client.recv(1000)
        put(b"a")
        # GET /x with Observe and a token.
        observer.sendall(bytes.fromhex("31 01 07 60 51 78"))
        assert observer.recv(10)
        before = _resident_kib(server)
        for _ in range(1000):
            put(b"b")
        put(b"c")
        # 50 MB were to be told of.
        assert _resident_kib(server) < before + 16_384
        told = bytearray()
        observer.settimeout(1.0)
        with contextlib.suppress(TimeoutError):
            while part := observer.recv(1 << 20):
                told += part
        assert told.endswith(b"c" * size)
        assert len(told) < 500 * size


def _resident_kib(server: Server) -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii")
    found = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(found.split()[1])


def test_a_packet_that_is_too_large_ends_its_connection(serve: StartServer) -> None:
    server = serve("mqtt", "--limit=packet_size=1000")
    with tcp(server) as opened:
        opened.sendall(CONNECT)
        opened.recv(4)
        # It is refused by its length, before the bytes come.
        opened.sendall(bytes.fromhex("30 ffff7f"))
        assert is_closed(opened)
    assert still_serves(server)


def test_no_more_is_in_flight_than_may_be(serve: StartServer) -> None:
    server = serve("mqtt", "--limit=in_flight=2")
    with tcp(server) as lazy:
        lazy.sendall(CONNECT + bytes.fromhex("82 06 0001 0001 74 01"))
        assert lazy.recv(4) == bytes.fromhex("20020000")
        assert lazy.recv(5) == bytes.fromhex("9003000101")
        sender = Client("sender")
        sender.begin(server.addresses[0])
        for _ in range(5):
            sender.send("t", b"x", 1)
        publish = bytes.fromhex("32 06 0001 74 0001 78 32 06 0001 74 0002 78")
        assert lazy.recv(100) == publish
        lazy.sendall(bytes.fromhex("40 02 0001"))
        assert lazy.recv(100) == bytes.fromhex("32 06 0001 74 0003 78")
        sender.end()


@pytest.mark.parametrize("connect", [CONNECT, CONNECT_5], ids=["3.1.1", "5"])
def test_who_releases_nothing_is_closed(serve: StartServer, connect: bytes) -> None:
    server = serve("mqtt", "--limit=in_flight=2")
    nothing = b"\0" if connect == CONNECT_5 else b""
    with tcp(server) as hoarder:
        hoarder.sendall(connect)
        hoarder.recv(100)
        for number in (1, 2, 3):
            body = bytes.fromhex("0001 74 00") + bytes([number]) + nothing + b"x"
            hoarder.sendall(bytes([0x34, len(body)]) + body)
        assert is_closed(hoarder)
    assert still_serves(server)


@pytest.mark.parametrize("limit", ["queued_messages=3", "queued_bytes=6"])
def test_what_waits_for_a_session_is_bounded(serve: StartServer, limit: str) -> None:
    server = serve("mqtt", f"--limit={limit}")
    sleeper = Client("sleeper", lasting=True)
    sleeper.begin(server.addresses[0])
    sleeper.want("t", 1)
    sleeper.end()
    sender = Client("sender")
    sender.begin(server.addresses[0])
    for number in range(10):
        sender.send("t", str(number).encode(), 1)
    sender.end()
    again = Client("sleeper", lasting=True)
    assert again.begin(server.addresses[0])
    assert [again.next_message()[1] for _ in range(3)] == [b"0", b"1", b"2"]
    again.want("end", 1)
    again.send("end", b"end", 1)
    assert again.next_message()[1] == b"end"
    again.end()


# Of 8,000 B one holder gets two messages of 1,129 B. Its share with three is 4,613² / 8,000 B.
@pytest.mark.parametrize("limit", ["kept_bytes=8000", "kept_bytes_per_user=3000"])
def test_what_is_kept_of_one_client_is_bounded(serve: StartServer, limit: str) -> None:
    server = serve("mqtt", f"--limit={limit}")
    publish = b"\x34\xee\x07\x00\x01t%b\x00" + b"x" * 1000
    with tcp(server) as opened:
        opened.sendall(CONNECT_5)
        opened.recv(100)
        answers = b""
        for number in (1, 2, 3):
            opened.sendall(publish.replace(b"%b", bytes([0, number])))
            answers += opened.recv(100)
        quota_exceeded = b"\x50\x03\x00\x03\x97"
        assert answers == b"\x50\x02\x00\x01\x50\x02\x00\x02" + quota_exceeded
    with tcp(server) as older:
        publish_3 = b"\x34\xed\x07\x00\x01t%b" + b"x" * 1000
        older.sendall(CONNECT)
        older.recv(100)
        for number in (1, 2, 3):
            older.sendall(publish_3.replace(b"%b", bytes([0, number])))
        assert is_closed(older)
    assert still_serves(server)


def test_one_subscription_too_many_is_refused(serve: StartServer) -> None:
    server = serve("mqtt", "--limit=subscriptions=2")
    client = Client("client", is_5=True)
    client.begin(server.addresses[0])
    quota_exceeded = 0x97
    granted = [client.want(topic, 0) for topic in ("a", "b", "c", "b")]
    assert granted == [[0], [0], [quota_exceeded], [0]]
    client.end()


def test_filters_that_are_too_long_together_are_refused(serve: StartServer) -> None:
    server = serve("mqtt", "--limit=subscription_bytes=1000")
    one, other = Client("one", is_5=True), Client("other", is_5=True)
    one.begin(server.addresses[0])
    other.begin(server.addresses[0])
    quota_exceeded = 0x97
    assert one.want("a" * 500, 0) == [0]
    assert other.want("b" * 500, 0) == [quota_exceeded]
    assert other.want("c" * 200, 0) == [0]
    one.end()
    assert other.want("b" * 500, 0) == [0]
    other.end()


def test_parked_sessions_of_a_squatter_make_room_for_others(serve: StartServer) -> None:
    server = serve("mqtt", "--limit=sessions=4", "--user=device:secret", "--allow-anonymous")
    device = Client("device", lasting=True)
    device.username_pw_set("device", "secret")
    device.begin(server.addresses[0])
    device.end()
    for number in range(10):
        squatter = Client(f"squatter {number}", lasting=True)
        squatter.begin(server.addresses[0])
        squatter.end()
    again = Client("device", lasting=True)
    again.username_pw_set("device", "secret")
    assert again.begin(server.addresses[0]), "the session of the named user is kept"
    again.end()
    last = Client("squatter 9", lasting=True)
    assert last.begin(server.addresses[0])
    last.end()


def test_one_session_too_many_is_refused(serve: StartServer) -> None:
    server = serve("mqtt", "--limit=sessions=1")
    sleeper = Client("sleeper", is_5=True, lasting=True)
    sleeper.begin(server.addresses[0])
    quota_exceeded, unavailable = 0x97, 3
    assert code_of(server, CONNECT_5) == quota_exceeded
    assert code_of(server, CONNECT) == unavailable
    sleeper.end()


def test_retained_messages_are_bounded(serve: StartServer) -> None:
    server = serve("mqtt", "--limit=retained_messages=1")
    client = Client("client")
    client.begin(server.addresses[0])
    for topic in ("first", "second"):
        client.send(topic, topic.encode(), 1, retain=True)
    client.want("#", 1)
    # What was there longest makes room.
    assert client.next_message() == ("second", b"second", True)
    client.send("end", b"end", 1)
    assert client.next_message() == ("end", b"end", False)
    client.end()


def test_bytes_of_retained_messages_are_bounded(serve: StartServer) -> None:
    server = serve("mqtt", "--limit=retained_bytes=100")
    client = Client("client")
    client.begin(server.addresses[0])
    for topic, length in (("first", 40), ("second", 44), ("second", 96), ("third", 40)):
        client.send(topic, b"x" * length, 1, retain=True)
    client.want("#", 1)
    # What is larger than all may be leaves the one before it; what was there longest makes room.
    retained = [client.next_message() for _ in range(2)]
    assert retained == [("second", b"x" * 44, True), ("third", b"x" * 40, True)]
    client.send("end", b"end", 1)
    assert client.next_message() == ("end", b"end", False)
    client.end()


def test_a_topic_alias_beyond_the_limit_ends_the_connection(serve: StartServer) -> None:
    server = serve("mqtt", "--limit=topic_aliases=1")
    with tcp(server) as opened:
        opened.sendall(CONNECT_5)
        opened.recv(100)
        opened.sendall(bytes.fromhex("30 07 0001 74 03 230002"))
        invalid = bytes.fromhex("e0 01 94")
        assert opened.recv(100)[:1] + bytes([invalid[2]]) == bytes([0xE0, 0x94])
        assert is_closed(opened)


def test_a_stranger_finds_no_place_among_as_many_peers_as_there_may_be(
    serve: StartServer,
) -> None:
    server = serve("coap", "--limit=peers=1")
    ping = bytes.fromhex("40 00 1234")
    with udp(server) as known, udp(server) as stranger:
        known.send(ping)
        assert known.recv(100) == bytes.fromhex("70 00 1234")
        stranger.settimeout(0.3)
        stranger.send(ping)
        with pytest.raises(TimeoutError):
            stranger.recv(100)
        known.send(bytes.fromhex("40 00 1235"))
        assert known.recv(100) == bytes.fromhex("70 00 1235")


def test_a_body_that_is_too_large_is_refused(serve: StartServer) -> None:
    server = serve("coap", "--limit=body_size=100")
    # PUT /x, Block1 of 64 B each, more to come.
    code = b""
    with udp(server) as client:
        for number in range(3):
            block = bytes([number << 4 | 0x08 | 0x02])
            head = bytes([0x40, 3, 0, number])
            client.send(head + b"\xb1x" + b"\xd1\x03" + block + b"\xff" + bytes(64))
            code = client.recv(100)[1:2]
            if code != b"\x5f":
                break
    assert code == b"\x8d"


def test_notifications_that_wait_for_a_client_are_bounded(serve: StartServer) -> None:
    server = serve("coap", "--limit=waiting=2")
    names = (b"a", b"b", b"c", b"d")
    with udp(server) as observer, udp(server) as setter:

        def set_all(state: int) -> None:
            for place, name in enumerate(names):
                head = bytes([0x40, 3, state, place]) + b"\xb1" + name + b"\xff"
                setter.send(head + str(state).encode())
                setter.recv(100)

        set_all(0)
        for name in names:
            observer.send(b"\x41\x01\x00" + name + name + b"\x60\x51" + name)
            assert observer.recv(100)[1] == 0x45
        for state in range(1, 10):
            set_all(state)
        told = []
        observer.settimeout(1.0)
        with contextlib.suppress(TimeoutError):
            while True:
                notification = observer.recv(100)
                told.append((notification[4:5], notification[-1:]))
                observer.send(b"\x60\x00" + notification[2:4])
    # One was under way, two waited, each with the newest state, the others were dropped.
    assert told == [(b"a", b"1"), (b"b", b"9"), (b"c", b"9")]


def test_one_client_observes_no_more_than_it_may(serve: StartServer) -> None:
    server = serve("coap", "--limit=observations=2")
    paths = (b"\xb2ps\x01a", b"\xb2ps\x01b", b"\xb1c", b"\xb1d")
    with udp(server) as client, udp(server) as other:

        def ask(by: socket.socket, code: int, number: int, options: bytes) -> bytes:
            by.send(bytes([0x41, code, 0, number, number]) + options)
            return by.recv(100)

        for number, path in enumerate(paths):
            assert ask(other, 3, number, path + b"\xff0")[1] == 0x41

        def is_observed(by: socket.socket, number: int) -> bool:
            observe_and_path = b"\x60" + bytes([paths[number][0] - 0x60]) + paths[number][1:]
            answer = ask(by, 1, 10 + number, observe_and_path)
            assert answer[1] == 0x45
            # ETag is option 4; Observe, if it is there, is two numbers on.
            options = answer[5:]
            return options[1 + (options[0] & 0x0F)] >> 4 == 2

        assert [is_observed(client, number) for number in (0, 2, 1, 3)] == [1, 1, 0, 0]
        # Who asks again for what it has is no burden, and others have room of their own.
        assert [is_observed(client, 0), is_observed(other, 1), is_observed(other, 3)] == [1, 1, 1]


def test_subscriptions_of_the_json_broker_are_bounded(serve: StartServer) -> None:
    server = serve("json_udp", "--limit=topics=2")
    with udp(server) as client:
        answers = [_subscribe(client, topic) for topic in ("a", "b", "c", "b")]
        client.send(b'{"op":"pub","topic":"b","data":{"x":1}}')
        assert json.loads(client.recv(1000))["data"] == {"x": 1}
    assert answers == ["a", "b", None, "b"]


def test_an_address_with_few_subscriptions_of_json_finds_room(serve: StartServer) -> None:
    server = serve("json_udp", "--limit=topics=20")
    with udp(server, "127.0.0.2") as squatter, udp(server) as honest:
        taken = [_subscribe(squatter, f"t{number}") for number in range(21)]
        assert taken == [*(f"t{number}" for number in range(20)), None]
        assert [_subscribe(honest, topic) for topic in ("a", "b")] == ["a", "b"]
        honest.send(b'{"op":"pub","topic":"a","data":{"x":1}}')
        assert json.loads(honest.recv(1000))["data"] == {"x": 1}
        # What the other one had has gone, and it may come again.
        assert _subscribe(squatter, "t0") == "t0"


def test_bytes_of_the_topics_of_the_json_broker_are_bounded(serve: StartServer) -> None:
    server = serve("json_udp", "--limit=topic_bytes=10")
    with udp(server) as client:
        answers = [_subscribe(client, topic) for topic in ("a" * 8, "b" * 3, "cd", "a" * 8)]
    assert answers == ["a" * 8, None, "cd", "a" * 8]


def test_subscriptions_of_a_json_client_that_says_nothing_lapse(serve: StartServer) -> None:
    server = serve("json_udp", "--limit=subscription_time=1", "--limit=topics=2")
    with udp(server) as silent, udp(server) as talker:
        assert [_subscribe(silent, "a"), _subscribe(talker, "a")] == ["a", "a"]
        # There is room for another one when the first has lapsed, and who asks is still there.
        deadline = time.monotonic() + PATIENCE_S
        while _subscribe(talker, "b") is None:
            assert time.monotonic() < deadline, "it does not lapse"
        talker.send(b'{"op":"pub","topic":"a","data":"still here"}')
        assert json.loads(talker.recv(1000))["data"] == "still here"
        silent.settimeout(0.3)
        with pytest.raises(TimeoutError):
            silent.recv(1000)


def _subscribe(client: socket.socket, topic: str) -> str | None:
    client.send(json.dumps({"op": "sub", "topic": topic}).encode())
    client.settimeout(0.5)
    with contextlib.suppress(TimeoutError):
        answer = json.loads(client.recv(1000))
        assert answer["op"] == "suback"
        return str(answer["topic"])
    return None


@contextlib.contextmanager
def udp(server: Server, own_address: str = "127.0.0.1") -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as opened:
        opened.bind((own_address, 0))
        opened.settimeout(PATIENCE_S)
        opened.connect(server.addresses[0])
        yield opened


def test_connections_that_come_and_go_leave_nothing_behind(serve: StartServer) -> None:
    server = serve("mqtt")

    def come_and_go(times: int) -> None:
        for _ in range(times):
            with tcp(server) as opened:
                opened.sendall(CONNECT)
                assert opened.recv(4)[:1] == b"\x20"

    come_and_go(20)
    before = _resident_kib(server)
    come_and_go(500)
    assert _resident_kib(server) < before + 2048
    assert still_serves(server)
