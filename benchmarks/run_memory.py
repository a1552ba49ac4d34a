"""How much memory one run takes at its peak, by its number of messages.

    python benchmarks/run_memory.py [MESSAGES...]

For each stack and number of messages (100,000 and 1,000,000 without one) a process of its own
simulates a run and prints by how much its peak grew. `lasthop.running.memory` estimates by it.
Nothing is asserted.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from lasthop.running.engine import NativeEngine
from lasthop.running.memory import load_of
from lasthop.running.plan import Plan
from lasthop.study import load_study
from lasthop.study.run_spec import RunSpecReader

STUDY = """\
study: run-memory
duration: {seconds} s
measure: {{drain: 10 s}}
traffic: {{report: 20 B, every: 10 ms}}
path: {{loss: 1 %, delay: 10 ms}}
stacks: ["{stack}"]
repeat: 1
"""
STACKS = ("raw_udp", "mqtt qos=1", "coap")


def peak_bytes() -> int:
    """Return the most memory that this process has had."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024


def measure(stack: str, messages: int) -> str:
    """Simulate one run in this process."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "study.yaml"
        file.write_text(STUDY.format(seconds=messages // 100, stack=stack), encoding="utf-8")
        study = load_study(file)
    run = next(Plan(study).unique())
    engine = NativeEngine()
    before = peak_bytes()
    with tempfile.TemporaryDirectory() as folder:
        engine.simulate(
            run.spec_json,
            run_id=run.run_id,
            captures={},
            switch=engine.switch(),
            messages=Path(folder) / "messages",
        )
    grown = peak_bytes() - before
    foreseen = load_of(RunSpecReader(study.points[0].conditions)).peak_bytes
    return f"{stack:12} {messages:9} messages  {grown / 1e6:6.0f} MB  foreseen {foreseen / 1e6:.0f}"


def main() -> None:
    """Measure each in a process of its own, for a peak never falls."""
    numbers = [int(argument) for argument in sys.argv[1:]] or [100_000, 1_000_000]
    for stack in STACKS:
        for messages in numbers:
            command = [sys.executable, __file__, "--measure", stack, str(messages)]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(measure(sys.argv[2], int(sys.argv[3])))
    else:
        main()
