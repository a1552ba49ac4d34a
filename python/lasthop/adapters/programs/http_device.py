"""The parts that all HTTP device programs share: they POST one message after another."""

import sys
from collections.abc import Callable
from typing import Any, Protocol

from lasthop.adapters.programs.device import (
    Sessions,
    payload_of,
    send_when_due,
    tell,
    tell_heard,
    wrapped,
)

_DONE = range(200, 300)


class Connection(Protocol):
    """HTTP connection to one server."""

    def post(self, path: str, body: bytes) -> int:
        """POST a body, wait for the response and return its status."""

    def end(self) -> None:
        """Close the connection."""


def post_when_due(errand: Any, connect: Callable[[], Connection]) -> None:  # noqa: ANN401
    """POST each message when it is due. The answer acknowledges and returns it."""
    sessions, here = Sessions(errand), list[Connection]()

    def send(message: Any) -> None:  # noqa: ANN401
        begins, ends = sessions.next()
        if begins:
            here[:] = [connect()]
        payload, path = payload_of(errand, message), f"/{message['topic'].removeprefix('/')}"
        status = here[0].post(path, wrapped(errand, payload))
        if status in _DONE:
            tell("acknowledged", message["flow"], message["number"])
            if errand["hears"]:
                tell_heard(payload)
        else:
            sys.stderr.write(f"{message['flow']} {message['number']}: status {status}\n")
        if ends:
            here[0].end()

    send_when_due(errand, send)
