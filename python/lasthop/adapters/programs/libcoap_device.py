"""A CoAP device with libcoap, which executes an errand (`lasthop.adapters.client`).

It puts its messages, and observes the resources that it hears. What is not there yet is asked for
again a second later, and so is what was asked by a message that nobody sends again.
"""

import threading
from functools import partial
from typing import Any

from lasthop.adapters.programs.device import (
    payload_of,
    read_errand,
    send_when_due,
    tell,
    tell_heard,
)
from lasthop.adapters.programs.libcoap import GET, PUT, Session

_ASK_AGAIN_S = 1.0
_NON_PATIENCE_S = 4.0
"""Timeout of non-confirmable requests: twice ACK_TIMEOUT (RFC 7252 section 4.8)."""
_NS_PER_S = 1e9


class Device:
    """A CoAP client that sends the requests of an errand in its session's thread."""

    def __init__(self, errand: Any) -> None:  # noqa: ANN401  plain values
        self._errand, options = errand, errand["options"]
        self._kind = str(options.get("type", "con"))
        self._session = Session(errand["address"], errand["port"], errand["transport"], self._heard)
        if "nstart" in options:
            self._session.give(
                nstart=int(options["nstart"]),
                max_retransmit=int(options["max_retransmit"]),
                ack_timeout_s=options["ack_timeout"] / _NS_PER_S,
                ack_random_factor=float(options["ack_random_factor"]),
            )
        self._put: dict[bytes, tuple[str, int]] = {}
        self._asked: dict[bytes, str] = {}
        self._observed: set[str] = set()

    def start(self) -> None:
        """Start the session's thread and observe the resources of the errand."""
        threading.Thread(target=self._session.run, daemon=True).start()
        for topic in self._errand["hears"]:
            self._session.hand_over(partial(self._observe, topic))

    def put(self, message: Any) -> None:  # noqa: ANN401
        """PUT a message, and print the time of its response."""

        def put() -> None:
            payload = payload_of(self._errand, message)
            token = self._session.request(PUT, message["topic"], kind=self._kind, payload=payload)
            self._put[token] = (message["flow"], message["number"])

        self._session.hand_over(put)

    def _observe(self, topic: str) -> None:
        if topic in self._observed:
            return
        token = self._session.request(GET, topic, kind=self._kind, observe=True)
        self._asked[token] = topic
        # What is not confirmable nobody sends again: who asked in vain would never hear.
        if self._kind == "non":
            self._ask_again(topic, _NON_PATIENCE_S)

    def _ask_again(self, topic: str, after_s: float) -> None:
        again = threading.Timer(
            after_s, lambda: self._session.hand_over(lambda: self._observe(topic))
        )
        again.daemon = True
        again.start()

    def _heard(self, token: bytes, is_success: bool, payload: bytes) -> None:  # noqa: FBT001
        if (message := self._put.pop(token, None)) is not None:
            if is_success:
                tell("acknowledged", *message)
        elif (topic := self._asked.get(token)) is not None:
            if is_success:
                self._observed.add(topic)
                tell_heard(payload)
            else:
                self._observed.discard(topic)
                self._ask_again(topic, _ASK_AGAIN_S)


def main() -> None:
    """Send the messages of the errand."""
    errand = read_errand()
    device = Device(errand)
    device.start()
    send_when_due(errand, device.put)


if __name__ == "__main__":
    main()
