"""A CoAP device with aiocoap, which executes an errand (`lasthop.adapters.client`).

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
_NON_PATIENCE_S = 4.0
"""Timeout of non-confirmable requests: twice ACK_TIMEOUT (RFC 7252 section 4.8)."""


class Device:
    """A CoAP client that sends the requests of an errand."""

    def __init__(self, errand: Any, context: aiocoap.Context) -> None:  # noqa: ANN401
        self._errand, self._context = errand, context
        self._is_tcp = errand["transport"] == "tcp"
        kind = str(errand["options"].get("type", "con"))
        self._tuning = _TUNING[kind]
        self._patience_s = _NON_PATIENCE_S if kind == "non" else None
        scheme = "coap+tcp" if self._is_tcp else "coap"
        self._server = f"{scheme}://{errand['address']}:{errand['port']}"

    async def put(self, message: Any) -> None:  # noqa: ANN401  plain values
        """PUT a message, and print the time of its response."""
        payload = payload_of(self._errand, message)
        request = self._request(aiocoap.PUT, message["topic"], payload, tuning=self._tuning)
        with contextlib.suppress(aiocoap.error.Error):
            response = await self._context.request(request).response
            if response.code.is_successful():
                tell("acknowledged", message["flow"], message["number"])

    async def observe(self, topic: str) -> None:
        """Print each notification of a resource until the device ends."""
        while True:
            # What is not confirmable nobody sends again: who asked in vain would never hear.
            with contextlib.suppress(aiocoap.error.Error, TimeoutError):
                asked = self._request(aiocoap.GET, topic, tuning=self._tuning, observe=0)
                request = self._context.request(asked)
                response = await asyncio.wait_for(request.response, self._patience_s)
                if response.code.is_successful():
                    tell_heard(response.payload)
                    async for notification in request.observation:
                        tell_heard(notification.payload)
            await asyncio.sleep(_ASK_AGAIN_S)

    def _request(
        self,
        code: aiocoap.Code,
        topic: str,
        payload: bytes = b"",
        *,
        tuning: aiocoap.TransportTuning,
        **options: int,
    ) -> aiocoap.Message:
        # Over TCP nothing is confirmable or not.
        tuned = {} if self._is_tcp else {"transport_tuning": tuning}
        uri = f"{self._server}/{topic}"
        return aiocoap.Message(code=code, uri=uri, payload=payload, **tuned, **options)


async def main() -> None:
    """Send the messages of the errand and observe its resources."""
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
