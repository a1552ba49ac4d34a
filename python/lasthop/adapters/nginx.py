"""Adapter of nginx as a TLS proxy before another server."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from lasthop.adapters.adapter import Adapter, Offer
from lasthop.errors import EnvironmentFailure

_MODULE = Path("/usr/lib/nginx/modules/ngx_stream_module.so")

_CONFIGURATION = """\
load_module {module};
daemon off;
pid {folder}/nginx.pid;
error_log stderr info;
worker_processes auto;
worker_rlimit_nofile {files};
events {{
  worker_connections {files};
}}
stream {{
  server {{
    listen {address}:{port} ssl backlog=4096;
    ssl_certificate {presented.certificate};
    ssl_certificate_key {presented.key};
    ssl_protocols TLSv1.2 TLSv1.3;
    {asking}
    proxy_pass {behind.address}:{behind.port};
  }}
}}
"""
_ASKING = "ssl_client_certificate {presented.client_roots}; ssl_verify_client on;"

_MOST_FILES = 20_000
"""Maximum number of open files of a worker. Each connection has two."""


class Nginx(Adapter):
    """A TLS proxy that forwards the stream unchanged. The server behind sees local clients only.

    A worker a processor, which gives up the rights of root once the key is read.
    """

    name: ClassVar[str] = "nginx"
    protocols: ClassVar[frozenset[str]] = frozenset()
    takes_off: ClassVar[str | None] = "tls"
    program: ClassVar[str] = "nginx"
    version_arguments: ClassVar[tuple[str, ...]] = ("-v",)
    install: ClassVar[str] = "apt-get install nginx libnginx-mod-stream"
    oldest: ClassVar[tuple[int, ...]] = (1, 20)

    def find(self) -> Path:
        """Return the path of nginx if its stream module is installed.

        Raises
        ------
        EnvironmentFailure
            One of them is not there.
        """
        found = super().find()
        if not _MODULE.is_file():
            raise EnvironmentFailure(f"{self.name}: {_MODULE} is missing; {self.install}")
        return found

    def command(self, program: Path, offer: Offer) -> list[str]:
        """Write the configuration and return the command that starts the proxy."""
        if offer.presented is None or offer.behind is None:
            raise ValueError("nginx stands before a server, and shows a certificate")
        asks = offer.presented.client_roots is not None
        content = _CONFIGURATION.format(
            module=_MODULE,
            folder=offer.folder,
            files=_MOST_FILES,
            address=offer.address,
            port=offer.port,
            presented=offer.presented,
            behind=offer.behind,
            asking=_ASKING.format(presented=offer.presented) if asks else "",
        )
        file = offer.write("nginx.conf", content)
        return [str(program), "-e", "stderr", "-p", str(file.parent), "-c", str(file)]
