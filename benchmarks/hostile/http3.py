"""A client of HTTP/3 by aioquic, which makes one request after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from benchmarks.quic_client import QuicClient

if TYPE_CHECKING:
    from aioquic.quic.events import QuicEvent
    from benchmarks.hostile.streams import Listener


class Http3Client(QuicClient):
    """Makes requests, each on a stream of its own."""

    def __init__(self, listener: Listener) -> None:
        super().__init__(listener.place, listener.authority, protocol="h3")
        self.http = H3Connection(self.quic)
        self.is_whole: set[int] = set()

    def take(self, event: QuicEvent) -> None:
        """Keep which answers are whole."""
        super().take(event)
        for said in self.http.handle_event(event):
            if isinstance(said, HeadersReceived | DataReceived) and said.stream_ended:
                self.is_whole.add(said.stream_id)

    def begin(self, path: str, *, ends: bool = True) -> int:
        """Make a request, and give its stream."""
        stream = self.quic.get_next_available_stream_id()
        fields = [(b":method", b"GET"), (b":scheme", b"https"), (b":authority", b"a")]
        self.http.send_headers(stream, [*fields, (b":path", path.encode())], end_stream=ends)
        return stream

    def request(self, path: str) -> None:
        """Make a request, and wait for its answer."""
        stream = self.begin(path)
        self.until(lambda: stream in self.is_whole)
