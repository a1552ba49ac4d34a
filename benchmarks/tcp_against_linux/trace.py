"""Lay the segments of one flow over Linux's TCP beside those of the same flow over ours."""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.tcp_against_linux import grid, kernel
from benchmarks.tcp_against_linux.programs import BenchmarkError, Programs

from lasthop.testbed import missing_requirement

if TYPE_CHECKING:
    from benchmarks.tcp_against_linux.grid import FlowId


def linux(programs: Programs, seed: int, flow: FlowId) -> list[str]:
    """Return the segments of a flow over the kernel's TCP.

    Raises
    ------
    BenchmarkError
        If that cannot be done here.
    """
    if (what := missing_requirement()) is not None:
        raise BenchmarkError(f"the kernel's flows need {what}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "batch"
        cell = grid.cells(programs)[flow[0]]
        batch = kernel.Batch(folder, seed, cell.settings, [flow], trace=True)
        try:
            batch.start(programs)
            while batch.is_running():
                time.sleep(0.1)
        finally:
            batch.close()
        return _segments((folder / "relay.jsonl").read_text(encoding="utf-8"))


def ours(programs: Programs, seed: int, flow: FlowId) -> list[str]:
    """Return the segments of a flow over our TCP."""
    command: list[str | Path] = [programs["virtual_flows"], f"--seed={seed}", "--trace"]
    plan = f"{flow[0]} {flow[1]}\n"
    done = subprocess.run(command, input=plan, capture_output=True, text=True, check=True)
    return _segments(done.stderr)


def _segments(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if " ms " in line]


def main() -> int:
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cell", type=int, help="as the program grid numbers them")
    parser.add_argument("flow", type=int)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    flow = arguments.cell, arguments.flow
    try:
        programs = Programs.build()
        both = linux(programs, arguments.seed, flow), ours(programs, arguments.seed, flow)
    except BenchmarkError as error:
        print(f"tcp_against_linux: {error}", file=sys.stderr)
        return 4
    width = max(map(len, both[0])) + 2
    print(f"{'Linux':{width}}ours")
    for left, right in itertools.zip_longest(*both, fillvalue=""):
        print(f"{left:{width}}{right}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
