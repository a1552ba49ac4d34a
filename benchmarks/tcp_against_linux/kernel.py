"""Runs flows over the kernel's TCP, on the wall clock, and keeps what each did.

Each batch has two namespaces of its own, for the clients and for the servers, joined by our relay.
A batch that is interrupted loses the flows that had not ended; the next one does them.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

from benchmarks.tcp_against_linux.grid import PATIENCE_S, Flow, FlowId, NamespaceSettings
from benchmarks.tcp_against_linux.programs import BenchmarkError

from lasthop.testbed import Namespace

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from benchmarks.tcp_against_linux.programs import Programs

START_INTERVAL_US = 100_000
"""At ten flows a second about 2,500 packets a second pass a relay."""

NEAR, FAR = "10.79.0.1", "10.79.0.2"
REAL_TIME_RELAY, REAL_TIME_FLOWS = 20, 10


@dataclass(slots=True)
class Batch:
    """Flows that run through one relay at the same time.

    Parameters
    ----------
    folder
        Where the batch keeps what its programs say.
    seed
        The seed of the losses.
    settings
        Of its namespaces.
    flows
        The flows to run.
    trace
        Whether the relay also writes a line for each segment.
    """

    folder: pathlib.Path
    seed: int
    settings: NamespaceSettings
    flows: list[FlowId]
    trace: bool = False
    _stack: ExitStack = field(default_factory=ExitStack)
    _client: subprocess.Popen[str] | None = None

    def start(self, programs: Programs) -> None:
        """Make the namespaces and start the programs."""
        self.folder.mkdir(parents=True)
        near, far = (self._stack.enter_context(Namespace()) for _ in range(2))
        for namespace in (near, far):
            namespace.set("net.ipv4.tcp_timestamps", int(self.settings.timestamps))
            # Or the first flows of a namespace decide how the later ones begin.
            namespace.set("net.ipv4.tcp_no_metrics_save", 1)
            namespace.set("net.ipv4.tcp_max_syn_backlog", 8192)
        devices = near.tun("tun0", f"{NEAR}/24"), far.tun("tun0", f"{FAR}/24")
        relay = subprocess.Popen(
            [programs["relay"], f"--seed={self.seed}", *(["--trace"] if self.trace else [])],
            stdin=devices[0].descriptor,
            stdout=devices[1].descriptor,
            stderr=self._file("relay.jsonl"),
            text=True,
        )
        self._stack.callback(_end, relay)
        flows = programs["kernel_flows"]
        room = self.settings.window_bytes
        buffer = [] if room is None else [f"--receive-buffer={room}"]
        server = far.start(flows, "server", *buffer, stdout=self._file("server.jsonl"))
        # The shuffling spreads what a cell does over the time that the batch takes.
        random.Random(self.seed).shuffle(self.flows)  # noqa: S311  not for secrets
        plan = self.folder / "flows"
        plan.write_text("".join(f"{cell} {flow}\n" for cell, flow in self.flows), encoding="utf-8")
        _wait_for_listener(far)
        options = (f"--start-interval-us={START_INTERVAL_US}", f"--patience-s={PATIENCE_S}")
        self._client = near.start(
            flows,
            "client",
            FAR,
            *options,
            stdin=self._stack.enter_context(plan.open(encoding="utf-8")),
            stdout=self._file("client.jsonl"),
        )
        _prefer(relay, REAL_TIME_RELAY)
        _prefer(server, REAL_TIME_FLOWS)
        _prefer(self._client, REAL_TIME_FLOWS)

    def is_running(self) -> bool:
        """Whether flows have not ended.

        Raises
        ------
        BenchmarkError
            If the program of the clients failed.
        """
        if self._client is None:
            return False
        status = self._client.poll()
        if status:
            raise BenchmarkError(f"kernel_flows client ended with {status}")
        return status is None

    def ended(self) -> int:
        """Return how many flows have ended."""
        return sum(1 for _ in _lines(self.folder / "client.jsonl"))

    def close(self) -> None:
        """End the programs and remove the namespaces."""
        self._stack.close()

    def _file(self, name: str) -> TextIO:
        return self._stack.enter_context((self.folder / name).open("w", encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Lateness:
    """How late a relay was, in microseconds."""

    packets: int
    median_us: int
    p99_us: int
    p999_us: int
    max_us: int


def read(folder: pathlib.Path) -> dict[FlowId, Flow]:
    """Return what is known of the flows of all batches in a folder."""
    flows: dict[FlowId, Flow] = {}
    for batch in sorted(folder.glob("batch-*")):
        arrivals = {
            (line["cell"], line["flow"]): line["arrivals_ns"]
            for line in _lines(batch / "server.jsonl")
        }
        for line in _lines(batch / "client.jsonl"):
            flow = line["cell"], line["flow"]
            flows[flow] = Flow.of(line, arrivals.get(flow, []))
    return flows


def lateness(folder: pathlib.Path) -> list[Lateness]:
    """Return what the relays of all batches in a folder said in the end."""
    found = []
    for batch in sorted(folder.glob("batch-*")):
        lines = list(_lines(batch / "relay.jsonl"))
        if lines:
            keys = ("packets", "late_p50_us", "late_p99_us", "late_p999_us", "late_max_us")
            found.append(Lateness(*(lines[-1][key] for key in keys)))
    return found


def next_folder(folder: pathlib.Path) -> pathlib.Path:
    """Return where the next batch goes."""
    return folder / f"batch-{sum(1 for _ in folder.glob('batch-*')) + 1:03}"


def _lines(path: pathlib.Path) -> Iterator[dict[str, Any]]:
    if not path.exists():
        return
    with path.open(encoding="utf-8") as file:
        for line in file:
            # The last line may be cut where a run was interrupted.
            if line.startswith("{") and line.endswith("\n"):
                yield json.loads(line)


def _wait_for_listener(namespace: Namespace) -> None:
    end = time.monotonic() + 5
    while time.monotonic() < end:
        if namespace.run("cat", "/proc/net/tcp").count("\n") > 1:
            return
        time.sleep(0.05)
    raise BenchmarkError("kernel_flows server does not listen")


def _prefer(process: subprocess.Popen[str], priority: int) -> None:
    try:
        os.sched_setscheduler(process.pid, os.SCHED_FIFO, os.sched_param(priority))
    except PermissionError:
        print("no real-time priority is allowed; the relay will be later than it could be")


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.wait()
