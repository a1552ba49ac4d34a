"""The broker for JSON messages on sockets."""

import json
import signal
import socket

from .conftest import PATIENCE_S, StartServer


def test_forwards_what_is_published_to_who_subscribed(serve: StartServer) -> None:
    server = serve("json_udp", listen=("127.0.0.1:0", "127.0.0.2:0"))
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver,
    ):
        for client, place in zip((sender, receiver), server.addresses, strict=True):
            client.settimeout(PATIENCE_S)
            client.connect(place)
        receiver.send(b'{"op":"sub","topic":"a"}')
        assert json.loads(receiver.recv(1000)) == {"op": "suback", "topic": "a"}
        for nonsense in (b"", b"[]", b"{", b'{"op":"pub","topic":"a"}', bytes(60_000)):
            sender.send(nonsense)
        sender.send(b'{"op":"pub","topic":"b","data":"not this"}')
        sender.send(b'{"op":"pub","topic":"a","data":"this"}')
        assert json.loads(receiver.recv(1000))["data"] == "this"


def test_an_address_is_proven_before_more_goes_there_than_came(serve: StartServer) -> None:
    server = serve("json_udp", listen=("0.0.0.0:0",))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(PATIENCE_S)
        client.connect(("127.0.0.1", server.port))
        subscription = b'{"op":"sub","topic":"#"}'
        # A copy of the first subscription is no proof: the address may be another's.
        for _ in range(2):
            client.send(subscription)
            answer = client.recv(1000)
            assert len(answer) <= len(subscription)
        # Nothing is subscribed, and nothing is ended.
        client.send(b'{"op":"pub","topic":"a","data":"unheard"}')
        client.send(b'{"op":"unsub","topic":"#"}')
        proof = {"op": "sub", "topic": "#", **json.loads(answer)}
        client.send(json.dumps(proof).encode())
        assert json.loads(client.recv(1000)) == {"op": "suback", "topic": "#"}
        client.send(b'{"op":"pub","topic":"a","data":"heard"}')
        assert json.loads(client.recv(1000))["data"] == "heard"
        client.send(b'{"op":"sub","topic":"b"}')
        assert json.loads(client.recv(1000)) == {"op": "suback", "topic": "b"}
    server.process.send_signal(signal.SIGTERM)
    (warning,) = server.process.communicate(timeout=PATIENCE_S)[1].splitlines()
    assert "is in the clear for other machines" in warning


def test_who_unsubscribes_hears_no_more(serve: StartServer) -> None:
    server = serve("json_udp")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(PATIENCE_S)
        client.connect(server.addresses[0])
        for topic in ("a", "b"):
            client.send(json.dumps({"op": "sub", "topic": topic}).encode())
            assert json.loads(client.recv(1000))["op"] == "suback"
        # The second time there is nothing to end: its confirmation may have been lost.
        for _ in range(2):
            client.send(b'{"op":"unsub","topic":"a"}')
            assert json.loads(client.recv(1000)) == {"op": "unsuback", "topic": "a"}
        client.send(b'{"op":"pub","topic":"a","data":"unheard"}')
        client.send(b'{"op":"pub","topic":"b","data":null}')
        assert json.loads(client.recv(1000)) == {"op": "pub", "topic": "b", "data": None}
