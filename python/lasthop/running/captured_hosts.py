"""Which hosts of a run have their packets kept."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Self

from lasthop.errors import UsageError
from lasthop.study.run_spec import RunSpecReader

if TYPE_CHECKING:
    from lasthop.results.folder import ResultFolder
    from lasthop.study import PlannedRun

FIRST_DEVICES = 10
"""So many devices are captured where none is named, and those of their servers that come along."""


@dataclass(frozen=True, slots=True)
class CapturedHosts:
    """Hosts by name; without names, every server that stays and the first devices."""

    names: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `HOST,..`.

        Examples
        --------
        >>> CapturedHosts.parse("device-3,server-0").names
        ('device-3', 'server-0')
        """
        return cls(tuple(dict.fromkeys(_host(name.strip()) for name in text.split(","))))

    def of(self, spec_json: str) -> tuple[str, ...]:
        """Return those that a run has."""
        there = _Hosts.of(spec_json)
        if not self.names:
            return there.first
        return tuple(name for name in self.names if there.include(name))

    def check(self, specs_json: Iterable[str]) -> None:
        """Refuse hosts that no run has.

        Raises
        ------
        UsageError
            It names the first of them and what there is.
        """
        missing = list(self.names)
        there = _Hosts(devices=0, servers=1)
        for spec_json in specs_json:
            if not missing:
                return
            there = max(there, _Hosts.of(spec_json), key=lambda hosts: hosts.devices or 0)
            missing = [name for name in missing if not _Hosts.of(spec_json).include(name)]
        if missing:
            raise UsageError(f"--capture: no run has {missing[0]}; there is {there}")


def captures_of(
    capture: CapturedHosts | None, run: "PlannedRun", folder: "ResultFolder"
) -> dict[str, Path]:
    """Name the files of the hosts whose packets are kept of a run."""
    hosts = () if capture is None else capture.of(run.spec_json)
    return {host: folder.capture(run.run_id, host) for host in hosts}


@dataclass(frozen=True, slots=True)
class _Hosts:
    """How many hosts a run has; None where they come and go."""

    devices: int | None
    servers: int | None

    @classmethod
    def of(cls, spec_json: str) -> Self:
        run = RunSpecReader.of(spec_json)
        if run.has_arrivals:
            return cls(devices=None, servers=None)
        return cls(devices=run.staying_devices, servers=run.shared_servers)

    @property
    def first(self) -> tuple[str, ...]:
        devices = FIRST_DEVICES if self.devices is None else min(FIRST_DEVICES, self.devices)
        servers = FIRST_DEVICES if self.servers is None else self.servers
        return (
            *(f"device-{number}" for number in range(devices)),
            *(f"server-{number}" for number in range(servers)),
        )

    def include(self, name: str) -> bool:
        kind, _, number = name.partition("-")
        count = self.devices if kind == "device" else self.servers
        return count is None or int(number) < count

    def __str__(self) -> str:
        """Say which there are."""
        if not self.devices:
            return "server-0"
        last = self.devices - 1
        return f"device-0{f' to device-{last}' if last else ''} and server-0"


def _host(name: str) -> str:
    if re.fullmatch(r"(device|server)-(0|[1-9][0-9]{0,8})", name):
        return name
    kind, _, number = name.partition("-")
    near = get_close_matches(kind.lower(), ("device", "server"), n=1)
    if near:
        digits = int(number) if re.fullmatch(r"[0-9]{1,9}", number) else 0
        hint = f'did you mean "{near[0]}-{digits}"?'
    else:
        hint = "write, say, device-3 or device-3,server-0"
    raise UsageError(f'--capture: "{name}" is no host; {hint}')
