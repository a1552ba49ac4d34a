"""Chooses the hosts whose packets are captured."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Self

from lasthop.errors import UsageError
from lasthop.study.run_spec import RunSpecReader
from lasthop.study.stacks.catalogue import catalogue

if TYPE_CHECKING:
    from lasthop.results.folder import ResultFolder
    from lasthop.study import PlannedRun

FIRST_DEVICES = 10
"""Number of devices that are captured by default, besides their servers."""

FIRST_LIVE_DEVICES = 100
"""Default number of captured devices with real software. Such runs cannot be repeated."""


@dataclass(frozen=True, slots=True)
class CapturedHosts:
    """Selection of hosts to capture, by group or server and number: ``meters-3``.

    Without names, every server that stays and the first devices.
    """

    names: tuple[str, ...] = ()
    keys: bool = False
    """Whether TLS secrets are stored beside the captures."""

    @classmethod
    def parse(cls, text: str, *, keys: bool = False) -> Self:
        """Parse `HOST,..`.

        Examples
        --------
        >>> CapturedHosts.parse("device-3,server-0").names
        ('device-3', 'server-0')
        """
        return cls(tuple(dict.fromkeys(_host(name.strip()) for name in text.split(","))), keys)

    def of(self, spec_json: str) -> tuple[str, ...]:
        """Return the selected hosts that a run has."""
        there = _Hosts.of(spec_json)
        if not self.names:
            return there.first
        return tuple(name for name in self.names if there.include(name))

    def check(self, specs_json: Iterable[str]) -> None:
        """Raise an error for selected hosts that no run has.

        Raises
        ------
        UsageError
            It names the first of them and what there is.
        """
        missing = list(self.names)
        there: _Hosts | None = None
        for spec_json in specs_json:
            if not missing:
                return
            hosts = _Hosts.of(spec_json)
            missing = [name for name in missing if not hosts.include(name)]
            there = hosts if there is None or hosts.count > there.count else there
        if missing:
            hint = "remove it" if there is None else there.nearest(missing[0])
            raise UsageError(f"--capture: no run has the host {missing[0]}; {hint}")


def captures_of(
    capture: CapturedHosts | None, run: "PlannedRun", folder: "ResultFolder"
) -> dict[str, Path]:
    """Return the capture files of a run by host.

    With their secrets, as `keys`, come the events of connections of QUIC, as `HOST.sqlog`.
    """
    if capture is None:
        return {}
    hosts = capture.of(run.spec_json)
    files = {host: folder.capture(run.run_id, host) for host in hosts}
    if not capture.keys:
        return files
    layers = RunSpecReader.of(run.spec_json).layers
    if _has_secrets(layers):
        files["keys"] = folder.keys(run.run_id)
    if "quic" in layers:
        files |= {f"{host}.sqlog": folder.events(run.run_id, host) for host in hosts}
    return files


def _has_secrets(layers: Iterable[str]) -> bool:
    """Return whether a layer of a run has credentials, and therefore session secrets."""
    known = (option for layer in layers for option in catalogue().options_of(layer))
    return any(option.credentials for option in known)


@dataclass(frozen=True, slots=True)
class _Hosts:
    """Numbers of hosts by group or server; None where devices arrive during the run."""

    devices: Mapping[str, int | None]
    servers: Mapping[str, int | None]
    most: int

    @classmethod
    def of(cls, spec_json: str) -> Self:
        run = RunSpecReader.of(spec_json)
        most = FIRST_LIVE_DEVICES if run.is_live else FIRST_DEVICES
        return cls(devices=run.devices_by_group, servers=run.hosts_by_server, most=most)

    @property
    def count(self) -> int:
        """Return the number of permanent hosts."""
        return sum(count or 0 for count in (*self.devices.values(), *self.servers.values()))

    @property
    def first(self) -> tuple[str, ...]:
        devices = [
            f"{group}-{number}"
            for group, count in self.devices.items()
            for number in range(self.most if count is None else min(self.most, count))
        ]
        servers = [
            f"{server}-{number}"
            for server, count in self.servers.items()
            for number in range(FIRST_DEVICES if count is None else count)
        ]
        return (*devices[: self.most], *servers)

    def include(self, name: str) -> bool:
        kind, _, number = name.rpartition("-")
        there = {**self.servers, **self.devices}
        return kind in there and _is_below(int(number), there[kind])

    def nearest(self, name: str) -> str:
        """Suggest the nearest existing host for an unknown name."""
        kind, _, number = name.rpartition("-")
        known = [*self.devices, *self.servers]
        if kind not in known and (near := get_close_matches(kind.lower(), known, n=1)):
            return f'did you mean "{near[0]}-{number}"?'
        return f"write one of {self}"

    def __str__(self) -> str:
        """List the existing hosts."""
        return " and ".join(
            f"{name}-0{f' to {name}-{count - 1}' if count and count > 1 else ''}"
            for name, count in (*self.devices.items(), *self.servers.items())
            if count != 0
        )


def _is_below(number: int, count: int | None) -> bool:
    return count is None or number < count


def _host(name: str) -> str:
    if re.fullmatch(r"[a-z0-9_-]+-(0|[1-9][0-9]{0,8})", name):
        return name
    kind, _, number = name.partition("-")
    if re.fullmatch(r"[A-Za-z0-9_]+", kind):
        digits = int(number) if re.fullmatch(r"[0-9]{1,9}", number) else 0
        hint = f'did you mean "{kind.lower()}-{digits}"?'
    else:
        hint = "write for example device-3 or device-3,server-0"
    raise UsageError(f'--capture: "{name}" is not the name of a host; {hint}')
