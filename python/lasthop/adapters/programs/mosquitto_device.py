"""An MQTT device with libmosquitto, which executes an errand (`lasthop.adapters.client`)."""

import sys
import threading
from typing import Any

from lasthop.adapters.programs.device import (
    payload_of,
    read_errand,
    send_when_due,
    tell,
    tell_heard,
)
from lasthop.adapters.programs.libmosquitto import Client


class Device:
    """MQTT connection whose callbacks run in a thread of the library."""

    def __init__(self, errand: Any) -> None:  # noqa: ANN401  plain values
        options = errand["options"]
        self.ready = threading.Event()
        self._errand, self._qos = errand, int(options["qos"])
        self._unanswered = len(errand["hears"])
        self._numbers: dict[int, tuple[str, int]] = {}
        self._lock = threading.Lock()
        self._client = Client(
            errand["name"],
            version=str(options["version"]),
            nodelay=bool(options["tcp.nodelay_client"]),
            max_in_flight=int(options.get("max_in_flight", 0)),
        )
        self._client.tell(
            connected=self._connected,
            subscribed=self._subscribed,
            published=self._published,
            heard=tell_heard,
        )
        self._client.connect(errand["address"], errand["port"], int(options["keep_alive"]))

    def send(self, message: Any) -> None:  # noqa: ANN401
        """Publish a message, and print the time of its acknowledgement."""
        payload = payload_of(self._errand, message)
        # The acknowledgement may come before the number is known here.
        with self._lock:
            number = self._client.publish(message["topic"], payload, self._qos)
            if self._qos:
                self._numbers[number] = (message["flow"], message["number"])

    def _connected(self, code: int) -> None:
        if code:
            sys.stderr.write(f"the server does not let it in: code {code}\n")
            return
        for topic in self._errand["hears"]:
            self._client.subscribe(topic, self._qos)
        if not self._errand["hears"]:
            self.ready.set()

    def _subscribed(self) -> None:
        self._unanswered -= 1
        if self._unanswered <= 0:
            self.ready.set()

    def _published(self, number: int) -> None:
        with self._lock:
            known = self._numbers.pop(number, None)
        if known is not None:
            tell("acknowledged", *known)


def main() -> None:
    """Connect, subscribe and publish the messages of the errand."""
    errand = read_errand()
    device = Device(errand)
    device.ready.wait()
    send_when_due(errand, device.send)


if __name__ == "__main__":
    main()
