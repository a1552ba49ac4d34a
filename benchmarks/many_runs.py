"""How long a campaign of many short runs takes to begin, resume and gather, in how much memory.

    python benchmarks/many_runs.py [RUNS...]

For each number of runs (1,000 and 10,000 without one) three processes work on one folder: the
first runs the study, the second finds all of it finished but not in the tables, the third finds
the tables. Of each is printed the wall time and the processor time from its start until it knows
what is left to run, the same until it has said the answer, and its peak memory; in the end by how
much the first one's peak grows with a thousand runs. Nothing is asserted.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lasthop.outcome.short_answer import short_answer
from lasthop.results.folder import TABLES, open_folder
from lasthop.results.unpacking import unpack
from lasthop.running.plan import Plan
from lasthop.running.progress import Silence
from lasthop.running.run import announce, carry_out
from lasthop.study import load_study

STUDY = """\
study: many-runs
duration: 1 s
measure: {{drain: 1 s}}
traffic: {{report: 40 B, every: 250 ms}}
path: {{loss: 10 %, delay: 20 ms}}
stacks: [raw_udp, raw_udp ack=on ack_timeout=200ms]
sweep:
  - {{name: grid, path.loss: [0 %, 5 %, 10 %, 15 %, 20 %], path.delay: [10 ms, 20 ms]}}
repeat: {repeat}
decide: {{minimise: latency_p95, require: ["delivery_ratio >= 50 %"]}}
"""
POINTS_TIMES_STACKS = 20


class Watch(Silence):
    """Notes when a campaign knows what is left."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self.known = (0.0, 0.0)

    def began(self, *, total: int, finished_before: int) -> None:  # noqa: ARG002
        """Note that it is known what is left."""
        self.known = self.now()

    def now(self) -> tuple[float, float]:
        """Return wall and processor time since the start; imports count for the processor."""
        return time.perf_counter() - self.started, time.process_time()


def measure(study: Path, out: Path) -> dict[str, float]:
    """Carry out the study in this process and answer its question."""
    watch = Watch()
    results = carry_out(Plan(load_study(study)), out=out, progress=watch).results
    short_answer(results)
    wall, cpu = watch.now()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    known_wall, known_cpu = watch.known
    return {
        "known_wall": known_wall,
        "known_cpu": known_cpu,
        "wall": wall,
        "cpu": cpu,
        "memory": memory,
    }


def in_a_process(study: Path, out: Path) -> dict[str, float]:
    """Carry out the study in a process of its own."""
    command = [sys.executable, __file__, "--measure", str(study), str(out)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def keep_parts_only(study: Path, out: Path) -> None:
    """Make a finished folder one that was stopped before its tables were written."""
    with open_folder(out, announce(Plan(load_study(study)))) as folder:
        unpack(folder)
        folder.manifest.ended("running", {}).write(out)
        for table in TABLES:
            folder.table(table).unlink()


def main() -> None:
    """Measure every number of runs."""
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(*map(Path, sys.argv[2:4]))))
        return
    columns = ("known, wall", "known, cpu", "ended, wall", "ended, cpu", "peak memory")
    print(f"{'runs':>7}  {'':<34}" + "".join(f"{column:>13}" for column in columns))
    peaks: dict[int, float] = {}
    for runs in map(int, sys.argv[1:] or ("1000", "10000")):
        with tempfile.TemporaryDirectory(prefix="lasthop-many-runs-") as folder:
            study, out = Path(folder) / "study.yaml", Path(folder) / "out"
            study.write_text(STUDY.format(repeat=max(1, runs // POINTS_TIMES_STACKS)))
            first = in_a_process(study, out)
            peaks[runs] = first["memory"]
            show(runs, "first: everything is run", first)
            keep_parts_only(study, out)
            show(runs, "second: only the tables are missing", in_a_process(study, out))
            show(runs, "third: nothing is missing", in_a_process(study, out))
    few, many = min(peaks), max(peaks)
    if few < many:
        growth = 1000 * (peaks[many] - peaks[few]) / (many - few)
        print(f"peak memory grows by {growth:.1f} MiB in a thousand runs")


def show(runs: int, what: str, measured: dict[str, float]) -> None:
    """Print a line."""
    times = [measured[name] for name in ("known_wall", "known_cpu", "wall", "cpu")]
    written = "".join(f"{seconds:>11.2f} s" for seconds in times)
    print(f"{runs:>7}  {what:<34}{written}{measured['memory']:>9.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
