"""Adapter of a Locust user as an HTTP device, which POSTs with the library requests."""

from __future__ import annotations

from typing import ClassVar

from lasthop.adapters.client import PythonClient


class LocustClient(PythonClient):
    """A client that POSTs one message after another, with the stack's TLS version and root."""

    name: ClassVar[str] = "locust"
    protocols: ClassVar[frozenset[str]] = frozenset({"http/tcp", "http/tls/tcp"})
    versions: ClassVar[frozenset[str]] = frozenset({"1.1"})
    connects_again: ClassVar[bool] = True
    shows_tokens: ClassVar[bool] = True
    library: ClassVar[str] = "locust"
    package: ClassVar[str] = "locust"
    script: ClassVar[str] = "locust_device"
    install: ClassVar[str] = "pip install locust"
    oldest: ClassVar[tuple[int, ...]] = (2, 20)
