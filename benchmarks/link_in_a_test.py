"""How fast a link before a server is up, and what a packet costs: a table.

As root: ``python -m benchmarks.link_in_a_test``. The processor time is that of the emulator's
thread, for datagrams of 100 bytes that go to an echo server and back; "without a server" is the
emulator alone, between two devices whose ends exchange the same datagrams.
"""

from __future__ import annotations

import socket
import statistics
import threading
import time
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

import lasthop
from lasthop.emulator.settings import LinkSettings
from lasthop.testbed import Emulation, Namespace

if TYPE_CHECKING:
    from collections.abc import Callable

    from lasthop.linked.before_server import Kind

STARTS = 20
DATAGRAMS = 20_000
PAYLOAD = b"x" * 100


def echo(server: socket.socket) -> None:
    """Send back what comes, until the socket is closed."""
    with suppress(OSError):
        while True:
            read, peer = server.recvfrom(2048)
            server.sendto(read, peer)


def exchange(address: tuple[str, int]) -> None:
    """Send datagrams one after the other, and wait for each."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect(address)
        client.settimeout(1)
        for _ in range(DATAGRAMS):
            client.send(PAYLOAD)
            client.recv(2048)


def cost_us(told: dict[str, Any]) -> float:
    """Give the processor time of a packet."""
    packets = told["up"]["offered"]["packets"] + told["down"]["offered"]["packets"]
    return float(told["cpu_seconds"] * 1e6 / packets)


def of_link(kind: Kind, address: tuple[str, int]) -> tuple[float, float]:
    """Give the median of the milliseconds to start, and the cost of a packet."""
    starts = []
    for _ in range(STARTS):
        begin = time.perf_counter()
        with lasthop.link(delay="1 ms", server=address, kind=kind):
            starts.append((time.perf_counter() - begin) * 1000)
    with lasthop.link(server=address, kind=kind) as link:
        exchange(link.address)
        told = link._ask("stats")  # noqa: SLF001  what the emulator tells of its processor time
    return statistics.median(starts), cost_us(told)


def of_emulator() -> float:
    """Give the cost of a packet between two devices."""
    spec = {"path": LinkSettings.read([], seed=1).path}
    with ExitStack() as stack:
        near, far = (stack.enter_context(Namespace()) for _ in range(2))
        ends = [near.tun("link0", "10.77.0.1/24"), far.tun("link0", "10.77.0.2/24")]
        emulation = stack.enter_context(Emulation(spec, *(end.descriptor for end in ends)))

        def inside(namespace: Namespace, work: Callable[[], None]) -> threading.Thread:
            thread = threading.Thread(target=lambda: namespace.inside(work), daemon=True)
            thread.start()
            return thread

        server = far.inside(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        server.bind(("10.77.0.2", 7))
        threading.Thread(target=echo, args=(server,), daemon=True).start()
        inside(near, lambda: exchange(("10.77.0.2", 7))).join()
        told = emulation.stop()
    return cost_us(told)


def main() -> None:
    """Print the table."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    threading.Thread(target=echo, args=(server,), daemon=True).start()
    alone = of_emulator()
    print("| link | up after (median of 20) | processor time of a packet | of the emulator's |")
    print("|---|---|---|---|")
    print(f"| emulator without a server | | {alone:.1f} us | 1.00 |")
    kinds: tuple[Kind, ...] = ("emulator", "proxy")
    for kind in kinds:
        start_ms, cost = of_link(kind, server.getsockname())
        print(f"| {kind} | {start_ms:.0f} ms | {cost:.1f} us | {cost / alone:.2f} |")


if __name__ == "__main__":
    main()
