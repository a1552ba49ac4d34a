"""The parts that all device programs share: errand, clock and output."""

import base64
import json
import select
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any


def read_errand() -> Any:  # noqa: ANN401  plain values
    """Read the errand from standard input."""
    return json.loads(sys.stdin.readline())


def tell(*words: object) -> None:
    """Print words and the current time as one line. Any thread may call this."""
    line = " ".join(map(str, (*words, time.monotonic_ns())))
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Sessions:
    """Counts messages and tells which ones begin or end a connection."""

    def __init__(self, errand: Any) -> None:  # noqa: ANN401
        self._size = errand["session"]
        self._sent = 0

    def next(self) -> tuple[bool, bool]:
        """Return whether the next message begins, and whether it ends, its connection."""
        place = self._sent if self._size is None else self._sent % self._size
        self._sent += 1
        return place == 0, self._size is not None and place + 1 == self._size


def at_its_name(errand: Any) -> None:  # noqa: ANN401
    """Let the server's certificate name resolve to the server's address in this process."""
    ask = socket.getaddrinfo

    def answer(host: Any, *others: Any, **named: Any) -> Any:  # noqa: ANN401
        named_so = host in {errand["server"], errand["server"].encode()}
        return ask(errand["address"] if named_so else host, *others, **named)

    socket.getaddrinfo = answer


def wrapped(errand: Any, payload: bytes) -> bytes:  # noqa: ANN401
    """Wrap a payload into a JSON object if the server requires one."""
    field = (errand["card"] or {}).get("wrapped_in")
    if not field:
        return payload
    return json.dumps({field: base64.b64encode(payload).decode()}).encode()


def fields_of(errand: Any) -> dict[str, str]:  # noqa: ANN401
    """Return the header fields that authenticate a request."""
    card = errand["card"]
    return {"Authorization": f"Bearer {card['token']}"} if card else {}


def payload_of(errand: Any, message: Any) -> bytes:  # noqa: ANN401
    """Return a payload of the message's size that identifies the message."""
    head = f"{errand['name']}/{message['flow']}/{message['number']} "
    return head.encode().ljust(message["size_bytes"], b".")


def tell_heard(payload: bytes) -> None:
    """Print a received message."""
    tell("heard", payload.split(b" ", 1)[0].decode())


def send_when_due(errand: Any, send: Callable[[Any], object]) -> None:  # noqa: ANN401
    """Send each message when it is due, without waiting for answers. Then wait for the end."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    start_ns = int(sys.stdin.readline())
    ended = threading.Event()

    def await_end() -> None:
        # Nothing more is said: it is readable when it has ended, and no thread need be held by it.
        select.select([sys.stdin], [], [])
        ended.set()

    threading.Thread(target=await_end, daemon=True).start()
    for message in errand["messages"]:
        left_s = (start_ns + message["due_ns"] - time.monotonic_ns()) / 1e9
        if left_s > 0 and ended.wait(left_s):
            return
        tell("sent", message["flow"], message["number"])
        send(message)
    ended.wait()
