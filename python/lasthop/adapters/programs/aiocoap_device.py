"""A device of CoAP by aiocoap: reads its errand, as `lasthop.adapters.client` says.

It puts its messages, and observes the resources that it hears. What is not there yet is asked for
again a second later.
"""

import asyncio
import contextlib
from typing import Any

import aiocoap

from lasthop.adapters.programs.device import (
    payload_of,
    read_errand,
    send_when_due,
    tell,
    tell_heard,
)

_TUNING = {"con": aiocoap.Reliable(), "non": aiocoap.Unreliable()}
_TRANSPORTS = {"udp": "udp6", "tcp": "tcpclient"}
_ASK_AGAIN_S = 1.0


class Device:
    """Makes the requests of an errand."""

    def __init__(self, errand: Any, context: aiocoap.Context) -> None:  # noqa: ANN401
        self._errand, self._context = errand, context
        self._tuning = _TUNING.get(str(errand["options"].get("type")))
        scheme = "coap+tcp" if errand["transport"] == "tcp" else "coap"
        self._server = f"{scheme}://{errand['address']}:{errand['port']}"

    async def put(self, message: Any) -> None:  # noqa: ANN401  plain values
        """Put a message; that it was answered is told."""
        request = self._request(aiocoap.PUT, message["topic"], payload_of(self._errand, message))
        with contextlib.suppress(aiocoap.error.Error):
            response = await self._context.request(request).response
            if response.code.is_successful():
                tell("acknowledged", message["flow"], message["number"])

    async def observe(self, topic: str) -> None:
        """Tell of each state of a resource, as long as the device is there."""
        while True:
            with contextlib.suppress(aiocoap.error.Error):
                request = self._context.request(self._request(aiocoap.GET, topic, observe=0))
                response = await request.response
                if response.code.is_successful():
                    tell_heard(response.payload)
                    async for notification in request.observation:
                        tell_heard(notification.payload)
            await asyncio.sleep(_ASK_AGAIN_S)

    def _request(
        self, code: aiocoap.Code, topic: str, payload: bytes = b"", **options: int
    ) -> aiocoap.Message:
        tuning = {} if self._tuning is None else {"transport_tuning": self._tuning}
        uri = f"{self._server}/{topic}"
        return aiocoap.Message(code=code, uri=uri, payload=payload, **tuning, **options)


async def main() -> None:
    """Do the errand."""
    errand = read_errand()
    transport = _TRANSPORTS[errand["transport"]]
    context = await aiocoap.Context.create_client_context(transports=[transport])
    device, loop = Device(errand, context), asyncio.get_running_loop()
    observing = [asyncio.create_task(device.observe(topic)) for topic in errand["hears"]]
    putting: set[asyncio.Task[None]] = set()

    def put(message: Any) -> None:  # noqa: ANN401
        task = loop.create_task(device.put(message))
        putting.add(task)
        task.add_done_callback(putting.discard)

    await asyncio.to_thread(
        send_when_due, errand, lambda message: loop.call_soon_threadsafe(put, message)
    )
    for task in (*observing, *putting):
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main())
