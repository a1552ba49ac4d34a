"""How long a campaign takes in threads of one process and on workers of Ray on the same machine.

    python benchmarks/on_ray.py [JOBS...]

The same study with each number of jobs, 1, 2 and 4 without one, by threads and by workers that Ray
starts. Of each is printed the wall time of the command, how much of it had passed when the
first run was stored, and the work: the processor time of all runs together. The tables of all are
compared. Nothing else is asserted.
"""

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from lasthop.results.folder import TABLES
from lasthop.running.processors import available_processors

STUDY = """\
study: on-ray
duration: 40 min
devices: 10
traffic: {report: 60 B, every: 1 s}
path: {loss: 5 %, delay: 100 ms, rate: 50 kbit/s}
stacks: [raw_udp ack=on, mqtt qos=1, coap]
sweep:
  - {name: loss, path.loss: [0 %, 2 %, 5 %]}
repeat: 24
"""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a campaign took, in seconds."""

    wall_s: float
    first_run_s: float
    work_s: float
    digest: str


def measure(folder: Path, *arguments: str) -> Taken:
    """Run the command; watch its folder for the first run that is finished."""
    study, out = folder / "study.yaml", folder / "out"
    study.write_text(STUDY, encoding="utf-8")
    command = [sys.executable, "-m", "lasthop", "run", str(study), "--out", str(out), "--no-report"]
    begun, first = time.perf_counter(), 0.0
    process = subprocess.Popen([*command, *arguments], stdout=subprocess.DEVNULL)
    while process.poll() is None:
        if not first and any((out / "parts").glob("*.part")):
            first = time.perf_counter() - begun
        time.sleep(0.02)
    wall = time.perf_counter() - begun
    if process.returncode != 0:
        sys.exit(process.returncode)
    digest = hashlib.sha256()
    for table in TABLES:
        if table != "timings":
            digest.update((out / f"{table}.parquet").read_bytes())
    work = float(pl.read_parquet(out / "timings.parquet")["cpu_s"].to_numpy().sum())
    return Taken(wall, first, work, digest.hexdigest())


def main() -> None:
    """Measure by threads and on Ray."""
    parser = argparse.ArgumentParser(description="Times of a campaign in threads and on Ray.")
    parser.add_argument("jobs", nargs="*", type=int, default=[1, 2, 4], help="runs at a time")
    chosen = parser.parse_args()
    print(f"{available_processors()} processors")
    print(f"{'':<10}{'jobs':>5}{'wall':>10}{'first run':>12}{'work':>10}")
    digests = set()
    for place, arguments in (("threads", []), ("Ray", ["--on", "ray"])):
        for jobs in chosen.jobs:
            with tempfile.TemporaryDirectory(prefix="lasthop-on-ray-") as folder:
                taken = measure(Path(folder), "--jobs", str(jobs), *arguments)
            digests.add(taken.digest)
            seconds = (taken.wall_s, taken.first_run_s, taken.work_s)
            wall, first, work = (f"{amount:.1f} s" for amount in seconds)
            print(f"{place:<10}{jobs:>5}{wall:>10}{first:>12}{work:>10}", flush=True)
    print("the tables are equal" if len(digests) == 1 else "THE TABLES DIFFER")


if __name__ == "__main__":
    main()
