"""Runs flows over our TCP, in virtual time."""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from benchmarks.tcp_against_linux.grid import PATIENCE_S, Flow, FlowId

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.tcp_against_linux.programs import Programs


def run(programs: Programs, seed: int, flows: Sequence[FlowId]) -> dict[FlowId, Flow]:
    """Run flows with this seed, on all processors."""
    count = os.cpu_count() or 1
    with ThreadPoolExecutor(count) as pool:
        parts = [flows[start::count] for start in range(count)]
        found = pool.map(lambda part: _run(programs, seed, part), parts)
        return {flow: known for part in found for flow, known in part.items()}


def _run(programs: Programs, seed: int, flows: Sequence[FlowId]) -> dict[FlowId, Flow]:
    command: list[str | Path] = [
        programs["virtual_flows"],
        f"--seed={seed}",
        f"--patience-s={PATIENCE_S}",
    ]
    plan = "".join(f"{cell} {flow}\n" for cell, flow in flows)
    done = subprocess.run(command, input=plan, stdout=subprocess.PIPE, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {(line["cell"], line["flow"]): Flow.of(line, line["arrivals_ns"]) for line in lines}
