"""A translator between a client and a server on this machine, whose port outside changes."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator

LARGEST_DATAGRAM = 65_535


class Translator:
    """Carries datagrams of one client to a server and back, as long as a loop runs.

    Parameters
    ----------
    loop
        It runs there.
    server
        Where it carries them.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, server: tuple[str, int]) -> None:
        self.ports: list[int] = []
        """Those outside, one after the other."""
        self.rebinds_next = False
        """Whether the next datagram of the client leaves from another port."""
        self._loop, self._server = loop, server
        self._client: tuple[str, int] | None = None
        self._inside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._inside.bind(("127.0.0.1", 0))
        self._inside.settimeout(0)
        self._outside = self._bound()
        loop.add_reader(self._inside, self._leave)

    @property
    def port(self) -> int:
        """Where the client finds it."""
        return int(self._inside.getsockname()[1])

    def close(self) -> None:
        """Carry nothing more."""
        for end in (self._inside, self._outside):
            self._loop.remove_reader(end)
            end.close()

    def _bound(self) -> socket.socket:
        outside = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        outside.bind(("127.0.0.1", 0))
        outside.connect(self._server)
        outside.settimeout(0)
        self._loop.add_reader(outside, self._come)
        self.ports.append(outside.getsockname()[1])
        return outside

    def _leave(self) -> None:
        datagram, self._client = self._inside.recvfrom(LARGEST_DATAGRAM)
        if self.rebinds_next:
            # The old one is closed behind the new one: nothing comes by it any more.
            self.rebinds_next, old = False, self._outside
            self._outside = self._bound()
            self._loop.remove_reader(old)
            old.close()
        with contextlib.suppress(ConnectionRefusedError):
            self._outside.send(datagram)

    def _come(self) -> None:
        with contextlib.suppress(ConnectionRefusedError):
            datagram = self._outside.recv(LARGEST_DATAGRAM)
            if self._client is not None:
                self._inside.sendto(datagram, self._client)


@contextlib.contextmanager
def translating(server: tuple[str, int]) -> Iterator[Translator]:
    """Carry datagrams to a server from a thread of its own, until it is enough."""
    loop = asyncio.new_event_loop()
    translator = Translator(loop, server)
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield translator
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        translator.close()
        loop.close()
