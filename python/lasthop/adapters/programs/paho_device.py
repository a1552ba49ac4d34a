"""A device of MQTT by paho: reads its errand, as `lasthop.adapters.client` says."""

import socket
import threading
from typing import Any

from paho.mqtt.client import Client, MQTTMessage, MQTTv5, MQTTv311
from paho.mqtt.enums import CallbackAPIVersion

from lasthop.adapters.programs.device import (
    payload_of,
    read_errand,
    send_when_due,
    tell,
    tell_heard,
)

_VERSIONS = {"3.1.1": MQTTv311, "5": MQTTv5}


def main() -> None:
    """Do the errand."""
    errand = read_errand()
    options = errand["options"]
    qos = int(options.get("qos", 1))
    client = Client(
        CallbackAPIVersion.VERSION2,
        client_id=errand["name"],
        protocol=_VERSIONS[str(options.get("version", "3.1.1"))],
    )
    numbers: dict[int, tuple[str, int]] = {}
    lock, ready = threading.Lock(), threading.Event()

    def connected(*_: Any) -> None:  # noqa: ANN401  as paho has it
        if not errand["hears"]:
            ready.set()
            return
        client.subscribe([(topic, qos) for topic in errand["hears"]])

    def heard(_client: Client, _data: object, message: MQTTMessage) -> None:
        tell_heard(bytes(message.payload))

    def acknowledged(_client: Client, _data: object, number: int, *_: Any) -> None:  # noqa: ANN401
        with lock:
            known = numbers.pop(number, None)
        if known is not None:
            tell("acknowledged", *known)

    def send(message: Any) -> None:  # noqa: ANN401
        with lock:
            payload = payload_of(errand, message)
            number = client.publish(message["topic"], payload, qos=qos).mid
            if qos:
                numbers[number] = (message["flow"], message["number"])

    def opened(_client: Client, _data: object, stream: Any) -> None:  # noqa: ANN401  any socket
        stream.setsockopt(
            socket.IPPROTO_TCP, socket.TCP_NODELAY, int(options["tcp.nodelay_client"])
        )

    client.on_connect, client.on_message = connected, heard
    client.on_socket_open = opened
    client.on_subscribe = lambda *_: ready.set()
    client.on_publish = acknowledged
    client.connect(errand["address"], errand["port"], keepalive=int(options["keep_alive"]))
    client.loop_start()
    ready.wait()
    send_when_due(errand, send)


if __name__ == "__main__":
    main()
