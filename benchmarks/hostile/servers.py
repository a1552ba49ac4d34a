"""Servers of ours with all their listeners, in processes of their own."""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from benchmarks.certificates import make
from benchmarks.hostile.streams import Listener

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMAND = (sys.executable, "-c", "import sys; from lasthop.cli import main; sys.exit(main())")

PSK = "meter-1:000102030405060708090a0b0c0d0e0f"

NAMES = {
    "mqtt": "MQTT over TCP",
    "mqtts": "MQTT over TLS",
    "ws": "MQTT over WebSocket",
    "wss": "MQTT over WebSocket and TLS",
    "quic": "MQTT over QUIC",
    "coap": "CoAP over UDP",
    "coap+tcp": "CoAP over TCP",
    "coaps+tcp": "CoAP over TLS",
    "coaps": "CoAP over DTLS",
    "json+udp": "JSON over UDP",
    "http": "HTTP/1.1",
    "http/2": "HTTP/2",
    "h3": "HTTP/3",
}
"""What the listener of a scheme speaks."""

PROTOCOLS = {"coap": "coap", "json": "json", "http": "http", "h3": "http"}
"""The protocol of a scheme that begins so; all others are MQTT's."""


def local(*schemes: str) -> list[str]:
    """Give options that listen at this machine for each scheme."""
    return [f"--listen={scheme}://127.0.0.1:0" for scheme in schemes]


def protocol_of(scheme: str) -> str:
    """Give the protocol that a scheme stands for."""
    return next((it for name, it in PROTOCOLS.items() if scheme.startswith(name)), "mqtt")


@contextlib.contextmanager
def listeners(folder: Path) -> Iterator[list[Listener]]:
    """Start the servers, and give their listeners."""
    openssl = shutil.which("openssl")
    if openssl is None:
        raise FileNotFoundError("openssl is missing; apt-get install openssl")
    files = make(openssl, folder, "ec")
    keys = folder / "keys"
    keys.touch(mode=0o600)
    keys.write_text(f"{PSK}\n", encoding="utf-8")
    tls = [f"--tls-cert={files.certificate}", f"--tls-key={files.key}"]
    plain = local("mqtt", "ws", "coap", "coap+tcp", "json_udp")
    secured = local("mqtts", "wss", "quic", "coaps+tcp")
    data = f"--data={folder / 'gateway'}"
    shared = ["mqtt", "coap_tcp", "--ws"]
    servers = [
        ([*shared, "coap", "json_udp", *plain], {it: [it] for it in NAMES}),
        ([*shared, "--quic", *tls, *secured], {it: [it] for it in NAMES}),
        (["coap", f"--dtls-psk={keys}", *local("coaps")], {"coaps": ["coaps"]}),
        (["gateway", "--http", data, *local("mqtt", "http")], {"http": ["http", "http/2"]}),
        (["gateway", "--http3", f"{data}-3", *tls, *local("mqtts", "h3")], {"h3": ["h3"]}),
    ]
    with contextlib.ExitStack() as stack:
        found = []
        for words, schemes in servers:
            process, urls = stack.enter_context(started(words))
            for parts in map(urlsplit, urls):
                place = (parts.hostname or "", parts.port or 0)
                for name in schemes.get(parts.scheme, []):
                    facts = (place, protocol_of(name), process, files.authority, keys)
                    found.append(Listener(NAMES[name], name, *facts))
        yield found


@contextlib.contextmanager
def started(words: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Start a server, and give its process and where it listens."""
    process = subprocess.Popen([*COMMAND, "serve", *words, "--json"], stdout=subprocess.PIPE)
    try:
        if process.stdout is None:
            raise ChildProcessError(words)
        line = process.stdout.readline()
        if not line:
            raise ChildProcessError(f"lasthop serve {' '.join(words)}")
        yield process.pid, json.loads(line)["listening"]
        process.send_signal(signal.SIGTERM)
        code = process.wait(20)
        if code != 0:
            raise ChildProcessError(f"lasthop serve {' '.join(words)} ended with {code}")
    finally:
        process.kill()
        process.communicate()
