"""An MQTT device with paho, which executes an errand (`lasthop.adapters.client`)."""

import socket
import ssl
import threading
from typing import Any

from paho.mqtt.client import Client, MQTTMessage, MQTTv5, MQTTv311
from paho.mqtt.enums import CallbackAPIVersion

from lasthop.adapters.programs.device import (
    Sessions,
    at_its_name,
    payload_of,
    read_errand,
    send_when_due,
    tell,
    tell_heard,
)

_VERSIONS = {"3.1.1": MQTTv311, "5": MQTTv5}
_PATIENCE_S = 30.0


class Connection:
    """MQTT connection of a device. It is ready once its subscriptions are acknowledged."""

    def __init__(self, errand: Any) -> None:  # noqa: ANN401  plain values
        options, card = errand["options"], errand["card"]
        self.ready = threading.Event()
        self._errand, self._qos = errand, int(options.get("qos", 1))
        self._nodelay = int(options["tcp.nodelay_client"])
        self._numbers: dict[int, tuple[str, int]] = {}
        self._lock = threading.Lock()
        self._client = client = Client(
            CallbackAPIVersion.VERSION2,
            client_id=card["identity"] if card else errand["name"],
            protocol=_VERSIONS[str(options.get("version", "3.1.1"))],
        )
        client.on_connect, client.on_message = self._connected, self._heard
        client.on_socket_open = self._opened
        client.on_subscribe = lambda *_: self.ready.set()
        client.on_publish = self._acknowledged
        if card:
            client.username_pw_set("unused", card["token"])
        if errand["authority"]:
            client.tls_set_context(_context(errand))
        host = errand["server"] or errand["address"]
        client.connect(host, errand["port"], keepalive=int(options["keep_alive"]))
        client.loop_start()

    def send(self, message: Any) -> None:  # noqa: ANN401
        """Publish a message, and print the time of its acknowledgement."""
        payload = payload_of(self._errand, message)
        # The acknowledgement may come before the number is known here.
        with self._lock:
            sent = self._client.publish(message["topic"], payload, qos=self._qos)
            if self._qos:
                self._numbers[sent.mid] = (message["flow"], message["number"])
        self._last = sent

    def end(self) -> None:
        """Disconnect after the last message was acknowledged."""
        self._last.wait_for_publish(_PATIENCE_S)
        self._client.disconnect()
        self._client.loop_stop()

    def _connected(self, *_: Any) -> None:  # noqa: ANN401  as paho has it
        if hears := self._errand["hears"]:
            self._client.subscribe([(topic, self._qos) for topic in hears])
        else:
            self.ready.set()

    @staticmethod
    def _heard(_client: Client, _data: object, message: MQTTMessage) -> None:
        tell_heard(bytes(message.payload))

    def _acknowledged(self, _client: Client, _data: object, number: int, *_: Any) -> None:  # noqa: ANN401
        with self._lock:
            known = self._numbers.pop(number, None)
        if known is not None:
            tell("acknowledged", *known)

    def _opened(self, _client: Client, _data: object, stream: Any) -> None:  # noqa: ANN401  any socket
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, self._nodelay)


def _context(errand: Any) -> ssl.SSLContext:  # noqa: ANN401
    context = ssl.create_default_context(cafile=errand["authority"])
    if str(errand["options"].get("tls.version")) == "1.2":
        context.maximum_version = ssl.TLSVersion.TLSv1_2
    return context


def main() -> None:
    """Connect, subscribe and publish the messages of the errand."""
    errand = read_errand()
    at_its_name(errand)
    if errand["session"] is None:
        connection = Connection(errand)
        connection.ready.wait()
        send_when_due(errand, connection.send)
        return
    sessions, here = Sessions(errand), list[Connection]()

    def send(message: Any) -> None:  # noqa: ANN401
        begins, ends = sessions.next()
        if begins:
            here[:] = [Connection(errand)]
            here[0].ready.wait(_PATIENCE_S)
        here[0].send(message)
        if ends:
            here[0].end()

    send_when_due(errand, send)


if __name__ == "__main__":
    main()
