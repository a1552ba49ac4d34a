"""Honest clients: each asks one thing after the other, and waits for the answer."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from benchmarks.hostile import words
from benchmarks.hostile.http3 import Http3Client
from benchmarks.hostile.streams import GoneError, Listener, Stream, datagrams, name_of_own
from benchmarks.quic_client import QuicClient

if TYPE_CHECKING:
    from collections.abc import Callable


class Client(ABC):
    """A client that has a connection."""

    @abstractmethod
    def ask(self) -> None:
        """Ask for something, and wait until it has come."""

    @abstractmethod
    def close(self) -> None:
        """Go away."""


class MqttStream(Client):
    """Publishes to a topic of its own with QoS 1, and waits for the message."""

    def __init__(self, listener: Listener) -> None:
        self.stream = Stream(listener)
        self.topic = name_of_own()
        self.heard = b""
        self.stream.say(words.connect(self.topic) + words.subscribe([self.topic], qos=0))
        self.until(b"\x90")

    def until(self, kind: bytes) -> None:
        """Wait for a packet of a kind; all of them are shorter than 128 bytes."""
        while True:
            while len(self.heard) < words.SMALLEST or len(self.heard) < 2 + self.heard[1]:
                self.heard += self.hear()
            first, self.heard = self.heard[:1], self.heard[2 + self.heard[1] :]
            if first == kind:
                return

    def hear(self) -> bytes:
        """Give what comes next."""
        return self.stream.hear()

    def say(self, said: bytes) -> None:
        """Send bytes."""
        self.stream.say(said)

    def ask(self) -> None:
        """Publish, and wait for the message and for nothing else."""
        self.say(words.publish(self.topic, b"x"))
        self.until(b"\x30")

    def close(self) -> None:
        """Go away."""
        self.stream.close()


class MqttQuic(MqttStream):
    """The same over QUIC."""

    def __init__(self, listener: Listener) -> None:
        self.quic = QuicClient(listener.place, listener.authority)
        self.topic = name_of_own()
        self.heard = b""
        self.say(words.connect(self.topic) + words.subscribe([self.topic], qos=0))
        self.until(b"\x90")

    def say(self, said: bytes) -> None:
        """Send bytes."""
        self.quic.say(said)

    def hear(self) -> bytes:
        """Give what comes next."""
        self.quic.until(lambda: bool(self.quic.heard))
        found, self.quic.heard = self.quic.heard, b""
        return found

    def close(self) -> None:
        """Go away."""
        self.quic.close()


class CoapUdp(Client):
    """Reads a resource; a datagram that is lost is sent again, as CoAP has it."""

    TRIES = 8
    PATIENCE_S = 2.0

    def __init__(self, listener: Listener) -> None:
        self.socket = datagrams(listener)
        self.socket.settimeout(self.PATIENCE_S)
        self.number = 0

    def ask(self) -> None:
        """Read the list of resources."""
        self.number += 1
        token = self.number.to_bytes(4, "big")
        said = words.coap(1, self.number % 65536, [".well-known", "core"], token=token)
        for _ in range(self.TRIES):
            self.socket.send(said)
            with contextlib.suppress(TimeoutError):
                while token not in self.socket.recv(65536)[:12]:
                    pass
                return
        raise TimeoutError

    def close(self) -> None:
        """Go away."""
        self.socket.close()


class CoapTcp(Client):
    """Reads a resource over TCP or TLS."""

    CSM = b"\x00\xe1"

    def __init__(self, listener: Listener) -> None:
        self.stream = Stream(listener)
        self.number = 0
        self.stream.say(self.CSM)

    def ask(self) -> None:
        """Read the list of resources."""
        self.number += 1
        token = b"tk" + self.number.to_bytes(4, "big")
        self.stream.say(words.coap_tcp(1, [".well-known", "core"], token))
        heard = b""
        while token not in heard:
            heard += self.stream.hear()

    def close(self) -> None:
        """Go away."""
        self.stream.close()


class CoapDtls(Client):
    """Reads a resource through `openssl s_client`."""

    def __init__(self, listener: Listener) -> None:
        identity, _, key = listener.keys.read_text(encoding="utf-8").strip().partition(":")
        place = ":".join(str(part) for part in listener.place)
        self.process = subprocess.Popen(
            [
                *("openssl", "s_client", "-dtls1_2", "-quiet", "-connect", place),
                *("-psk_identity", identity, "-psk", key, "-cipher", "PSK-AES128-CCM8:@SECLEVEL=0"),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        self.number = 0

    def ask(self) -> None:
        """Read the list of resources."""
        self.number += 1
        token = b"tk" + self.number.to_bytes(4, "big")
        # A line end in it would end what s_client reads at once.
        token = token.replace(b"\n", b"\x0b")
        said = words.coap(1, self.number % 65536, [".well-known", "core"], token=token)
        if self.process.stdin is None or self.process.stdout is None:
            raise GoneError
        heard = b""
        for _ in range(CoapUdp.TRIES):
            self.process.stdin.write(said)
            while select.select([self.process.stdout], [], [], CoapUdp.PATIENCE_S)[0]:
                part = os.read(self.process.stdout.fileno(), 65536)
                if not part:
                    raise GoneError
                heard += part
                if token in heard:
                    return
        raise TimeoutError

    def close(self) -> None:
        """Go away."""
        self.process.kill()
        self.process.communicate()


class JsonUdp(Client):
    """Subscribes to a topic and hears what it publishes there."""

    def __init__(self, listener: Listener) -> None:
        self.socket = datagrams(listener)
        self.socket.settimeout(2)
        self.topic = name_of_own()
        self.exchange(f'{{"op":"sub","topic":"{self.topic}"}}', b"suback")

    def exchange(self, said: str, answer: bytes) -> None:
        """Say something until its answer comes."""
        for _ in range(8):
            self.socket.send(said.encode())
            with contextlib.suppress(TimeoutError):
                while answer not in self.socket.recv(65536):
                    pass
                return
        raise TimeoutError

    def ask(self) -> None:
        """Publish, and wait for the message."""
        self.exchange(f'{{"op":"pub","topic":"{self.topic}","data":"x"}}', b'"pub"')

    def close(self) -> None:
        """Go away."""
        self.socket.close()


class Http1(Client):
    """Asks for what is not there over HTTP/1.1."""

    def __init__(self, listener: Listener) -> None:
        self.stream = Stream(listener)

    def ask(self) -> None:
        """Make a request; 404 or 401 is an answer."""
        self.stream.say(b"GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n")
        heard = b""
        while b"\r\n\r\n" not in heard:
            heard += self.stream.hear()
        if not heard.startswith(b"HTTP/1.1 40"):
            raise GoneError(heard)

    def close(self) -> None:
        """Go away."""
        self.stream.close()


class Http2(Client):
    """The same over HTTP/2."""

    def __init__(self, listener: Listener) -> None:
        self.stream = Stream(listener)
        self.heard = b""
        self.next = 1
        self.stream.say(words.PREFACE + words.frame(words.SETTINGS, 0, 0))

    def ask(self) -> None:
        """Make a request, and wait for its fields."""
        number, self.next = self.next, self.next + 2
        flags = words.END_STREAM | words.END_HEADERS
        self.stream.say(words.frame(words.HEADERS, flags, number, words.GET))
        while True:
            while words.is_cut(self.heard):
                self.heard += self.stream.hear()
            size = int.from_bytes(self.heard[:3], "big")
            kind, flags = self.heard[3], self.heard[4]
            stream = int.from_bytes(self.heard[5:9], "big")
            self.heard = self.heard[9 + size :]
            if kind == words.SETTINGS and not flags & words.ACK:
                self.stream.say(words.frame(words.SETTINGS, words.ACK, 0))
            if kind == words.HEADERS and stream == number:
                return
            if kind in {words.RST_STREAM, 7}:
                raise GoneError

    def close(self) -> None:
        """Go away."""
        self.stream.close()


class Http3(Client):
    """The same over HTTP/3."""

    def __init__(self, listener: Listener) -> None:
        self.client = Http3Client(listener)

    def ask(self) -> None:
        """Make a request, and wait for its answer."""
        self.client.request("/nothing")

    def close(self) -> None:
        """Go away."""
        self.client.close()


CLIENTS: dict[str, Callable[[Listener], Client]] = {
    "mqtt": MqttStream,
    "mqtts": MqttStream,
    "ws": MqttStream,
    "wss": MqttStream,
    "quic": MqttQuic,
    "coap": CoapUdp,
    "coap+tcp": CoapTcp,
    "coaps+tcp": CoapTcp,
    "coaps": CoapDtls,
    "json+udp": JsonUdp,
    "http": Http1,
    "http/2": Http2,
    "h3": Http3,
}
"""The honest client of each listener, by its scheme."""
