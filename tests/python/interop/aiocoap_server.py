"""aiocoap's server in a namespace, with a few resources."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator

import aiocoap
from aiocoap import error
from aiocoap.resource import ObservableResource, Resource, Site, WKCResource, hashing_etag

from lasthop.testbed import Namespace

from .conftest import KERNEL

_PATIENCE_S = 60.0
_PROOF = b"are you there?"


class Shelf(Resource):  # type: ignore[misc]  # aiocoap ships no types
    """Keeps what is put; POST adds to it."""

    def __init__(self) -> None:
        super().__init__()
        self.note: bytes | None = None

    async def render_get(self, request: aiocoap.Message) -> aiocoap.Message:
        if self.note is None:
            raise error.NotFound
        response = aiocoap.Message(payload=self.note)
        hashing_etag(request, response)
        return response

    async def render_put(self, request: aiocoap.Message) -> aiocoap.Message:
        code = aiocoap.CREATED if self.note is None else aiocoap.CHANGED
        self.note = request.payload
        return aiocoap.Message(code=code)

    async def render_post(self, request: aiocoap.Message) -> aiocoap.Message:
        self.note = (self.note or b"") + request.payload
        return aiocoap.Message(code=aiocoap.CHANGED)

    async def render_delete(self, request: aiocoap.Message) -> aiocoap.Message:
        del request
        self.note = None
        return aiocoap.Message(code=aiocoap.DELETED)


class Slow(Resource):  # type: ignore[misc]
    """Answers so late that a confirmable request is acknowledged first."""

    async def render_get(self, request: aiocoap.Message) -> aiocoap.Message:
        del request
        await asyncio.sleep(0.5)
        return aiocoap.Message(payload=b"at last")


class Guarded(Resource):  # type: ignore[misc]
    """Answers who has shown that it is there (RFC 9175)."""

    async def render_get(self, request: aiocoap.Message) -> aiocoap.Message:
        if request.opt.echo != _PROOF:
            return aiocoap.Message(code=aiocoap.UNAUTHORIZED, echo=_PROOF)
        return aiocoap.Message(payload=b"welcome")


class Count(ObservableResource):  # type: ignore[misc]
    """Counts up while it is observed.

    Its states are short: aiocoap cuts no notification into blocks.
    """

    def __init__(self) -> None:
        super().__init__()
        self._number = 0
        self._next: asyncio.TimerHandle | None = None

    def update_observation_count(self, newcount: int) -> None:
        if self._next is not None:
            self._next.cancel()
        self._next = None
        if newcount:
            self._next = asyncio.get_running_loop().call_later(0.1, self._count, newcount)

    def _count(self, observers: int) -> None:
        self._number += 1
        self.updated_state()
        self.update_observation_count(observers)

    async def render_get(self, request: aiocoap.Message) -> aiocoap.Message:
        del request
        return aiocoap.Message(payload=b"%d" % self._number)


def site() -> Site:
    """Make the resources."""
    root = Site()
    root.add_resource([".well-known", "core"], WKCResource(root.get_resources_as_linkheader))
    resources = {"shelf": Shelf(), "slow": Slow(), "guarded": Guarded(), "count": Count()}
    for name, resource in resources.items():
        root.add_resource([name], resource)
    return root


@contextlib.contextmanager
def server(namespace: Namespace) -> Iterator[None]:
    """Serve over UDP and TCP until the end of the block."""
    is_ready = threading.Event()
    end: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def serve() -> None:
        context = await aiocoap.Context.create_server_context(
            site(), bind=(KERNEL, None), transports=["udp6", "tcpserver"]
        )
        is_over = asyncio.Event()
        end.append((asyncio.get_running_loop(), is_over))
        is_ready.set()
        await is_over.wait()
        await context.shutdown()

    thread = threading.Thread(target=lambda: namespace.inside(lambda: asyncio.run(serve())))
    thread.start()
    assert is_ready.wait(_PATIENCE_S)
    try:
        yield
    finally:
        (loop, is_over) = end[0]
        loop.call_soon_threadsafe(is_over.set)
        thread.join(_PATIENCE_S)
        assert not thread.is_alive(), "it does not end"
