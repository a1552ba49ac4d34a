"""The interface of an engine, which executes one run."""

import json
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from lasthop.errors import LasthopError, UsageError
from lasthop.extensions import Natives
from lasthop.results.arrow_stream import arrow_stream
from lasthop.results.atomic import environment
from lasthop.results.part import Stream
from lasthop.results.schema import PROGRAMS, SIMULATED_TABLES

if TYPE_CHECKING:
    from lasthop.study.registered_devices import Registered
    from lasthop.study.rules.credentials import Credentials
    from lasthop.study.rules.socket_trust import PemPair


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
        self,
        spec_json: str,
        /,
        *,
        run_id: str,
        captures: Mapping[str, Path],
        switch: Switch,
        messages: Path | None = None,
    ) -> Mapping[str, Stream]:
        """Execute a run, with its packets into the file of each captured host.

        Return its Arrow IPC streams by table name. Where it has more messages than fit into memory,
        that of messages is the file `messages`, which the caller removes.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class _Switches:
    """Stops a run, whichever native module it runs in."""

    by_module: Mapping[str, Switch]

    def cancel(self) -> None:
        """Stop the run soon."""
        for switch in self.by_module.values():
            switch.cancel()


@dataclass(frozen=True, slots=True)
class GuestTrust:
    """Credentials of the clients of a load, and the servers and authorities that they trust.

    Attributes
    ----------
    roots
        Certificates of the trusted authorities, in PEM.
    presented
        Certificate that clients present to a server that asks for one.
    keys
        Pre-shared keys of DTLS, one ``identity:key`` a line.
    servers
        Host and authority of each server, by the layers of stacks.
    """

    roots: bytes | None
    presented: "PemPair | None"
    keys: str | None
    servers: Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Guest:
    """How clients identify themselves to servers that are somewhere else.

    Attributes
    ----------
    prefix
        Prefix of the names of clients, and of what they leave at servers.
    registered
        The devices, where the servers are device gateways.
    """

    prefix: str
    user: str | None = None
    password: str | None = None
    registered: "Sequence[Registered]" = field(default=(), repr=False)
    trust: GuestTrust | None = field(default=None, repr=False)


@cache
def _no_programs() -> bytes:
    return arrow_stream(PROGRAMS.empty())


class NativeEngine:
    """The compiled part: simulated hosts on the clock that a spec names."""

    def __init__(self) -> None:
        self._natives = Natives()
        self._devices: Mapping[int, int] = {}
        self._guest: Guest | None = None
        self._credentials: Credentials | None = None

    def beside(self, devices: Mapping[int, int]) -> Self:
        """Give an engine for a run with servers outside: descriptors, by the servers' numbers."""
        engine = copy(self)
        engine._devices = devices  # noqa: SLF001  (of its own kind)
        return engine

    def showing(self, credentials: "Credentials | None") -> Self:
        """Give an engine whose hosts show these, where they do not make their own."""
        engine = copy(self)
        engine._credentials = credentials  # noqa: SLF001  (of its own kind)
        return engine

    def as_guest(self, guest: Guest) -> Self:
        """Give an engine for a run against servers that are somewhere else."""
        engine = copy(self)
        engine._guest = guest  # noqa: SLF001  (of its own kind)
        return engine

    def switch(self) -> Switch:
        """Make what stops one run."""
        return _Switches({native.__name__: native.Cancel() for native in self._natives})

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
        """Execute a run, with its packets into the file of each captured host.

        Return its Arrow IPC streams by table name. Where it has more messages than fit into memory,
        that of messages is the file `messages`, which the caller removes.
        """
        if not isinstance(switch, _Switches):
            raise LasthopError("a run of the compiled part is stopped by its own switch")
        native = self._natives.of(spec_json)
        try:
            tables = native.simulate(
                spec_json,
                run_id=run_id,
                captures={host: str(path) for host, path in captures.items()} or None,
                messages=None if messages is None else str(messages),
                devices=dict(self._devices) or None,
                guest=self._guest,
                credentials=self._credentials and self._credentials.for_runs_of(native),
                cancel=switch.by_module[native.__name__],
            )
        except native.RunCancelled as error:
            raise CancelledError from error
        except native.SpecError as error:
            raise UsageError(f"run {run_id}: {error}") from error
        except native.CaptureError:
            files = [*captures.values(), *([] if messages is None else [messages])]
            with environment(files[0].parent):
                raise
        streams: dict[str, Stream] = {
            name: getattr(tables, name) for name in ("summary", *SIMULATED_TABLES)
        }
        streams["programs"] = _no_programs()
        if messages is not None and not streams["messages"]:
            streams["messages"] = messages
        return streams

    def outside_servers(self, spec_json: str) -> Sequence[Mapping[str, Any]]:
        """Describe the servers of a run that are real software: address and services."""
        servers: list[dict[str, Any]] = json.loads(
            self._natives.of(spec_json).outside_servers(spec_json)
        )
        return servers

    def server_files(self, spec_json: str, server: str) -> tuple[str, str, str, bool, str] | None:
        """Give what a server shows that is real software, as PEM; None where it shows nothing.

        That is its certificates, its key, the roots of both ends, whether its clients show
        certificates, and its name.
        """
        native = self._natives.of(spec_json)
        shown = self._credentials and self._credentials.for_runs_of(native)
        files: tuple[str, str, str, bool, str] | None = native.server_files(
            spec_json, server, shown
        )
        return files
