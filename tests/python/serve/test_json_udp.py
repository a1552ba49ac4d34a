"""The broker for JSON messages on sockets."""

import json
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
