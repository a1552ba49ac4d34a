"""Adapter of pika as an AMQP 0-9-1 device (Python library)."""

from __future__ import annotations

from typing import ClassVar

from lasthop.adapters.client import PythonClient


class Pika(PythonClient):
    """A client that publishes to the topic exchange on one channel, with `confirm` and `ack`."""

    name: ClassVar[str] = "pika"
    protocols: ClassVar[frozenset[str]] = frozenset({"amqp/tcp"})
    library: ClassVar[str] = "pika"
    package: ClassVar[str] = "pika"
    script: ClassVar[str] = "pika_device"
    install: ClassVar[str] = "pip install pika"
    oldest: ClassVar[tuple[int, ...]] = (1, 3)
