"""Runs against servers that are somewhere else: our clients on sockets, in wall-clock time."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from lasthop.adapters.usage import Usage
from lasthop.errors import EnvironmentFailure
from lasthop.results.arrow_stream import arrow_stream
from lasthop.results.part import amended_streams, read_summary
from lasthop.results.schema import PROGRAMS
from lasthop.running.engine import Guest, GuestTrust, NativeEngine
from lasthop.running.live_engine import PROGRAM_WAIT_LIMIT_MS, too_late
from lasthop.running.load_limits import check_limits
from lasthop.study.run_spec import RunSpecReader
from lasthop.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from lasthop.results.part import Stream
    from lasthop.running.engine import Switch
    from lasthop.study.rules.under_load import Targets


class LoadEngine:
    """Clients of ours as an open-loop generator of load.

    Parameters
    ----------
    user, password
        Who all clients say they are, None where they do not.
    targets
        Where the servers are, how clients know them, and who the devices are at a device gateway.
    """

    def __init__(
        self,
        *,
        user: str | None = None,
        password: str | None = None,
        targets: Targets,
    ) -> None:
        self._native = NativeEngine()
        self._user, self._password = user, password
        self._registered = targets.registered
        trust = targets.trust
        names = dict(targets.names)
        self._trust = GuestTrust(trust.roots, trust.presented, trust.keys, names)

    def check(self, specs: Iterable[str]) -> None:
        """Check that the machine has the sockets for the runs.

        Raises
        ------
        EnvironmentFailure
            It has too few descriptors or ports.
        """
        check_limits(RunSpecReader.of(spec) for spec in specs)

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
        """Execute a run. One that was stopped, or was late itself, is marked as invalid."""
        # Two generators at one server have names of their own.
        prefix = f"lasthop/{secrets.token_hex(3)}/"
        guest = Guest(prefix, self._user, self._password, self._registered, self._trust)
        before = Usage.of(os.getpid())
        try:
            streams = self._native.as_guest(guest).simulate(
                spec_json, run_id=run_id, captures=captures, switch=switch, messages=messages
            )
        except OSError as error:
            raise EnvironmentFailure(f"--against {error.strerror or error}") from error
        used = Usage.of(os.getpid()).since(before)
        row = {
            "run_id": run_id,
            "server": "clients",
            "software": "lasthop",
            "version": __version__,
            "attempt": 1,
            "cpu_s": used.cpu_s,
            "run_queue_wait_s": used.waited_s,
            "memory_peak_bytes": used.memory_peak_bytes,
            "voluntary_switches": used.voluntary_switches,
            "involuntary_switches": used.involuntary_switches,
        }
        programs = arrow_stream(PROGRAMS.table([row]))
        streams = {**streams, "programs": programs}
        late = too_late(streams) or _kept_waiting(used)
        if late and read_summary(streams)["status"] == "completed":
            reason = f"the generator was late: {late}"
            return amended_streams(streams, status="invalid", reason=reason)
        return streams


def _kept_waiting(used: Usage) -> str:
    """Say how long the clients waited for a processor, if too long."""
    switches = used.voluntary_switches + used.involuntary_switches
    waited_ms = 1000 * used.waited_s / max(1, switches)
    if waited_ms <= PROGRAM_WAIT_LIMIT_MS:
        return ""
    limit = f"{PROGRAM_WAIT_LIMIT_MS:g} ms"
    return f"it waited {waited_ms:.1f} ms for a processor each time, above {limit}"
