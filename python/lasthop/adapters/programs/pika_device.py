"""An AMQP 0-9-1 device with pika, which executes an errand (`lasthop.adapters.client`).

It publishes to the topic exchange of every broker, and binds a queue of its own to what it hears.
"""

import threading
from typing import Any

import pika
from pika.channel import Channel

from lasthop.adapters.programs.device import (
    payload_of,
    read_errand,
    send_when_due,
    tell,
    tell_heard,
)

_EXCHANGE = "amq.topic"


class Device:
    """AMQP connection with one channel. Every method runs in the thread of its loop."""

    def __init__(self, errand: Any) -> None:  # noqa: ANN401  plain values
        self.errand, self.ready = errand, threading.Event()
        self._options = errand["options"]
        self._unbound = len(errand["hears"])
        self._tag, self._unconfirmed = 0, dict[int, tuple[str, int]]()
        parameters = pika.ConnectionParameters(errand["address"], errand["port"], heartbeat=60)
        self.connection = pika.SelectConnection(parameters, on_open_callback=self._opened)

    def publish(self, message: Any) -> None:  # noqa: ANN401
        """Publish a message to the topic exchange."""
        self._tag += 1
        if self._options["confirm"]:
            self._unconfirmed[self._tag] = (message["flow"], message["number"])
        key = message["topic"].replace("/", ".")
        self._channel.basic_publish(_EXCHANGE, key, payload_of(self.errand, message))

    def _opened(self, connection: pika.SelectConnection) -> None:
        connection.channel(on_open_callback=self._channel_opened)

    def _channel_opened(self, channel: Channel) -> None:
        self._channel = channel
        if self._options["confirm"]:
            channel.confirm_delivery(self._confirmed)
        if not self._unbound:
            self.ready.set()
            return
        channel.queue_declare("", exclusive=True, callback=self._declared)

    def _declared(self, frame: Any) -> None:  # noqa: ANN401  as pika has it
        queue = frame.method.queue
        for topic in self.errand["hears"]:
            key = topic.replace("/", ".")
            self._channel.queue_bind(queue, _EXCHANGE, key, callback=lambda _: self._bound(queue))

    def _bound(self, queue: str) -> None:
        self._unbound -= 1
        if not self._unbound:
            self._channel.basic_consume(
                queue,
                self._heard,
                auto_ack=not self._options["ack"],
                callback=lambda _: self.ready.set(),
            )

    def _heard(self, channel: Channel, method: Any, _properties: object, body: bytes) -> None:  # noqa: ANN401
        tell_heard(body)
        if self._options["ack"]:
            channel.basic_ack(method.delivery_tag)

    def _confirmed(self, frame: Any) -> None:  # noqa: ANN401
        last = frame.method.delivery_tag
        tags = (
            [tag for tag in self._unconfirmed if tag <= last] if frame.method.multiple else [last]
        )
        for tag in tags:
            tell("acknowledged", *self._unconfirmed.pop(tag))


def main() -> None:
    """Connect, consume and publish the messages of the errand."""
    device = Device(read_errand())
    loop = device.connection.ioloop
    threading.Thread(target=loop.start, daemon=True).start()
    device.ready.wait()
    send_when_due(
        device.errand,
        lambda message: loop.add_callback_threadsafe(lambda: device.publish(message)),
    )


if __name__ == "__main__":
    main()
