"""Executes runs with real software: programs in namespaces behind simulated paths."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lasthop.adapters import Bindings, PresentedFiles, Pressure
from lasthop.errors import EnvironmentFailure, LasthopError
from lasthop.results.arrow_stream import arrow_stream
from lasthop.results.part import amended_streams, failed_streams, read_summary
from lasthop.results.schema import PROGRAMS
from lasthop.running.engine import NativeEngine
from lasthop.running.external_crashes import crash_columns
from lasthop.running.external_run import ExternalRun, Stop
from lasthop.running.external_schedule import ExternalSchedule
from lasthop.running.live_software import LiveSoftware, clients_of, connects_again
from lasthop.running.measured_use import MeasuredUse
from lasthop.running.real_time import real_time
from lasthop.running.serving import ProgramRow, Serving, row_of
from lasthop.testbed import Namespace, missing_requirement, temporary_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lasthop.adapters.build import Build
    from lasthop.results.part import Stream
    from lasthop.running.engine import Switch
    from lasthop.running.live_software import LiveServer
    from lasthop.study.rules.credentials import Credentials

ATTEMPTS = 3
"""Maximum number of attempts of a run while the machine misses deadlines."""

LATENESS_LIMITS_MS = {"lateness_p99_ms": 10.0, "lateness_max_ms": 100.0}
"""Maximum lateness in ms. A run that exceeds it did not have the configured path."""

LOGS = "logs"
"""Folder of program logs within the result folder."""

PROGRAM_WAIT_LIMIT_MS = 1.0
"""Default limit of a program's mean wait for a processor, in ms per wake-up."""

_DEVICE = "lasthop0"


@dataclass(frozen=True, slots=True, eq=False)
class _LiveSwitch:
    """Stops a run with simulated or real devices."""

    native: Switch
    stop: Stop

    def cancel(self) -> None:
        """Request the end of the run."""
        self.native.cancel()
        self.stop.cancel()


class LiveEngine:
    """Engine for runs that combine simulated hosts and real software in real time.

    Parameters
    ----------
    bindings
        The user's own builds.
    logs
        Folder of the programs' logs, with a file for each run and program.
    credentials
        Credentials of both ends if the study names files.
    processor_wait_ns
        Limit of a program's mean wait for a processor, if the study sets it.
    """

    def __init__(
        self,
        *,
        bindings: Bindings | None = None,
        logs: Path,
        credentials: Credentials | None = None,
        processor_wait_ns: int | None = None,
    ) -> None:
        self._native = NativeEngine().showing(credentials)
        self._software = LiveSoftware(bindings or Bindings())
        self._logs = logs
        self._processor_wait_ns = processor_wait_ns

    @property
    def builds(self) -> Mapping[str, Build]:
        """Return the builds of server and client programs of the checked runs."""
        return self._software.builds

    def check(self, specs: Iterable[str]) -> None:
        """Check that everything for the runs is available before the first one starts.

        Raises
        ------
        UsageError
            Nobody knows a name, or a program does not serve the protocol.
        EnvironmentFailure
            A program is missing or too old, or namespaces cannot be made here.
        """
        needed = False
        for spec in specs:
            for server in self._native.outside_servers(spec):
                needed = True
                self._software.check(server, clients_of(spec), connects_again=connects_again(spec))
        if needed and (missing := missing_requirement()) is not None:
            message = f"real software needs {missing}; install it, or run with --engine virtual"
            raise EnvironmentFailure(message)

    def missing(self, specs: Iterable[str]) -> tuple[str, ...]:
        """Describe what the machine lacks for the runs. Raise an error for impossible runs.

        Raises
        ------
        UsageError
            Nobody knows a name, or a program does not serve the protocol.
        """
        found: dict[str, None] = {}
        for spec in specs:
            try:
                self.check([spec])
            except EnvironmentFailure as failure:
                found[str(failure)] = None
        return tuple(found)

    def switch(self) -> Switch:
        """Return a switch that stops one run."""
        return _LiveSwitch(self._native.switch(), Stop())

    def simulate(
        self,
        spec_json: str,
        /,
        *,
        run_id: str,
        captures: Mapping[str, Path],
        switch: Switch,
        messages: Path | None = None,
    ) -> Mapping[str, Stream]:
        """Execute a run, and repeat it if the machine missed deadlines. The last attempt counts.

        Raises
        ------
        EnvironmentFailure
            A program does not start, or dies.
        """
        if not isinstance(switch, _LiveSwitch):
            raise LasthopError("a run beside real software is stopped by its own switch")
        late = ""
        for attempt in range(1, ATTEMPTS + 1):
            streams, rows = self._attempt(
                spec_json,
                run_id=run_id,
                captures=captures,
                switch=switch,
                messages=messages,
                attempt=attempt,
            )
            late = too_late(streams) or self._kept_waiting(rows)
            if not late:
                return streams
        return failed_streams(
            status="invalid", reason=f"{late}, in the last of {ATTEMPTS} attempts"
        )

    def _attempt(  # noqa: PLR0913  (as `simulate`)
        self,
        spec_json: str,
        *,
        run_id: str,
        captures: Mapping[str, Path],
        switch: _LiveSwitch,
        messages: Path | None,
        attempt: int,
    ) -> tuple[Mapping[str, Stream], Sequence[ProgramRow]]:
        if clients_of(spec_json):
            return self._attempt_with_devices(
                spec_json, run_id=run_id, captures=captures, stop=switch.stop, attempt=attempt
            )
        with ExitStack() as stack:
            folder = Path(stack.enter_context(temporary_folder()))
            devices: dict[int, int] = {}
            running: list[Serving] = []
            folder.chmod(0o755)  # programs may give up their rights
            for wanted in self._native.outside_servers(spec_json):
                own = folder / str(wanted["number"])
                own.mkdir(mode=0o755)
                server = self._server(spec_json, wanted, own)
                namespace = stack.enter_context(Namespace())
                if server.takes_packets:
                    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                    here, there = (stack.enter_context(end).fileno() for end in pair)
                    server = server.with_packets(there)
                    devices[server.number] = here
                else:
                    devices[server.number] = _join(namespace, server)
                serving = Serving(server, run_id=run_id, namespace=namespace, logs=self._logs)
                running.append(stack.enter_context(serving))
            try:
                engine, pressure = self._native.beside(devices), Pressure.now()
                zero_ns = time.monotonic_ns()
                with MeasuredUse(running, spec_json) as used, real_time():
                    told = engine.simulate(
                        spec_json,
                        run_id=run_id,
                        captures=captures,
                        switch=switch.native,
                        messages=messages,
                    )
            except OSError as error:
                for serving in running:
                    serving.check()
                raise EnvironmentFailure(f"run {run_id}: a device failed: {error}") from error
            of_run = {
                "run_id": run_id,
                "attempt": attempt,
                "cpu_pressure": pressure.share(),
            }
            told = amended_streams(told, **used.columns())
            if crashing := [serving for serving in running if serving.may_crash]:
                said = {serving.name: serving.output_lines() for serving in crashing}
                crashed = crash_columns(said, zero_ns, time.monotonic_ns(), who="server")
                told = amended_streams(told, **crashed)
            rows = [{**of_run, **row} for serving in running for row in serving.rows()]
        programs = arrow_stream(PROGRAMS.table(rows))
        return {**told, "programs": programs}, rows

    def _attempt_with_devices(
        self,
        spec_json: str,
        *,
        run_id: str,
        captures: Mapping[str, Path],
        stop: Stop,
        attempt: int,
    ) -> tuple[Mapping[str, Stream], Sequence[ProgramRow]]:
        schedule = ExternalSchedule.of(spec_json, self._native)
        (wanted,) = self._native.outside_servers(spec_json)
        clients = {name: self._software.client(name) for name in clients_of(spec_json)}
        with ExitStack() as stack:
            folder = Path(stack.enter_context(temporary_folder()))
            folder.chmod(0o755)  # programs may give up their rights
            server = self._server(spec_json, wanted, folder)
            far = stack.enter_context(Namespace())
            cards = server.admit([device.name for device in schedule.devices])
            run = ExternalRun(
                replace(schedule, cards=cards),
                clients,
                server.offer,
                far,
                folder=folder,
                logs=self._logs,
            )
            joined = run.join(stack, captures)
            serving = stack.enter_context(
                Serving(server, run_id=run_id, namespace=far, logs=self._logs)
            )
            pressure = Pressure.now()
            with MeasuredUse([serving], spec_json) as measured:
                told, used = run.carry_out(run_id, joined, stop)
                told = amended_streams(told, **measured.columns())
            rows = serving.rows()
        versions = {name: self._software.version(*build) for name, build in clients.items()}
        rows += [
            {
                "server": device.name,
                "software": device.client,
                "version": versions[device.client],
                **row_of(usage),
            }
            for device, usage in used
        ]
        of_run = {"run_id": run_id, "attempt": attempt, "cpu_pressure": pressure.share()}
        programs = PROGRAMS.table([{**of_run, **row} for row in rows])
        return {**told, "programs": arrow_stream(programs)}, rows

    def _kept_waiting(self, rows: Sequence[ProgramRow]) -> str:
        """Name the program that waited too long for a processor, if any."""
        wanted_ns = self._processor_wait_ns
        most_ms = PROGRAM_WAIT_LIMIT_MS if wanted_ns is None else wanted_ns / 1e6
        for row in rows:
            waited_ms = 1000 * row["run_queue_wait_s"] / max(1, row["voluntary_switches"])
            if waited_ms > most_ms:
                return (
                    f"{row['software']} waited {waited_ms:.1f} ms for a processor each time, "
                    f"above {most_ms:g} ms (measure.processor_wait)"
                )
        return ""

    def _server(self, spec_json: str, wanted: Mapping[str, Any], folder: Path) -> LiveServer:
        """Return a server with its offer and its credential files."""
        files = self._native.server_files(spec_json, wanted["name"])
        presented = None if files is None else PresentedFiles.write(folder, files)
        return self._software.server(wanted, folder, presented)


def _join(namespace: Namespace, server: LiveServer) -> int:
    """Create a TUN device in a namespace that routes to the server; return its descriptor."""
    device = namespace.tun(_DEVICE, f"{server.offer.address}/32")
    # By the route, as the sysctl allows what the machine allows to all alone.
    congestion = [] if server.congestion is None else ["congctl", server.congestion]
    namespace.ip("route", "add", "default", "dev", _DEVICE, *congestion)
    return device.descriptor


def too_late(streams: Mapping[str, Stream]) -> str:
    """Describe by how much deadlines were missed, if the limit is exceeded."""
    summary = read_summary(streams)
    for name, most in LATENESS_LIMITS_MS.items():
        found = summary[name]
        if found is not None and found > most:
            return f"{name.removesuffix('_ms')} is {found:.1f} ms, above {most:g} ms"
    return ""
