"""Estimates the memory of a study's runs and compares it with this machine."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lasthop.errors import UsageError
from lasthop.study.run_spec import RunSpecReader

if TYPE_CHECKING:
    from lasthop.running.plan import Plan

BYTES_A_RUN = 40 * 10**6
BYTES_A_DEVICE = 6_144
"""Maximum memory of an idle device and its server connection; `benchmarks/memory.md`."""
BYTES_A_MESSAGE = 600
"""Peak memory of a message, including its Arrow row and a third as reserve. 420 B (`mqtt`) to 455 B
(`raw_udp`) were measured at a million messages by `benchmarks/run_memory.py`."""
MOST_MESSAGES = 65_536
"""Maximum number of finished messages in memory. With permanent devices, the rest is in a file."""

ANSWER_BYTES = 200 * 10**6
"""Memory for the tables, the decision and the report at the end. Examples take 150 to 210 MB."""
ANSWER_BYTES_A_ROW = 200

_WORTH_A_WALK_BYTES = 10 * BYTES_A_RUN


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEstimate:
    """Memory of the largest run of a plan.

    Attributes
    ----------
    load
        Load of the largest run.
    at_once
        Number of concurrent runs.
    """

    load: "RunLoad"
    at_once: int

    @property
    def run_bytes(self) -> int:
        """Return the peak memory of the largest run in bytes."""
        return self.load.peak_bytes

    @property
    def total_bytes(self) -> int:
        """Return the peak memory of all concurrent runs, each as large as the largest."""
        return self.run_bytes * self.at_once

    def __str__(self) -> str:
        """Return the estimate as a rounded text."""
        return written(self.total_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLoad:
    """The properties of a run that determine its memory.

    Attributes
    ----------
    messages
        On average, those that have a row; what is only summed is not kept.
    devices
        Those that stay.
    in_files
        Whether messages go to files, all but a few.
    """

    messages: int = 0
    devices: int = 0
    in_files: bool = False

    @property
    def is_mostly_devices(self) -> bool:
        """Return whether devices take more memory than messages."""
        return self.devices * BYTES_A_DEVICE > self._messages_bytes

    def __str__(self) -> str:
        """Return what takes most of the memory: devices or messages."""
        if self.is_mostly_devices:
            return f"{self.devices:,} devices"
        return f"{self.messages:,} messages"

    @property
    def peak_bytes(self) -> int:
        """Return the approximate peak memory of the run."""
        return BYTES_A_RUN + self.devices * BYTES_A_DEVICE + self._messages_bytes

    @property
    def _messages_bytes(self) -> int:
        held = min(self.messages, MOST_MESSAGES) if self.in_files else self.messages
        return held * BYTES_A_MESSAGE


def check_memory(plan: "Plan", *, jobs: int, available_bytes: int | None = None) -> MemoryEstimate:
    """Raise an error if the runs of a plan do not fit into memory.

    Parameters
    ----------
    plan
        What is to be run.
    jobs
        How many runs at a time.
    available_bytes
        What this machine has without it.

    Raises
    ------
    UsageError
        One run, or as many as run at a time, need more than there is.
    """
    estimate = estimate_memory(plan, jobs=jobs)
    available = available_memory() if available_bytes is None else available_bytes
    if available is None or estimate.total_bytes <= available:
        return estimate
    there = f"this machine has {written(available)} available"
    one = f"a run of {estimate.load} needs about {written(estimate.run_bytes)}"
    if estimate.run_bytes > available:
        if estimate.load.is_mostly_devices:
            most = _rounded(max(0, available - BYTES_A_RUN) // BYTES_A_DEVICE)
            raise UsageError(
                f"{one} of memory, but {there}; about {most:,} devices a run fit: "
                "write fewer devices, or simulate a part of them, for example "
                '"simulate: 600"'
            )
        fixed = RunLoad(devices=estimate.load.devices).peak_bytes
        most = _rounded(max(0, available - fixed) // BYTES_A_MESSAGE)
        raise UsageError(
            f"{one} of memory, but {there}; about {most:,} messages a run fit: "
            "write a longer traffic.every, a shorter duration or fewer devices"
        )
    raise UsageError(
        f"{one} of memory and {estimate.at_once} at a time "
        f"{written(estimate.total_bytes)}, but {there}; write --jobs "
        f"{available // estimate.run_bytes}"
    )


def estimate_memory(plan: "Plan", *, jobs: int, in_files: bool = True) -> MemoryEstimate:
    """Estimate the peak memory of a plan's largest run.

    Parameters
    ----------
    in_files
        Whether messages of devices that stay go to files.
    """
    points = (load_of(RunSpecReader(point.conditions), in_files) for point in plan.study.points)
    load, at_once = max(points, key=_peak, default=RunLoad()), min(jobs, plan.planned_runs)
    if not plan.selection.chooses_all and load.peak_bytes > _WORTH_A_WALK_BYTES:
        loads = [load_of(RunSpecReader.of(run.spec_json), in_files) for run in plan.supported()]
        load, at_once = max(loads, key=_peak, default=RunLoad()), min(jobs, len(loads))
    return MemoryEstimate(load=load, at_once=at_once)


def answer_bytes(plan: "Plan") -> int:
    """Estimate the memory for the answer to a plan."""
    return ANSWER_BYTES + plan.row_count * ANSWER_BYTES_A_ROW


def load_of(run: RunSpecReader, in_files: bool = True) -> RunLoad:  # noqa: FBT001, FBT002
    """Return the properties of a run that determine its memory."""
    messages = math.fsum(flow.messages for flow in run.flow_loads()) if run.keeps_messages else 0
    return RunLoad(
        messages=round(messages),
        devices=run.staying_devices,
        in_files=in_files and not run.has_arrivals,
    )


def _peak(load: RunLoad) -> int:
    return load.peak_bytes


def available_memory() -> int | None:
    """Return the memory that this process may still allocate; None if unknown."""
    found = [amount for amount in (_of_the_system(), *_of_control_groups()) if amount is not None]
    return min(found, default=None)


def _of_the_system() -> int | None:
    for line in _lines(Path("/proc/meminfo")):
        name, _, amount = line.partition(":")
        if name == "MemAvailable":
            return int(amount.split()[0]) * 1024
    return None


def _of_control_groups() -> Iterator[int]:
    """Yield the free bytes of each memory-limited control group. Page cache counts as free."""
    for line in _lines(Path("/proc/self/cgroup")):
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            root, limit, anonymous = "/sys/fs/cgroup", "memory.max", "anon"
        elif "memory" in controllers.split(","):
            root, limit, anonymous = "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "rss"
        else:
            continue
        group = Path(root, path.lstrip("/"))
        for folder in (group, *group.parents):
            for most in _lines(folder / limit):
                if most.strip().isdecimal():
                    yield max(0, int(most) - _counted(folder / "memory.stat", anonymous))
            if folder == Path(root):
                break


def _counted(statistics: Path, name: str) -> int:
    lines = (line.split() for line in _lines(statistics))
    return next((int(words[1]) for words in lines if words[:1] == [name]), 0)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def written(amount: int) -> str:
    """Format an amount of memory, rounded."""
    return f"{amount / 1e9:.1f} GB" if amount >= 10**9 else f"{amount / 1e6:.0f} MB"


def _rounded(number: int) -> int:
    unit = int("1".ljust(len(str(number)) - 1, "0"))
    return number // unit * unit
