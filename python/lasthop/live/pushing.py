"""Pushes messages of a gateway's log to a web server, and retries until they are accepted."""

from __future__ import annotations

import base64
import contextlib
import heapq
import http.client
import itertools
import json
import math
import socket
import ssl
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self
from urllib.parse import urlsplit

from lasthop.errors import UsageError, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TAKEN = frozenset({102, 200, 201, 202, 204})
"""HTTP status codes that acknowledge a message (as for Pub/Sub push subscriptions)."""

_TIMEOUT_S = 10.0
_TOO_LATE = f"it has not answered within {_TIMEOUT_S:g} s"
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 60.0
_LONGEST_ANSWER = 64 << 10
_TOLD_EVERY_S = 10.0
_LEAVING_S = 1.0


class Message(NamedTuple):
    """A message in the gateway's log: position, device, time and content."""

    offset: int
    device: str
    unix_time_s: int
    kind: str
    folder: str
    payload: bytes


class Log(Protocol):
    """Interface of a gateway's log with the positions of its subscriptions."""

    def messages(self, first: int, most: int) -> Sequence[tuple[int, str, int, str, str, bytes]]:
        """Return messages from an offset on."""
        ...

    def next_of(self, subscription: str) -> int:
        """Return the offset of the first message that a subscription has not acknowledged."""
        ...

    def acknowledge(self, subscription: str, before: int) -> None:
        """Acknowledge all messages of a subscription before an offset."""
        ...


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The HTTP endpoint that receives pushed messages.

    Parameters
    ----------
    url
        A URL of http or https.

    Raises
    ------
    UsageError
        It is none.
    """

    url: str

    def __post_init__(self) -> None:
        """Check the URL."""
        try:
            parts = urlsplit(self.url)
            is_one = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
        except ValueError:
            is_one = False
        if not is_one or parts.username is not None or not self.url.isprintable():
            message = (
                f'push: "{one_line(self.url)}" is not a URL; write for '
                "example http://127.0.0.1:8081/"
            )
            raise UsageError(message)

    def connection(self) -> http.client.HTTPConnection:
        """Return a new connection, which is not open yet."""
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        if parts.scheme == "https":
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(
                host, parts.port, timeout=_TIMEOUT_S, context=context
            )
        return http.client.HTTPConnection(host, parts.port, timeout=_TIMEOUT_S)

    @property
    def target(self) -> str:
        """Return the request target: path and query."""
        parts = urlsplit(self.url)
        return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


class _Deadline:
    """Aborts a request after a total timeout, even if the response arrives in small parts."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream
        self._timer = threading.Timer(_TIMEOUT_S, self._pass)
        self._timer.daemon = True
        self.is_over = False

    def __enter__(self) -> Self:
        """Start the timer."""
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the timer."""
        self._timer.cancel()

    def _pass(self) -> None:
        self.is_over = True
        # Whoever reads from it wakes; it may have ended by itself.
        with contextlib.suppress(OSError):
            self._stream.shutdown(socket.SHUT_RDWR)


@dataclass(slots=True)
class _Waiting:
    """The waiting messages of one device. The first one is sent next."""

    messages: deque[Message] = field(default_factory=deque)
    tries: int = 0


class Push:
    """A push subscription with at-least-once delivery, in order for each device.

    Parameters
    ----------
    log
        The log whose messages are pushed.
    subscription
        Name of the subscription, under which the log stores its position.
    endpoint
        HTTP endpoint that receives the messages.
    attempts
        Number of attempts after which a message is abandoned; None for no limit.
    give_up
        Callback for an abandoned message.
    tell
        Callback for a line of text when the endpoint accepts nothing.
    at_once
        Maximum number of concurrent requests.
    window
        Maximum number of messages sent beyond the first unacknowledged one.
    """

    def __init__(  # noqa: PLR0913  each is a setting
        self,
        log: Log,
        subscription: str,
        endpoint: Endpoint,
        *,
        give_up: Callable[[Message], None],
        tell: Callable[[str], None],
        attempts: int | None = None,
        at_once: int = 8,
        window: int = 1000,
    ) -> None:
        self._log = log
        self._subscription = subscription
        self._endpoint = endpoint
        self._give_up = give_up
        self._tell = tell
        self._attempts = math.inf if attempts is None else attempts
        self._at_once = at_once
        self._window = window
        self._changed = threading.Condition()
        self._waiting: dict[str, _Waiting] = {}
        # When which device is next.
        self._due: list[tuple[float, int, str]] = []
        self._turns = itertools.count()
        # The places that are on their way, in order, and those of them that are done with.
        self._begun: deque[int] = deque()
        self._done: set[int] = set()
        self._lost: list[Message] = []
        self._failure: str | None = None
        self._told_at = -math.inf
        self._is_over = False
        self.delivered = 0
        """Number of messages that the endpoint accepted."""

    def run(self, *, follow: bool, pause_s: float) -> None:
        """Push all messages of the log, and new ones if `follow` is set.

        Parameters
        ----------
        follow
            Whether to wait for new messages.
        pause_s
            Interval of polling the log in seconds.
        """
        first = noted = self._log.next_of(self._subscription)
        # Who hangs in a request does not keep the command: what is not noted comes again.
        workers = [threading.Thread(target=self._work, daemon=True) for _ in range(self._at_once)]
        for worker in workers:
            worker.start()
        try:
            while True:
                with self._changed:
                    room = self._window - len(self._begun)
                rows = self._log.messages(first, room) if room > 0 else ()
                if rows:
                    first = rows[-1][0] + 1
                    self._begin([Message(*row) for row in rows])
                noted = self._note(noted)
                with self._changed:
                    if not rows and not self._begun and not follow:
                        return
                    if not rows:
                        self._changed.wait(pause_s)
        finally:
            with self._changed:
                self._is_over = True
                self._changed.notify_all()
            ends = time.monotonic() + _LEAVING_S
            for worker in workers:
                worker.join(max(0.0, ends - time.monotonic()))
            self._note(noted)

    def _begin(self, messages: Sequence[Message]) -> None:
        with self._changed:
            for message in messages:
                self._begun.append(message.offset)
                if message.device not in self._waiting:
                    self._waiting[message.device] = _Waiting()
                    self._turn(message.device)
                self._waiting[message.device].messages.append(message)
            self._changed.notify_all()

    def _turn(self, device: str, pause_s: float = 0.0) -> None:
        heapq.heappush(self._due, (time.monotonic() + pause_s, next(self._turns), device))

    def _note(self, noted: int) -> int:
        """Acknowledge the longest gapless sequence of delivered messages."""
        with self._changed:
            before = noted
            while self._begun and self._begun[0] in self._done:
                before = self._begun.popleft() + 1
                self._done.discard(before - 1)
            lost, self._lost = self._lost, []
            failure, self._failure = self._failure, None
        for message in lost:
            self._give_up(message)
        if failure is not None and time.monotonic() > self._told_at + _TOLD_EVERY_S:
            self._told_at = time.monotonic()
            self._tell(failure)
        if before > noted:
            self._log.acknowledge(self._subscription, before)
        return before

    def _work(self) -> None:
        connection = self._endpoint.connection()
        try:
            while (next_one := self._next()) is not None:
                message, tries = next_one
                failure = self._post(connection, message)
                if failure is not None:
                    connection.close()
                self._settle(message, tries, failure)
        finally:
            connection.close()

    def _next(self) -> tuple[Message, int] | None:
        """Wait for the next message to send; None at the end."""
        with self._changed:
            while not self._is_over:
                if not self._due:
                    self._changed.wait()
                elif (rest := self._due[0][0] - time.monotonic()) > 0:
                    self._changed.wait(rest)
                else:
                    device = heapq.heappop(self._due)[2]
                    waiting = self._waiting[device]
                    waiting.tries += 1
                    return waiting.messages[0], waiting.tries
        return None

    def _settle(self, message: Message, tries: int, failure: str | None) -> None:
        with self._changed:
            waiting = self._waiting[message.device]
            if failure is not None:
                self._failure = failure
            if failure is not None and tries < self._attempts:
                pause = min(_FIRST_PAUSE_S * 2.0 ** min(tries - 1, 16), _LONGEST_PAUSE_S)
                self._turn(message.device, pause)
                self._changed.notify_all()
                return
            if failure is None:
                self.delivered += 1
            else:
                self._lost.append(message)
            self._done.add(message.offset)
            waiting.messages.popleft()
            waiting.tries = 0
            if waiting.messages:
                self._turn(message.device)
            else:
                del self._waiting[message.device]
            self._changed.notify_all()

    def _post(self, connection: http.client.HTTPConnection, message: Message) -> str | None:
        """POST a message. Return the problem, or None after success."""
        body = json.dumps(pushed(message, self._subscription)).encode()
        headers = {"Content-Type": "application/json", "User-Agent": "lasthop"}
        was_open = connection.sock is not None
        deadline = None
        try:
            if not was_open:
                connection.connect()
            # An answer without a length is read from a socket that the connection has let go of.
            with _Deadline(connection.sock) as deadline:
                connection.request("POST", self._endpoint.target, body, headers)
                answer = connection.getresponse()
                said = answer.read(_LONGEST_ANSWER)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            if deadline is not None and deadline.is_over:
                return _TOO_LATE
            if was_open and not isinstance(error, TimeoutError):
                # The server had closed a connection that was kept.
                return self._post(connection, message)
            return one_line(str(error) or type(error).__name__)
        if deadline.is_over:
            connection.close()
            return _TOO_LATE
        if len(said) == _LONGEST_ANSWER:
            connection.close()
        return None if answer.status in TAKEN else f"it answers {answer.status}"


def pushed(message: Message, subscription: str) -> dict[str, object]:
    """Return the request body in the format of a Pub/Sub push subscription.

    Its attributes are those that Cloud IoT Core gave to messages, and `kind`, event or state.
    """
    parts = message.device.split("/")
    names = ("projectId", "deviceRegistryLocation", "deviceRegistryId", "deviceId")
    attributes = dict(zip(names, parts[1::2], strict=True)) | {"kind": message.kind}
    if message.folder:
        attributes["subFolder"] = message.folder
    return {
        "message": {
            "attributes": attributes,
            "data": base64.b64encode(message.payload).decode(),
            "messageId": str(message.offset),
            "publishTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(message.unix_time_s)),
        },
        "subscription": subscription,
    }
