"""The runs whose captures are read: every stack over every kind of path."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lasthop.study import load_study

DATAGRAM_STACKS = (
    "raw_udp",
    "raw_udp ip.version=6",
    "raw_udp ack=on",
    "raw_udp ack=on ip.version=6",
    "json_udp",
    "json_udp ip.version=6",
)

PROTOCOL_STACKS = (
    "coap type=non",
    "coap nstart=4 push=observe ip.version=6",
    "coap/tcp",
    "raw_tcp tcp.profile=lwip_esp8266",
    "mqtt qos=0 tcp.nodelay=off",
    "mqtt qos=1 ip.version=6",
    "mqtt qos=2 version=5",
    "mqtt/ws qos=1 version=5",
    "mqtt connect_pipelining=on",
    "http auth=jwt body=base64_json",
    "http auth=jwt",
    "mqtt auth=jwt",
    "http version=2",
)

STACKS = DATAGRAM_STACKS + PROTOCOL_STACKS

PATHS = {
    "clean": "{delay: 50 ms}",
    "losing": "{loss: 20 %, duplicate: 10 %, delay: {around: 100 ms, spread: 50 %}}",
    "corrupting": "{corrupt: 20 %, duplicate: 10 %, loss: 5 %, delay: 50 ms}",
    "translating": "{nat: {udp: 10 s, rebind_every: 25 s}, corrupt: 10 %, duplicate: 10 %}",
    "narrow": "{rate: 4 kbit/s, queue: 3 packets, outages: [{start: 5 s, for: 3 s}]}",
    "short": "{mtu: 110 B}",
    "copying_before_losing": "{order: [duplicate, corrupt, loss], duplicate: 50 %, loss: 20 %}",
}

PROTOCOL_PATHS = ("clean", "losing", "corrupting", "translating")
"""Those over which a connection comes about."""

HOSTS = ("device-0", "device-1", "device-2", "server-0")

TRAFFIC = (
    "{round_trip: {json: {heart_rate: 72}, size: 90 B}, every: 250 ms}",
    "{report: 60 B, every: 250 ms, arrivals: poisson}",
    "{command: 41 B, every: 2 s, burst: 5}",
)


@dataclass(frozen=True, slots=True)
class Case:
    """A stack over a path with some traffic."""

    name: str
    stack: str
    path: str
    traffic: str

    @property
    def transport(self) -> str:
        """What carries the stack: ``udp`` or ``tcp``."""
        over_tcp = self.stack.startswith(("mqtt", "raw_tcp", "coap/tcp", "http"))
        return "tcp" if over_tcp else "udp"

    @property
    def protocols(self) -> tuple[str, ...]:
        """What tshark finds in segments and datagrams."""
        if self.stack.startswith("mqtt/ws"):
            return ("http", "websocket")
        if self.stack == "http version=2":
            return ("http", "http2")
        name = self.stack.partition(" ")[0].partition("/")[0]
        return (name if name in {"mqtt", "coap", "http"} else "data",)

    @property
    def decode_as(self) -> tuple[str, ...]:
        """Tell tshark what the port of a stack does not."""
        return ("tcp.port==1883,http",) if self.stack.startswith("mqtt/ws") else ()

    @property
    def corrupts(self) -> bool:
        """Whether the path changes bytes."""
        return " corrupt: " in f" {PATHS[self.path]}".replace("{", " ")

    def spec_json(self, folder: Path) -> str:
        """Give the run spec of the case."""
        file = folder / "study.yaml"
        file.write_text(
            f"study: capture\nduration: 40 s\nmeasure: {{drain: 20 s}}\ndevices: 3\nrepeat: 1\n"
            f"traffic: {self.traffic}\npath: {PATHS[self.path]}\nstacks: ['{self.stack}']\n",
            encoding="utf-8",
        )
        (run,) = load_study(file).planned_runs()
        return run.spec_json


TOO_LARGE = "{report: {json: {heart_rate: 72}, size: 90 B}, every: 250 ms, batch: 4}"
"""For the short path: how large a bundle of fields is, is seen by a run only."""


def _cases() -> Iterator[Case]:
    for place, stack in enumerate(STACKS):
        for shift, path in enumerate(PATHS):
            if stack in PROTOCOL_STACKS and path not in PROTOCOL_PATHS:
                continue
            if path == "short" and "ip.version=6" in stack:
                continue  # IPv6 needs 1280 B (RFC 8200 section 5)
            # Every traffic meets every path, and every stack every traffic.
            traffic = TRAFFIC[(place + shift) % len(TRAFFIC)] if path != "short" else TOO_LARGE
            kind = traffic[1:].split(":")[0]
            yield Case(f"{stack}, {path}, {kind}".replace(" ", "-"), stack, path, traffic)


CASES = tuple(_cases())

READ_BY_TSHARK = (
    ("raw_udp ack=on", "corrupting"),
    ("json_udp ip.version=6", "translating"),
    ("coap type=non", "losing"),
    ("coap/tcp", "clean"),
    ("raw_tcp tcp.profile=lwip_esp8266", "losing"),
    ("mqtt qos=1 ip.version=6", "corrupting"),
    ("mqtt/ws qos=1 version=5", "clean"),
    ("http auth=jwt", "losing"),
    ("http version=2", "translating"),
)
"""What tshark reads in `make test`, a stack and a path each: every protocol and every kind of path
on which one of them is read another way. It reads all cases in `make soak`."""
