"""How long a campaign of many short runs takes to begin, resume and gather, in how much memory.

    python benchmarks/many_runs.py [RUNS...]

For each number of runs (1,000 and 10,000 without one) three processes work on one folder: the
first runs the study, the second finds all of it finished but not in the tables, the third finds
the tables. Each prints the wall time from its start until it knows what is left to run, until the
last run is stored and until it ends, its processor time and its peak memory. Nothing is asserted.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lasthop.results.folder import TABLES, open_folder
from lasthop.results.short_answer import short_answer
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
COLUMNS = ("known", "stored", "ended", "cpu", "memory")


class Watch(Silence):
    """Notes when a campaign knows what is left, and when the last run is stored."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self.known_s = 0.0
        self.stored_s = 0.0

    def began(self, *, total: int, finished_before: int) -> None:  # noqa: ARG002
        """Note that it is known what is left."""
        self.known_s = time.perf_counter() - self.started

    def writing_tables(self, *, rows: int) -> None:  # noqa: ARG002
        """Note that everything is stored."""
        self.stored_s = time.perf_counter() - self.started


def measure(study: Path, out: Path) -> dict[str, float]:
    """Carry out the study in this process."""
    watch = Watch()
    results = carry_out(Plan(load_study(study)), out=out, progress=watch).results
    short_answer(results)
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "known": watch.known_s,
        "stored": watch.stored_s,
        "ended": time.perf_counter() - watch.started,
        "cpu": used.ru_utime + used.ru_stime,
        "memory": used.ru_maxrss / 1024,
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
    print(f"{'runs':>7}  {'':<34}{'known':>9}{'stored':>9}{'ended':>9}{'cpu':>9}{'memory':>10}")
    for runs in map(int, sys.argv[1:] or ("1000", "10000")):
        with tempfile.TemporaryDirectory(prefix="lasthop-many-runs-") as folder:
            study, out = Path(folder) / "study.yaml", Path(folder) / "out"
            study.write_text(STUDY.format(repeat=max(1, runs // POINTS_TIMES_STACKS)))
            show(runs, "first: everything is run", in_a_process(study, out))
            keep_parts_only(study, out)
            show(runs, "second: only the tables are missing", in_a_process(study, out))
            show(runs, "third: nothing is missing", in_a_process(study, out))


def show(runs: int, what: str, measured: dict[str, float]) -> None:
    """Print a line."""
    times = "".join(f"{measured[name]:>7.2f} s" for name in COLUMNS[:-1])
    print(f"{runs:>7}  {what:<34}{times}{measured['memory']:>7.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
