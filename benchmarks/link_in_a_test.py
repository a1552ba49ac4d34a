"""How fast a link before a server is up, and what a packet costs: a table.

As root: ``python -m benchmarks.link_in_a_test``. The processor time is that of the emulator's
thread, for datagrams of 100 bytes that go to an echo server and back, 16 of them at a time. The
emulator alone lies between two devices, whose ends exchange the same datagrams. The rows take
turns. Each value is the median of all turns, with the smallest and the largest.
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

TURNS = 9
STARTS = 5
DATAGRAMS = 20_000
IN_FLIGHT = 16
PAYLOAD = b"x" * 100


def echo(server: socket.socket) -> None:
    """Send back what comes, until the socket is closed."""
    with suppress(OSError):
        while True:
            read, peer = server.recvfrom(2048)
            server.sendto(read, peer)


def exchange(address: tuple[str, int]) -> None:
    """Send datagrams, a new one for each that comes back."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect(address)
        client.settimeout(1)
        for _ in range(IN_FLIGHT):
            client.send(PAYLOAD)
        for number in range(DATAGRAMS):
            client.recv(2048)
            if number < DATAGRAMS - IN_FLIGHT:
                client.send(PAYLOAD)


def cost_us(told: dict[str, Any]) -> float:
    """Give the processor time of a packet."""
    packets = told["up"]["offered"]["packets"] + told["down"]["offered"]["packets"]
    return float(told["cpu_seconds"] * 1e6 / packets)


def starts_ms(kind: Kind, address: tuple[str, int]) -> list[float]:
    """Give how long it takes until clients can connect, of several links."""
    starts = []
    for _ in range(STARTS):
        begin = time.perf_counter()
        with lasthop.link(delay="1 ms", server=address, kind=kind):
            starts.append((time.perf_counter() - begin) * 1000)
    return starts


def of_link(kind: Kind, address: tuple[str, int]) -> float:
    """Give the cost of a packet of a link before a server."""
    with lasthop.link(server=address, kind=kind) as link:
        exchange(link.address)
        told = link._ask("stats")  # noqa: SLF001  what the emulator tells of its processor time
    return cost_us(told)


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


def spread(values: list[float], digits: int) -> str:
    """Write the median with the smallest and the largest value."""
    median, least, most = statistics.median(values), min(values), max(values)
    return f"{median:.{digits}f} [{least:.{digits}f} .. {most:.{digits}f}]"


def main() -> None:
    """Print the table."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    threading.Thread(target=echo, args=(server,), daemon=True).start()
    address = server.getsockname()
    kinds: tuple[Kind, ...] = ("emulator", "proxy")
    alone: list[float] = []
    starts: dict[Kind, list[float]] = {kind: [] for kind in kinds}
    costs: dict[Kind, list[float]] = {kind: [] for kind in kinds}
    for _ in range(TURNS):
        alone.append(of_emulator())
        for kind in kinds:
            starts[kind] += starts_ms(kind, address)
            costs[kind].append(of_link(kind, address))
    print("| link | ms until it is up | us of CPU a packet | ratio to the emulator alone |")
    print("|---|---|---|---|")
    print(f"| the emulator alone | | {spread(alone, 1)} | 1.00 |")
    for kind in kinds:
        ratios = [cost / base for cost, base in zip(costs[kind], alone, strict=True)]
        row = [spread(starts[kind], 1), spread(costs[kind], 1), spread(ratios, 2)]
        print(f"| {kind} | {' | '.join(row)} |")


if __name__ == "__main__":
    main()
