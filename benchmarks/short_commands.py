"""CPU seconds of short commands: what a user waits for before and after the runs.

`python benchmarks/short_commands.py` prints a table: the least and the median of some rounds, as
all that another process can do is to add. Bytecode is kept from round to round, as where lasthop
is installed; pandas, which Arrow would load, is left out: lasthop does not depend on it.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 7
LASTHOP = Path(sys.executable).parent / "lasthop"
STUDY = """\
study: ten
duration: 20 s
measure: {drain: 10 s}
traffic: {round_trip: 100 B, every: 250 ms}
path: {loss: 10 %, delay: {around: 100 ms, spread: 20 %}}
stacks: [raw_udp, mqtt qos=1]
repeat: 5
decide: {minimise: latency_p50}
"""
COMMANDS = {
    "the version": ("--version",),
    "a study that is refused": ("run", "bad.yaml"),
    "ten short runs, tables alone": ("run", "ten.yaml", "--no-report", "--out", "{fresh}"),
    "ten short runs with the report": ("run", "ten.yaml", "--out", "{fresh}"),
}


WITHOUT_PANDAS = """\
import sys

class NoPandas:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "pandas":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, NoPandas)
"""


def cpu_seconds(folder: Path, *arguments: str) -> float:
    """Run the command; give what its process took of the processors."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder / "start"),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [LASTHOP, *arguments]
    before = os.times()
    done = subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True)
    after = os.times()
    refused = 2 if "bad.yaml" in arguments else 0
    if done.returncode != refused:
        sys.exit(done.stderr.decode())
    return (after.children_user - before.children_user) + (
        after.children_system - before.children_system
    )


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="lasthop-short-") as name:
        folder = Path(name)
        (folder / "ten.yaml").write_text(STUDY, encoding="utf-8")
        (folder / "bad.yaml").write_text("study: bad\nduration: 10\n", encoding="utf-8")
        (folder / "start").mkdir()
        (folder / "start/sitecustomize.py").write_text(WITHOUT_PANDAS, encoding="utf-8")
        print(f"{'command':<34} {'least':>6} {'median':>6}   CPU s of {ROUNDS} rounds")
        for what, arguments in COMMANDS.items():
            seconds = [
                cpu_seconds(folder, *(part.format(fresh=f"out-{place}") for part in arguments))
                for place in range(ROUNDS)
            ]
            print(f"{what:<34} {min(seconds):>6.2f} {statistics.median(seconds):>6.2f}")
            for place in range(ROUNDS):
                subprocess.run(["rm", "-rf", f"out-{place}"], cwd=folder, check=True)


if __name__ == "__main__":
    main()
