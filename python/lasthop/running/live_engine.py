"""Runs beside real software: its servers are programs in namespaces, behind our own paths."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from lasthop.adapters import Bindings, Offer, Pressure, ServerProcess
from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.results.atomic import environment
from lasthop.results.part import arrow_stream, failed_streams, read_summary
from lasthop.results.schema import PROGRAMS
from lasthop.running.engine import NativeEngine
from lasthop.running.real_time import real_time
from lasthop.testbed import Namespace, temporary_folder, what_is_missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lasthop.adapters import Adapter
    from lasthop.results.part import Stream
    from lasthop.running.engine import Switch

ATTEMPTS = 3
"""So often is a run done, as long as the machine is too late."""

LATENESS_LIMITS_MS = {"lateness_p99_ms": 10.0, "lateness_max_ms": 100.0}
"""A run whose deadlines were served later than that is none of these paths."""

LOGS = "logs"
"""The folder of what programs print, in that of the results."""

PROGRAM_WAIT_LIMIT_MS = 1.0
"""So long may a program wait for a processor, each time that it has something to do, on average."""

_DEVICE = "lasthop0"


_Row: TypeAlias = dict[str, Any]
"""Of the table of programs."""


@dataclass(frozen=True, slots=True)
class _Server:
    """A server of a run that is real software, and what stands for it here."""

    number: int
    name: str
    software: str
    adapter: Adapter
    program: Path
    version: str
    offer: Offer
    congestion: str | None


class LiveEngine:
    """Hosts of ours on the wall clock, beside programs that adapters or the user name.

    Parameters
    ----------
    bindings
        The user's own builds.
    logs
        The folder of what the programs print, a file a run and server.
    """

    def __init__(self, *, bindings: Bindings | None = None, logs: Path) -> None:
        self._native = NativeEngine()
        self._bindings = bindings or Bindings()
        self._logs = logs
        self._versions: dict[tuple[str, Path], str] = {}

    def check(self, specs: Iterable[str]) -> None:
        """Look for all that runs need before the first of them starts.

        Raises
        ------
        UsageError
            Nobody knows a name, or a program does not serve the protocol.
        EnvironmentFailure
            A program is missing or too old, or namespaces cannot be made here.
        """
        needed = False
        seen: set[tuple[str, ...]] = set()
        for spec in specs:
            for told in self._native.outside_servers(spec):
                needed = True
                key = (told["software"], *(_protocol(service) for service in told["services"]))
                if key not in seen:
                    seen.add(key)
                    self._server(told, Path())
        if needed and (missing := what_is_missing()) is not None:
            message = f"real software needs {missing}; without it, run with --engine virtual"
            raise EnvironmentFailure(message)

    def switch(self) -> Switch:
        """Make what stops one run."""
        return self._native.switch()

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
        """Execute a run, again where the machine was too late; the last attempt counts.

        Raises
        ------
        EnvironmentFailure
            A program does not start, or dies.
        """
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
            late = too_late(streams) or _kept_waiting(rows)
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
        switch: Switch,
        messages: Path | None,
        attempt: int,
    ) -> tuple[Mapping[str, Stream], Sequence[_Row]]:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(temporary_folder()))
            devices: dict[int, int] = {}
            running: list[tuple[_Server, ServerProcess]] = []
            folder.chmod(0o755)  # programs may give up their rights
            for wanted in self._native.outside_servers(spec_json):
                own = folder / str(wanted["number"])
                own.mkdir(mode=0o755)
                server = self._server(wanted, own)
                namespace = stack.enter_context(Namespace())
                devices[server.number] = _join(namespace, server)
                with environment(self._logs):
                    self._logs.mkdir(parents=True, exist_ok=True)
                process = ServerProcess(
                    server.adapter,
                    server.program,
                    server.offer,
                    namespace=namespace,
                    log=self._logs / f"{run_id}-{server.name}.log",
                )
                running.append((server, stack.enter_context(process)))
            try:
                engine, pressure = self._native.beside(devices), Pressure.now()
                with real_time():
                    told = engine.simulate(
                        spec_json,
                        run_id=run_id,
                        captures=captures,
                        switch=switch,
                        messages=messages,
                    )
            except OSError as error:
                for _, process in running:
                    process.check()
                raise EnvironmentFailure(f"run {run_id}: a device failed: {error}") from error
            of_run = {
                "run_id": run_id,
                "attempt": attempt,
                "cpu_pressure": pressure.share(),
            }
            rows = [{**of_run, **_row(server, process)} for server, process in running]
        programs = arrow_stream(pa.Table.from_pylist(rows, schema=PROGRAMS))
        return {**told, "programs": programs}, rows

    def _server(self, told: Mapping[str, Any], folder: Path) -> _Server:
        software, services = told["software"], told["services"]
        if len(services) != 1:
            message = f"{software}: {len(services)} services of {told['name']}; it offers one"
            raise UsageError(message)
        (service,) = services
        adapter, program = self._bindings.resolve(software)
        protocol = _protocol(service)
        if protocol not in adapter.protocols:
            known = ", ".join(sorted(adapter.protocols))
            raise UsageError(f"impl={software}: it serves {known}, and no {protocol}")
        build = (software, program)
        if build not in self._versions:
            self._versions[build] = adapter.version(program)
        options = dict(service["application"]["options"])
        for layer in service["layers"]:
            options |= {f"{layer['name']}.{key}": it for key, it in layer["options"].items()}
        offer = Offer(
            address=told["address"],
            port=service["port"],
            transport=service["layers"][-2]["name"],
            options=options,
            folder=folder,
        )
        return _Server(
            number=told["number"],
            name=told["name"],
            software=software,
            adapter=adapter,
            program=program,
            version=self._versions[build],
            offer=offer,
            congestion=options.get("tcp.congestion"),
        )


def _protocol(service: Mapping[str, Any]) -> str:
    layers = [service["application"], *service["layers"][:-1]]
    return "/".join(layer["name"] for layer in layers)


def _join(namespace: Namespace, server: _Server) -> int:
    """Put a device into a namespace behind which everybody is; return its descriptor."""
    device = namespace.tun(_DEVICE, f"{server.offer.address}/32")
    # By the route, as the sysctl allows what the machine allows to all alone.
    congestion = [] if server.congestion is None else ["congctl", server.congestion]
    namespace.ip("route", "add", "default", "dev", _DEVICE, *congestion)
    return device.descriptor


def too_late(streams: Mapping[str, Stream]) -> str:
    """Say by how much deadlines were missed, if by too much."""
    summary = read_summary(streams)
    for name, most in LATENESS_LIMITS_MS.items():
        found = summary[name]
        if found is not None and found > most:
            return f"{name.removesuffix('_ms')} is {found:.1f} ms, above {most:g} ms"
    return ""


def _kept_waiting(rows: Sequence[_Row]) -> str:
    """Say which program others kept from its processor, if any."""
    for row in rows:
        waited_ms = 1000 * row["run_queue_wait_s"] / max(1, row["voluntary_switches"])
        if waited_ms > PROGRAM_WAIT_LIMIT_MS:
            return (
                f"{row['software']} waited {waited_ms:.1f} ms for a processor each time, "
                f"above {PROGRAM_WAIT_LIMIT_MS:g} ms"
            )
    return ""


def _row(server: _Server, process: ServerProcess) -> _Row:
    used = process.usage()
    return {
        "server": server.name,
        "software": server.software,
        "version": server.version,
        "cpu_s": used.cpu_s,
        "run_queue_wait_s": used.waited_s,
        "memory_peak_bytes": used.memory_peak_bytes,
        "voluntary_switches": used.voluntary_switches,
        "involuntary_switches": used.involuntary_switches,
    }
