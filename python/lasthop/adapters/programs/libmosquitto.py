"""libmosquitto through ctypes. Run as a program, this prints the version of the library."""

import sys
from collections.abc import Callable
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_bool,
    c_char_p,
    c_int,
    c_uint,
    c_void_p,
    string_at,
)
from typing import Any

from lasthop.adapters.programs import c_library
from lasthop.adapters.programs.c_library import LibraryError

NAME = "libmosquitto.so.1"

_PROTOCOL_VERSION, _TCP_NODELAY = 1, 11
"""MOSQ_OPT_PROTOCOL_VERSION and MOSQ_OPT_TCP_NODELAY of mosquitto.h."""
_VERSIONS = {"3.1.1": 4, "5": 5}

_YES, _NO = c_bool(True), c_bool(False)  # noqa: FBT003  as C has it

_OnConnect = CFUNCTYPE(None, c_void_p, c_void_p, c_int)
_OnNumber = CFUNCTYPE(None, c_void_p, c_void_p, c_int)


class _Message(Structure):
    """``struct mosquitto_message`` of mosquitto.h."""

    _fields_ = (
        ("mid", c_int),
        ("topic", c_char_p),
        ("payload", c_void_p),
        ("payloadlen", c_int),
        ("qos", c_int),
        ("retain", c_bool),
    )


_OnMessage = CFUNCTYPE(None, c_void_p, c_void_p, POINTER(_Message))
_OnSubscribe = CFUNCTYPE(None, c_void_p, c_void_p, c_int, c_int, POINTER(c_int))


def load() -> Any:  # noqa: ANN401  as ctypes has it
    """Load libmosquitto and declare its functions."""
    return c_library.load(NAME, texts=("mosquitto_strerror",), places=("mosquitto_new",))


def version() -> str:
    """Return the version of the library."""
    major, minor, revision = c_int(), c_int(), c_int()
    load().mosquitto_lib_version(byref(major), byref(minor), byref(revision))
    return f"{major.value}.{minor.value}.{revision.value}"


class Client:
    """MQTT client whose callbacks run in a thread of the library.

    Parameters
    ----------
    name
        Client identifier.
    version
        Version of MQTT: ``3.1.1`` or ``5``.
    nodelay
        Whether Nagle's algorithm is off.
    max_in_flight
        Maximum number of unacknowledged messages above QoS 0.
    """

    def __init__(self, name: str, *, version: str, nodelay: bool, max_in_flight: int) -> None:
        self._library = load()
        self._library.mosquitto_lib_init()
        made = self._library.mosquitto_new(name.encode(), _YES, None)
        if made is None:
            raise LibraryError(f"{name} is not a valid client name")
        self._client = c_void_p(made)
        for option, value in (
            (_PROTOCOL_VERSION, _VERSIONS[version]),
            (_TCP_NODELAY, int(nodelay)),
        ):
            self._done(self._library.mosquitto_int_option(self._client, option, value))
        self._done(
            self._library.mosquitto_max_inflight_messages_set(self._client, c_uint(max_in_flight))
        )
        self._kept: list[object] = []

    def tell(
        self,
        *,
        connected: Callable[[int], None],
        subscribed: Callable[[], None],
        published: Callable[[int], None],
        heard: Callable[[bytes], None],
    ) -> None:
        """Set callbacks for CONNACK, SUBACK, acknowledged messages and received messages."""
        on_connect = _OnConnect(lambda _client, _data, code: connected(code))
        on_subscribe = _OnSubscribe(lambda *_: subscribed())
        on_publish = _OnNumber(lambda _client, _data, number: published(number))

        def hear(_client: int, _data: int, message: Any) -> None:  # noqa: ANN401
            content = message.contents
            heard(string_at(content.payload, content.payloadlen))

        on_message = _OnMessage(hear)

        self._kept = [on_connect, on_subscribe, on_publish, on_message]
        library = self._library
        library.mosquitto_connect_callback_set(self._client, on_connect)
        library.mosquitto_subscribe_callback_set(self._client, on_subscribe)
        library.mosquitto_publish_callback_set(self._client, on_publish)
        library.mosquitto_message_callback_set(self._client, on_message)

    def connect(self, address: str, port: int, keep_alive_s: int) -> None:
        """Connect, and run the network loop in a thread."""
        host = address.encode()
        self._done(self._library.mosquitto_connect(self._client, host, port, keep_alive_s))
        self._done(self._library.mosquitto_loop_start(self._client))

    def subscribe(self, topic: str, qos: int) -> None:
        """Subscribe to a topic."""
        self._done(self._library.mosquitto_subscribe(self._client, None, topic.encode(), qos))

    def publish(self, topic: str, payload: bytes, qos: int) -> int:
        """Publish a message and return its message id."""
        number = c_int()
        done = self._library.mosquitto_publish(
            self._client, byref(number), topic.encode(), len(payload), payload, qos, _NO
        )
        self._done(done)
        return number.value

    def _done(self, code: int) -> None:
        if code:
            raise LibraryError(self._library.mosquitto_strerror(code).decode())


if __name__ == "__main__":
    sys.stdout.write(f"{version()}\n")
