"""Measure how long a request of HTTP takes of the processor in virtual time, both ends together.

One device reports 64 B a second over a perfect link, keeps its connection, and has an answer to
each. What counts is what a run of many requests takes more than one of few, so that the start of
the command, the set-up and the tables are in neither. Versions take turns. Over QUIC packets are
really sealed and opened; HTTP/1.1 and 2 go without TLS. Figures are medians with the smallest and
the largest value.

    .venv/bin/python -m benchmarks.http_work
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.serve_beside_mosquitto import ROOT, say, spread

from lasthop import Results

LASTHOP = str(ROOT / ".venv/bin/lasthop")
STACKS = {"HTTP/1.1": "http", "HTTP/2": "http version=2", "HTTP/3": "http/quic", "MQTT": "mqtt"}
FEW, MANY = 1_000, 21_000

STUDY = """
study: http-work
duration: {requests} s
measure: {{drain: 10 s}}
devices: 1
traffic: {{report: 64 B, every: 1 s}}
stacks: [{stack}]
repeat: 1
"""


def main() -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=5, help="turns of each version")
    options = parser.parse_args()
    figures: dict[str, list[float]] = {name: [] for name in STACKS}
    for _ in range(options.repeat):
        for name, stack in STACKS.items():
            (few, long), (many, longer) = (_run(stack, it) for it in (FEW, MANY))
            figures[name].append((longer - long) * 1e6 / (many - few))
    say("| | µs of CPU a request, both ends |")
    say("|---|---|")
    for name, values in figures.items():
        say(f"| {name} | {spread(values)} |")
        sys.stderr.write(f"{name}: {statistics.median(values):.2f}\n")
    return 0


def _run(stack: str, requests: int) -> tuple[int, float]:
    """Run a study; its messages, and the seconds that it was on a processor."""
    with tempfile.TemporaryDirectory() as folder:
        study, out = Path(folder) / "study.yaml", Path(folder) / "out"
        study.write_text(STUDY.format(requests=requests, stack=stack), encoding="utf-8")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [LASTHOP, "run", str(study), f"--out={out}", "--no-report", "--jobs=1"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            raise RuntimeError(f"{stack}: {done.stderr or done.stdout}")
        (run,) = Results(out).runs.to_dicts()
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return int(run["messages_delivered"]), spent


if __name__ == "__main__":
    sys.exit(main())
