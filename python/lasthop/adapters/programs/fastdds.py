"""Fast DDS through C functions. Run as a program, this prints the version of the library."""

import ctypes
import sys
from collections.abc import Iterator
from ctypes import (
    byref,
    c_bool,
    c_char_p,
    c_int,
    c_long,
    c_size_t,
    c_uint16,
    c_uint32,
    c_void_p,
)
from dataclasses import dataclass
from typing import Any

_MOST_BYTES = 65_000
_HANDLES = ("fastdds_participant", "fastdds_writer", "fastdds_reader")
_ANSWERS = ("fastdds_is_read", "fastdds_is_written", "fastdds_write")


def load(file: str) -> Any:  # noqa: ANN401  as ctypes has it
    """Load the C functions around Fast DDS."""
    library = ctypes.CDLL(file)
    library.fastdds_version.restype = c_char_p
    for name in _HANDLES:
        getattr(library, name).restype = c_void_p
    for name in _ANSWERS:
        getattr(library, name).restype = c_bool
    for name in ("fastdds_take", "fastdds_take_topic"):
        getattr(library, name).restype = c_long
    return library


@dataclass(frozen=True, slots=True)
class Place:
    """Address and transports of a DDS participant.

    Parameters
    ----------
    server
        Address of the participant to discover; None to wait for discovery by others.
    tcp_port
        Port of the server; None for UDP.
    nodelay
        Whether Nagle's algorithm is off.
    """

    address: str
    server: str | None = None
    tcp_port: int | None = None
    nodelay: bool = True


class _Place(ctypes.Structure):
    _fields_ = (
        ("address", c_char_p),
        ("server", c_char_p),
        ("tcp_port", c_uint16),
        ("nodelay", c_bool),
    )


class Participant:
    """A DDS participant with the QoS policies of a stack.

    Parameters
    ----------
    file
        The library.
    policies
        Reliability, durability and depth of the history.
    """

    def __init__(self, file: str, place: Place, policies: tuple[str, str, int]) -> None:
        reliability, durability, depth = policies
        self._library = load(file)
        server = None if place.server is None else place.server.encode()
        where = _Place(place.address.encode(), server, place.tcp_port or 0, place.nodelay)
        made = self._library.fastdds_participant(
            byref(where),
            c_bool(reliability == "reliable"),
            c_bool(durability == "transient_local"),
            c_int(depth),
        )
        self._participant = c_void_p(made)
        self._buffer = ctypes.create_string_buffer(_MOST_BYTES)

    def wait(self) -> None:
        """Block until a sample arrives or a reader is discovered."""
        self._library.fastdds_wait(self._participant)

    def topics(self) -> Iterator[str]:
        """Yield topics that have new remote readers."""
        room = c_size_t(_MOST_BYTES)
        while True:
            length = self._library.fastdds_take_topic(self._participant, self._buffer, room)
            if length < 0:
                return
            yield self._buffer.raw[:length].decode()

    def writer(self, topic: str) -> "Writer":
        """Return a writer of a topic."""
        made = self._library.fastdds_writer(self._participant, topic.encode())
        return Writer(self._library, c_void_p(made))

    def reader(self, topic: str) -> "Reader":
        """Return a reader of a topic."""
        made = self._library.fastdds_reader(self._participant, topic.encode())
        return Reader(self._library, c_void_p(made))


class Writer:
    """A DDS writer of one topic."""

    def __init__(self, library: Any, writer: c_void_p) -> None:  # noqa: ANN401
        self._library, self._writer = library, writer

    def is_read(self) -> bool:
        """Return whether a remote reader reads the topic."""
        return bool(self._library.fastdds_is_read(self._writer))

    def write(self, device: int, payload: bytes) -> None:
        """Write a sample of a device to the topic."""
        length = c_size_t(len(payload))
        self._library.fastdds_write(self._writer, c_uint32(device), payload, length)


class Reader:
    """A DDS reader of one topic."""

    def __init__(self, library: Any, reader: c_void_p) -> None:  # noqa: ANN401
        self._library, self._reader = library, reader
        self._buffer = ctypes.create_string_buffer(_MOST_BYTES)

    def is_written(self) -> bool:
        """Return whether a remote writer writes the topic."""
        return bool(self._library.fastdds_is_written(self._reader))

    def take(self) -> Iterator[tuple[int, bytes]]:
        """Yield the device and the payload of each new sample."""
        device, room = c_uint32(), c_size_t(_MOST_BYTES)
        while True:
            length = self._library.fastdds_take(self._reader, byref(device), self._buffer, room)
            if length < 0:
                return
            yield device.value, ctypes.string_at(self._buffer, length)


if __name__ == "__main__":
    sys.stdout.write(f"{load(sys.argv[1]).fastdds_version().decode()}\n")
