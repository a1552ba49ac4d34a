"""What every device program shares: its errand, the clock of the run, what it prints."""

import json
import sys
import threading
import time
from collections.abc import Callable
from typing import Any


def read_errand() -> Any:  # noqa: ANN401  plain values
    """Read what is to be done."""
    return json.loads(sys.stdin.readline())


def tell(*words: object) -> None:
    """Print a line with the instant, at once and whole, whichever thread tells."""
    line = " ".join(map(str, (*words, time.monotonic_ns())))
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def payload_of(errand: Any, message: Any) -> bytes:  # noqa: ANN401
    """Make a payload by which the message is known again, of its size."""
    head = f"{errand['name']}/{message['flow']}/{message['number']} "
    return head.encode().ljust(message["size_bytes"], b".")


def tell_heard(payload: bytes) -> None:
    """Tell of a message that has come."""
    tell("heard", payload.split(b" ", 1)[0].decode())


def send_when_due(errand: Any, send: Callable[[Any], object]) -> None:  # noqa: ANN401
    """Send each message when it is due, answered or not the one before; then wait for the end."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    start_ns = int(sys.stdin.readline())
    ended = threading.Event()

    def await_end() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=await_end, daemon=True).start()
    for message in errand["messages"]:
        left_s = (start_ns + message["due_ns"] - time.monotonic_ns()) / 1e9
        if left_s > 0 and ended.wait(left_s):
            return
        tell("sent", message["flow"], message["number"])
        send(message)
    ended.wait()
