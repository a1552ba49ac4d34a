"""aiocoap's client in a namespace."""

import asyncio
import contextlib
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any, Literal, TypeVar

import aiocoap

from lasthop.testbed import Namespace

from .conftest import OURS

Kind = Literal["con", "non", "tcp"]
"""CON and NON over UDP, or over TCP, which knows neither."""

KINDS: tuple[Kind, ...] = ("con", "non", "tcp")

_TUNING = {"con": aiocoap.Reliable(), "non": aiocoap.Unreliable(), "tcp": None}
_PATIENCE_S = 60.0

_T = TypeVar("_T")


class Client:
    """Makes requests of our server, one after the other."""

    def __init__(self, namespace: Namespace, kind: Kind, runner: asyncio.Runner) -> None:
        self._namespace = namespace
        self._kind = kind
        self._runner = runner
        self._tcp_transports: set[asyncio.Transport] = set()
        transports = ["tcpclient" if kind == "tcp" else "udp6"]
        self._context = self._run(aiocoap.Context.create_client_context(transports=transports))

    def __call__(
        self,
        method: aiocoap.Code,
        path: str,
        payload: bytes = b"",
        *,
        largest_block: int | None = None,
        **options: object,
    ) -> aiocoap.Message:
        """Make a request, whose options are named as aiocoap names them, and return the response.

        Over TCP aiocoap takes the largest blocks that there are.
        """
        request = self._request(method, path, payload, **options)

        async def ask() -> aiocoap.Message:
            await self._context.find_remote_and_interface(request)
            if self._kind == "tcp":
                self._tcp_transports.add(request.remote._transport)
            elif largest_block is not None:
                request.remote.maximum_block_size_exp = largest_block.bit_length() - 5
            return await self._context.request(request).response

        return self._run(ask())

    def observe(self, path: str, changes: Sequence[bytes | None]) -> list[bytes | None]:
        """Observe a resource, change it, and return the states that were told, None for its end.

        A change, by PUT, or DELETE for None, is made when the one before was heard of.
        """

        async def watch() -> list[bytes | None]:
            watching = self._context.request(self._request(aiocoap.GET, path, observe=0))
            heard = [(await watching.response).payload]
            notifications = aiter(watching.observation)
            for change in changes:
                method = aiocoap.DELETE if change is None else aiocoap.PUT
                request = self._request(method, path, change or b"")
                await self._context.request(request).response
                notification = await anext(notifications, None)
                if notification is None or not notification.code.is_successful():
                    heard.append(None)
                else:
                    heard.append(notification.payload)
            return heard

        return self._run(watch())

    def close(self) -> None:
        """Give the sockets back.

        Over TCP aiocoap says that it releases the connection, and leaves it to the server to
        close it (RFC 8323, 5.5).
        """

        async def shut_down() -> None:
            await self._context.shutdown()
            while not all(one.is_closing() for one in self._tcp_transports):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            await asyncio.sleep(0)  # A transport that closes lets its socket go in the next turn.

        self._run(shut_down())

    def _request(
        self, method: aiocoap.Code, path: str, payload: bytes = b"", **options: object
    ) -> aiocoap.Message:
        scheme = "coap+tcp" if self._kind == "tcp" else "coap"
        return aiocoap.Message(
            code=method,
            uri=f"{scheme}://{OURS}/{path}",
            payload=payload,
            transport_tuning=_TUNING[self._kind],
            **options,
        )

    def _run(self, work: Coroutine[Any, Any, _T]) -> _T:
        patient = asyncio.wait_for(work, _PATIENCE_S)
        return self._namespace.inside(lambda: self._runner.run(patient))


@contextlib.contextmanager
def client(namespace: Namespace, kind: Kind) -> Iterator[Client]:
    """Give a client."""
    with asyncio.Runner() as runner, contextlib.closing(Client(namespace, kind, runner)) as client:
        yield client
