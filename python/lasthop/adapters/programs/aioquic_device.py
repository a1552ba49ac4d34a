"""An HTTP/3 device with aioquic, which executes an errand (`lasthop.adapters.client`)."""

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from typing import Any, TypeVar

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, QuicEvent

from lasthop.adapters.programs.device import at_its_name, fields_of, read_errand
from lasthop.adapters.programs.http_device import post_when_due

_T = TypeVar("_T")


class Asking(QuicConnectionProtocol):
    """HTTP/3 requests on one QUIC connection."""

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401  as aioquic has it
        super().__init__(*arguments, **named)
        self._http = H3Connection(self._quic)
        self._statuses: dict[int, int] = {}
        self._answers: dict[int, asyncio.Future[int]] = {}

    def quic_event_received(self, event: QuicEvent) -> None:
        """Pass a QUIC event to HTTP/3, and complete answered requests."""
        if isinstance(event, ConnectionTerminated):
            for answer in self._answers.values():
                answer.cancel()
        for said in self._http.handle_event(event):
            stream = getattr(said, "stream_id", None)
            if isinstance(said, HeadersReceived):
                self._statuses[said.stream_id] = int(dict(said.headers)[b":status"])
            if stream in self._answers and getattr(said, "stream_ended", False):
                self._answers.pop(stream).set_result(self._statuses.pop(stream))

    async def ask(self, fields: dict[str, str], body: bytes) -> int:
        """Send a request, wait for the response and return its status."""
        stream = self._quic.get_next_available_stream_id()
        self._answers[stream] = asyncio.get_running_loop().create_future()
        written = [(name.lower().encode(), value.encode()) for name, value in fields.items()]
        self._http.send_headers(stream, written)
        self._http.send_data(stream, body, end_stream=True)
        self.transmit()
        return await self._answers[stream]


class Connection:
    """HTTP/3 connection that POSTs to the server by name. A thread reads its datagrams."""

    def __init__(self, errand: Any) -> None:  # noqa: ANN401  plain values
        self._errand = errand
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._stack = AsyncExitStack()
        self._asking = self._do(self._connect())

    def post(self, path: str, body: bytes) -> int:
        """POST a body, wait for the response and return its status."""
        fields = {
            ":method": "POST",
            ":scheme": "https",
            ":authority": f"{self._errand['server']}:{self._errand['port']}",
            ":path": path,
            "user-agent": "aioquic",
            "content-length": str(len(body)),
            **fields_of(self._errand),
        }
        return self._do(self._asking.ask(fields, body))

    def end(self) -> None:
        """Close the connection. It drains while the device continues."""
        asyncio.run_coroutine_threadsafe(self._leave(), self._loop)

    async def _leave(self) -> None:
        await self._stack.aclose()
        self._loop.stop()

    async def _connect(self) -> Asking:
        configuration = QuicConfiguration(is_client=True, alpn_protocols=H3_ALPN)
        configuration.load_verify_locations(self._errand["authority"])
        configuration.server_name = self._errand["server"]
        made: Any = connect(
            self._errand["server"],
            self._errand["port"],
            configuration=configuration,
            create_protocol=Asking,
        )
        asking: Asking = await self._stack.enter_async_context(made)
        return asking

    def _do(self, work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def main() -> None:
    """POST the messages of the errand."""
    errand = read_errand()
    at_its_name(errand)
    post_when_due(errand, lambda: Connection(errand))


if __name__ == "__main__":
    main()
