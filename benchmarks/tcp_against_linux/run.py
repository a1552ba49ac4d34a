"""Hold our TCP against the kernel's, on the same losses.

The kernel's flows take about half an hour of wall time; what is measured is kept, so that an
interrupted run goes on where it was. Ours run in virtual time, in seconds.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.tcp_against_linux import compare, grid, kernel, ours, writing
from benchmarks.tcp_against_linux.programs import ROOT, BenchmarkError, Programs

from lasthop.testbed import missing_requirement

if TYPE_CHECKING:
    from collections.abc import Sequence

BULK_SHARE = 4
"""One flow of 1 MB where there are so many others: it is hundreds of packets."""

SEEDS = (1, 2)
"""Linux with the one against Linux with the other is the noise floor."""

EXIT_OK, EXIT_DISAGREES, EXIT_ENVIRONMENT = 0, 1, 4
PROGRESS_INTERVAL_S = 10.0


def run_kernel(programs: Programs, folder: Path, cells: Sequence[grid.Cell], flows: int) -> None:
    """Run the kernel's flows that are not there yet.

    Raises
    ------
    BenchmarkError
        If that cannot be done here.
    """
    batches = []
    for seed in SEEDS:
        for settings in sorted({cell.settings for cell in cells}, key=lambda one: one.name):
            place = folder / f"seed-{seed}" / settings.name
            known = kernel.read(place)
            wanted = [
                (cell.cell, flow)
                for cell in cells
                if cell.settings == settings
                for flow in range(flows if cell.workload != "bulk" else max(1, flows // BULK_SHARE))
            ]
            missing = [flow for flow in wanted if flow not in known]
            if missing:
                batches.append(kernel.Batch(kernel.next_folder(place), seed, settings, missing))
    if not batches:
        return
    if (what := missing_requirement()) is not None:
        raise BenchmarkError(f"the kernel's flows need {what}")
    _run(programs, batches)


def _run(programs: Programs, batches: Sequence[kernel.Batch]) -> None:
    total = sum(len(batch.flows) for batch in batches)
    try:
        for batch in batches:
            batch.start(programs)
        shown = 0.0
        while any(batch.is_running() for batch in batches):
            time.sleep(0.5)
            if time.monotonic() - shown > PROGRESS_INTERVAL_S:
                shown = time.monotonic()
                ended = sum(batch.ended() for batch in batches)
                print(f"Linux: {ended} of {total} flows", flush=True)
    finally:
        for batch in batches:
            batch.close()


def read_kernel(folder: Path, seed: int) -> dict[grid.FlowId, grid.Flow]:
    """Return all that is known of the kernel's flows with a seed."""
    places = (folder / f"seed-{seed}").iterdir()
    return {flow: known for place in places for flow, known in kernel.read(place).items()}


def write(arms: compare.Arms, cells: Sequence[grid.Cell], folder: Path) -> bool:
    """Write tables and figures, print the verdict and return it."""
    comparisons = [compare.completions(arms, cell) for cell in cells]
    modelled = [found for found in comparisons if found.cell.is_modelled]
    others = [found for found in comparisons if not found.cell.is_modelled]
    delays = {cell.cell: compare.delays(arms, cell) for cell in cells if cell.writes > 1}
    writing.write_csv(folder / "table.csv", comparisons, delays)
    writing.write_figure(folder / "differences.svg", modelled)
    agreeing = sum(comparison.agrees for comparison in modelled)
    of_writes = [delays[found.cell.cell] for found in modelled if found.cell.cell in delays]
    near = [all(quantile.agrees for quantile in quantiles) for quantiles in of_writes]
    verdict = (
        f"Completion times agree in {agreeing} of {len(modelled)} cells "
        f"({100 * agreeing / len(modelled):.0f} %; "
        f"{100 * compare.SHARE_OF_CELLS:.0f} % are wanted). "
        f"Delays of single writes, where there are several, agree by the same measure in "
        f"{sum(near)} of {len(near)} cells.\n"
    )
    table = writing.table(modelled)
    bbr = f"Linux with BBR beside ours with Cubic, not counted:\n\n{writing.table(others)}"
    print(table)
    print(bbr)
    print(verdict)
    readme = folder / "README.md"
    if readme.exists():
        writing.write_between_marks(readme, f"{verdict}\n{table}\n{bbr}")
    return agreeing >= compare.SHARE_OF_CELLS * len(modelled)


def main() -> int:
    """Measure, compare and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flows", type=int, default=200, help="flows a cell and seed")
    parser.add_argument(
        "--results",
        type=Path,
        default=ROOT / "results" / "tcp_against_linux",
        help="where the kernel's flows are kept",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(__file__).parent,
        help="where the table and the figures go",
    )
    arguments = parser.parse_args()
    try:
        programs = Programs.build()
        cells = grid.cells(programs)
        folder = arguments.results / "linux"
        run_kernel(programs, folder, cells, arguments.flows)
        linux = [read_kernel(folder, seed) for seed in SEEDS]
        found = [
            ours.run(programs, seed, sorted(known))
            for seed, known in zip(SEEDS, linux, strict=True)
        ]
    except BenchmarkError as error:
        print(f"tcp_against_linux: {error}", file=sys.stderr)
        return EXIT_ENVIRONMENT
    agrees = write(compare.Arms(found, linux), cells, arguments.output)
    for place in sorted(folder.glob("*/*")):
        for late in kernel.lateness(place):
            print(f"relay of {place.relative_to(folder)}: {late}")
    return EXIT_OK if agrees else EXIT_DISAGREES


if __name__ == "__main__":
    sys.exit(main())
