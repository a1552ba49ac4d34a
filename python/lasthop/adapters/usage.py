"""CPU time and memory of a program, from ``/proc``."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROC = Path("/proc")
_NS_PER_S = 1e9
_KIB = 1024


@dataclass(frozen=True, slots=True)
class Usage:
    """CPU time and memory of a process and its child processes.

    Parameters
    ----------
    cpu_s
        CPU time.
    waited_s
        Time in which a thread could run but waited for a processor.
    memory_peak_bytes
        Sum of the peak resident memory of each process.
    voluntary_switches, involuntary_switches
        Number of voluntary and involuntary context switches.
    """

    cpu_s: float = 0.0
    waited_s: float = 0.0
    memory_peak_bytes: int = 0
    voluntary_switches: int = 0
    involuntary_switches: int = 0

    @classmethod
    def of(cls, process: int) -> Self:
        """Read the usage from the kernel. Processes that have ended are not included."""
        cpu_ns = waited_ns = memory = voluntary = involuntary = 0
        for member in _tree(process):
            memory += _field(member / "status", "VmHWM") * _KIB
            for thread in _threads(member):
                with contextlib.suppress(OSError, ValueError):
                    on, waited, _ = map(int, (thread / "schedstat").read_text().split())
                    cpu_ns, waited_ns = cpu_ns + on, waited_ns + waited
                voluntary += _field(thread / "status", "voluntary_ctxt_switches")
                involuntary += _field(thread / "status", "nonvoluntary_ctxt_switches")
        return cls(cpu_ns / _NS_PER_S, waited_ns / _NS_PER_S, memory, voluntary, involuntary)

    def since(self, before: Usage) -> Usage:
        """Return the usage since an earlier measurement. Peak memory is the current peak."""
        return Usage(
            cpu_s=max(0.0, self.cpu_s - before.cpu_s),
            waited_s=max(0.0, self.waited_s - before.waited_s),
            memory_peak_bytes=self.memory_peak_bytes,
            voluntary_switches=max(0, self.voluntary_switches - before.voluntary_switches),
            involuntary_switches=max(0, self.involuntary_switches - before.involuntary_switches),
        )


def threads_of(process: int) -> list[int]:
    """Return the threads of a process and of its child processes."""
    return [int(thread.name) for member in _tree(process) for thread in _threads(member)]


def _tree(process: int) -> Iterator[Path]:
    """Yield the ``/proc`` folders of a process and its descendants."""
    folder = _PROC / str(process)
    yield folder
    for thread in _threads(folder):
        with contextlib.suppress(OSError):
            for child in (thread / "children").read_text().split():
                yield from _tree(int(child))


def _threads(folder: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        return list((folder / "task").iterdir())
    return []


def _field(file: Path, name: str) -> int:
    with contextlib.suppress(OSError):
        for line in file.read_text().splitlines():
            key, _, value = line.partition(":")
            if key == name:
                return int(value.split()[0])
    return 0
