"""Executes a run with real-software devices and server over emulated paths."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lasthop import _native
from lasthop._native import CaptureError
from lasthop.adapters import ClientProcess
from lasthop.errors import EnvironmentFailure
from lasthop.results.part import amended_streams, failed_streams
from lasthop.running.engine import CancelledError
from lasthop.running.external_crashes import crash_columns
from lasthop.running.external_tables import CarriedPath, message_rows, tables
from lasthop.testbed import Emulation, Namespace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from lasthop.adapters import Client, Errand, Offer, Usage
    from lasthop.results.part import Stream
    from lasthop.running.external_schedule import ExternalDevice, ExternalSchedule

_DEVICE = "lasthop0"
_NS_PER_S = 10**9
_HEAD_START_NS = 100_000_000
"""Time between the last device's readiness and the start of the run."""
_LOOK_AGAIN_S = 0.1
_LAST_WORDS_S = 0.5
"""Seconds to wait for the last acknowledgements after the run."""


@dataclass(slots=True, eq=False)
class Stop:
    """Requests the end of a run from another thread."""

    is_set: bool = False

    def cancel(self) -> None:
        """Request the end of the run."""
        self.is_set = True


@dataclass(frozen=True, slots=True)
class Joined:
    """A device with its namespace and its emulated path.

    Parameters
    ----------
    descriptor
        Socket of the packets of a device with its own network stack.
    """

    device: ExternalDevice
    near: Namespace
    emulation: Emulation
    descriptor: int | None


@dataclass(frozen=True, slots=True)
class ExternalRun:
    """The devices, server and paths of a run with real software.

    Parameters
    ----------
    clients
        Adapter and program of each client software, by name.
    server
        Address and options of the server.
    far
        The namespace of the server.
    folder, logs
        Folders for the devices' reports and for their logs.
    """

    schedule: ExternalSchedule
    clients: Mapping[str, tuple[Client, Path]]
    server: Offer
    far: Namespace
    folder: Path
    logs: Path

    def join(self, stack: ExitStack, captures: Mapping[str, Path]) -> list[Joined]:
        """Create a namespace and an emulated path to the server for each device.

        The captures are complete when the stack ends.
        """
        stack.callback(self._capture_server, captures)
        return [self._path(stack, device, captures) for device in self.schedule.devices]

    def carry_out(
        self, run_id: str, joined: Sequence[Joined], stop: Stop
    ) -> tuple[dict[str, Stream], list[tuple[ExternalDevice, Usage]]]:
        """Run the devices, and return the tables and the programs that took part.

        Raises
        ------
        EnvironmentFailure
            A device dies.
        CancelledError
            The run was stopped.
        """
        measure = self.schedule.spec["measure"]
        for client, _ in self.clients.values():
            of_it = [it for it in joined if it.device.client == client.name]
            client.prepare(map(self._errand, of_it))
        with ExitStack() as stack:
            running = [stack.enter_context(self._process(run_id, it)) for it in joined]
            until = time.monotonic() + measure["set_up_ns"] / _NS_PER_S
            ready = [process.is_ready(until) for process in running]
            if not all(ready):
                return failed_streams(status="failed", reason="session_not_set_up"), []
            zero_ns = time.monotonic_ns() + _HEAD_START_NS
            for process in running:
                process.begin(zero_ns)
            planned = self.schedule.planned
            last_ns = zero_ns + max((message["intended_ns"] for message in planned), default=0)
            _wait(last_ns, running, stop)
            _wait(
                last_ns + measure["drain_ns"],
                running,
                stop,
                unless=lambda: _over(running, planned, self.schedule),
            )
            time.sleep(_LAST_WORDS_S)
            told = {process.errand.name: list(process.output_lines()) for process in running}
            ends = [
                (self.schedule.sender_of(message), self.schedule.receiver_of(message))
                for message in planned
            ]
            kept = [self.schedule.is_kept(message) for message in planned]
            messages = message_rows(planned, told, ends, kept, zero_ns)
            paths = [CarriedPath(it.device, it.emulation.stop()) for it in joined]
            flows = self.schedule.spec["flows"]
            sizes = {flow["name"]: next(iter(flow["payload"].values()))["bytes"] for flow in flows}
            deadlines = {it["name"]: it["within_ns"] for it in flows if "within_ns" in it}
            used = [
                (it.device, process.usage()) for it, process in zip(joined, running, strict=True)
            ]
        found = tables(run_id, messages, paths, sizes=sizes, deadlines=deadlines)
        if any(it.device.device is not None for it in joined):
            found = amended_streams(found, **crash_columns(told, zero_ns, time.monotonic_ns()))
        return found, used

    def _errand(self, joined: Joined) -> Errand:
        errand = self.schedule.errand(joined.device, self.server)
        return replace(errand, descriptor=joined.descriptor)

    def _process(self, run_id: str, joined: Joined) -> ClientProcess:
        name = joined.device.name
        return ClientProcess(
            *self.clients[joined.device.client],
            self._errand(joined),
            namespace=joined.near,
            told=self.folder / f"{name}.told",
            log=self.logs / f"{run_id}-{name}.log",
        )

    def _path(
        self, stack: ExitStack, device: ExternalDevice, captures: Mapping[str, Path]
    ) -> Joined:
        near = stack.enter_context(Namespace())
        own, descriptor = device.address, None
        congestion = self.server.options.get("tcp.congestion")
        # By the route, as the sysctl allows what the machine allows to all alone.
        by = [] if congestion is None else ["congctl", str(congestion)]
        if self.clients[device.client][0].takes_packets:
            # Its packets need no device of the kernel, which would answer beside it.
            pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            here, descriptor = (stack.enter_context(end).fileno() for end in pair)
        else:
            here = near.tun(_DEVICE, f"{own}/32").descriptor
            near.ip("route", "add", "default", "dev", _DEVICE, *by)
        there = self.far.tun(f"lasthop{device.number}", f"{self.server.address}/32")
        self.far.ip("route", "add", f"{own}/32", "dev", there.name, *by)
        outside = f"198.19.1.{device.number + 1}"
        self.far.ip("route", "add", f"{outside}/32", "dev", there.name, *by)
        spec = {
            "path": {
                "seed": self.schedule.spec["seed"],
                "path": device.path,
                "group": device.group,
                "device": device.number,
                "translated": {"ipv4": outside, "ipv6": "fd77::3"},
            },
            "ledger": True,
        }
        if (here_kept := captures.get(f"{device.group}-{self._place(device)}")) is not None:
            spec["capture_near"] = str(here_kept)
        if self._captured_server in captures:
            spec["capture_far"] = str(self._far_capture(device))
        try:
            emulation = stack.enter_context(Emulation(spec, here, there.descriptor))
        except CaptureError as error:
            raise EnvironmentFailure(f"--capture: {error}") from error
        return Joined(device, near, emulation, descriptor)

    @property
    def _captured_server(self) -> str:
        (server,) = self.schedule.spec["servers"]
        return f"{server['name']}-0"

    def _far_capture(self, device: ExternalDevice) -> Path:
        """Return the capture file at the server's end of a device's path."""
        return self.folder / f"{device.name}.far.pcapng"

    def _capture_server(self, captures: Mapping[str, Path]) -> None:
        """Merge the captures at the server's ends of all paths into one file."""
        files = {f"to {it.name}": self._far_capture(it) for it in self.schedule.devices}
        there = {name: file for name, file in files.items() if file.exists()}
        if there:
            _native.merge_captures(list(there.items()), captures[self._captured_server])

    def _place(self, device: ExternalDevice) -> int:
        return [it for it in self.schedule.devices if it.group == device.group].index(device)


def _over(
    running: Sequence[ClientProcess],
    planned: Sequence[Mapping[str, Any]],
    schedule: ExternalSchedule,
) -> bool:
    """Return whether every message has arrived, so that the run can end early."""
    lines = [(place, line) for place, it in enumerate(running) for line in it.output_lines()]
    heard = {(place, line[1]) for place, line in lines if line[0] == "heard"}
    flows = {message["flow"] for message in planned if schedule.is_kept(message)}
    known = {
        (place, *line[1:3])
        for place, line in lines
        if line[0] == "acknowledged" and line[1] in flows
    }
    return len(heard) + len(known) >= len(planned)


def _wait(
    until_ns: int,
    running: Sequence[ClientProcess],
    stop: Stop,
    unless: Callable[[], bool] = lambda: False,
) -> None:
    while time.monotonic_ns() < until_ns and not unless():
        if stop.is_set:
            raise CancelledError
        for process in running:
            process.check()
        time.sleep(min(_LOOK_AGAIN_S, max(0.0, (until_ns - time.monotonic_ns()) / _NS_PER_S)))
