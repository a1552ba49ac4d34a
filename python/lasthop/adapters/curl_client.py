"""Adapter of libcurl as an HTTP device (C library)."""

from __future__ import annotations

from typing import ClassVar

from lasthop.adapters.programs import libcurl
from lasthop.adapters.shared_library import SharedLibraryClient


class CurlClient(SharedLibraryClient):
    """A client that POSTs one message after another, with the header fields of curl.

    It is given the version of HTTP and of TLS, the server's name and the root of its certificate.
    """

    name: ClassVar[str] = "curl"
    protocols: ClassVar[frozenset[str]] = frozenset({"http/tcp", "http/tls/tcp"})
    connects_again: ClassVar[bool] = True
    shows_tokens: ClassVar[bool] = True
    library: ClassVar[str] = libcurl.NAME
    binding: ClassVar[str] = "libcurl"
    script: ClassVar[str] = "curl_device"
    install: ClassVar[str] = "apt-get install libcurl4"
    oldest: ClassVar[tuple[int, ...]] = (7, 68)
