"""Adapter of aioquic as an HTTP/3 device (QUIC library for Python)."""

from __future__ import annotations

from typing import ClassVar

from lasthop.adapters.client import PythonClient


class AioquicClient(PythonClient):
    """An HTTP/3 client that posts messages in turn and trusts the run's root certificate."""

    name: ClassVar[str] = "aioquic"
    protocols: ClassVar[frozenset[str]] = frozenset({"http/quic/udp"})
    connects_again: ClassVar[bool] = True
    shows_tokens: ClassVar[bool] = True
    library: ClassVar[str] = "aioquic"
    package: ClassVar[str] = "aioquic"
    script: ClassVar[str] = "aioquic_device"
    install: ClassVar[str] = "pip install aioquic"
    oldest: ClassVar[tuple[int, ...]] = (1, 0)
