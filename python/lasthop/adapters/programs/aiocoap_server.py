"""A CoAP server with aiocoap: ``aiocoap_server.py ADDRESS PORT udp|tcp``.

What is put or posted becomes a resource, and whoever observes one is told of each of its states.
"""

import asyncio
import sys

import aiocoap
from aiocoap import error
from aiocoap.resource import ObservableResource, Site

_TRANSPORTS = {"udp": "udp6", "tcp": "tcpserver"}


class Kept(ObservableResource):  # type: ignore[misc]  # aiocoap ships no types
    """A resource that holds the last content that was PUT."""

    def __init__(self) -> None:
        super().__init__()
        self._content: bytes | None = None

    async def render_get(self, request: aiocoap.Message) -> aiocoap.Message:
        """Answer a GET with the stored content."""
        del request
        if self._content is None:
            raise error.NotFound
        return aiocoap.Message(payload=self._content)

    async def render_put(self, request: aiocoap.Message) -> aiocoap.Message:
        """Store the content and notify observers."""
        code = aiocoap.CREATED if self._content is None else aiocoap.CHANGED
        self._content = request.payload
        self.updated_state()
        return aiocoap.Message(code=code)

    render_post = render_put


class Shelves(Site):  # type: ignore[misc]
    """The resources of the server, one for each requested path."""

    def __init__(self) -> None:
        super().__init__()
        self._known: set[tuple[str, ...]] = set()

    async def render_to_pipe(self, pipe: "aiocoap.pipe.Pipe") -> None:
        """Answer a request. A missing resource is created first."""
        path = tuple(pipe.request.opt.uri_path)
        if path not in self._known:
            self._known.add(path)
            self.add_resource(path, Kept())
        await super().render_to_pipe(pipe)


async def serve(address: str, port: int, transport: str) -> None:
    """Serve until the process ends."""
    await aiocoap.Context.create_server_context(
        Shelves(), bind=(address, port), transports=[_TRANSPORTS[transport]]
    )
    await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
