"""What executes one run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from lasthop.compiled import compiled_part
from lasthop.errors import LasthopError, UsageError
from lasthop.results.atomic import environment
from lasthop.results.schema import RUN_TABLES


class Switch(Protocol):
    """Stops a run from another thread."""

    def cancel(self) -> None:
        """Stop the run soon."""
        ...


class CancelledError(Exception):
    """The run was stopped before it ended."""


class Engine(Protocol):
    """Turns a run spec into tables, without holding the interpreter's lock."""

    def switch(self) -> Switch:
        """Make what stops one run."""
        ...

    def simulate(
        self, spec_json: str, /, *, run_id: str, captures: Mapping[str, Path], switch: Switch
    ) -> Mapping[str, bytes]:
        """Execute a run, with its packets into the file of each captured host.

        Return its Arrow IPC streams by table name.
        """
        ...


class VirtualEngine:
    """Simulated hosts on a virtual clock."""

    def __init__(self) -> None:
        with compiled_part():
            from lasthop import _native  # noqa: PLC0415  (its absence is told in one line)
        self._native = _native

    def switch(self) -> Switch:
        """Make what stops one run."""
        return self._native.Cancel()

    def simulate(
        self, spec_json: str, /, *, run_id: str, captures: Mapping[str, Path], switch: Switch
    ) -> Mapping[str, bytes]:
        """Execute a run, with its packets into the file of each captured host.

        Return its Arrow IPC streams by table name.
        """
        native = self._native
        if not isinstance(switch, native.Cancel):
            raise LasthopError("a virtual run is stopped by its own switch")
        try:
            tables = native.simulate(
                spec_json,
                run_id=run_id,
                captures={host: str(path) for host, path in captures.items()} or None,
                cancel=switch,
            )
        except native.RunCancelled as error:
            raise CancelledError from error
        except native.SpecError as error:
            raise UsageError(f"run {run_id}: {error}") from error
        except native.CaptureError:
            with environment(next(iter(captures.values())).parent):
                raise
        return {name: getattr(tables, name) for name in ("summary", *RUN_TABLES)}

    def explain(self, spec_json: str, *, device: int, message: int, flow: str | None = None) -> str:
        """Return the time line of one message, as JSON."""
        return self._native.explain(spec_json, device, message, flow)
