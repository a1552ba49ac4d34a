"""Count the false alarms of the gate for brokers: runs of a good broker that an expectation fails.

Every run has a seed of its own, and each is held against the expectations of `examples/broker.yaml`
by itself. Of a broker that keeps its promises none may fail; the bound is that of Clopper and
Pearson (1934) at 95 %, one-sided. Runs that are invalid are told apart: they are no alarm, and no
pass. Virtual runs have our broker; live ones mosquitto, and take as long as the study says.

    .venv/bin/python -m benchmarks.gate_alarms --runs 3000
    .venv/bin/python -m benchmarks.gate_alarms --live --runs 100   (as root)
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from scipy.stats import beta

from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study
from lasthop.study.expressions import parse_expression

if TYPE_CHECKING:
    from lasthop.outcome.results import Results

STUDY = Path(__file__).parent.parent / "examples" / "broker.yaml"
OPTIONS = "max_in_flight=1 keep_alive=2s ping_after=any_silence"
CONFIDENCE = 0.95
PARTS = 2


def main() -> int:
    """Run, count and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=3000, help="of both arms together")
    parser.add_argument("--live", action="store_true", help="mosquitto in place of our broker")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    impl = " impl=mosquitto" if options.live else ""
    arms = {"at_least_once": 1, "exactly_once": 2}
    stacks = ", ".join(f"{name}: mqtt qos={qos} {OPTIONS}{impl}" for name, qos in arms.items())
    settings = [
        ("engine", "live" if options.live else "virtual"),
        ("stacks", f"{{{stacks}}}"),
        ("repeat", str(options.runs // (len(arms) * PARTS))),
    ]
    study = load_study(STUDY, overrides=settings, seed=options.seed)
    with tempfile.TemporaryDirectory() as folder:
        results = carry_out(Plan(study), out=Path(folder, "results")).results
        _print(results, "live, mosquitto" if options.live else "virtual, our broker")
    return 0


def _print(results: Results, world: str) -> None:
    expectations = [parse_expression(text) for text in results.manifest.study["expect"]]
    print("| world | arm | runs | invalid | false alarms | at most, 95 % |")
    print("|---|---|---|---|---|---|")
    for arm in ("at_least_once", "exactly_once", None):
        rows = [row for row in results.runs.to_dicts() if arm in {None, row["stack"]}]
        valid = [row for row in rows if row["status"] == "completed"]
        alarms = sum(any(one.evaluate(row) is False for one in expectations) for row in valid)
        bound = upper_bound(alarms, len(valid))
        cells = [world, arm or "both", str(len(valid)), str(len(rows) - len(valid))]
        print(f"| {' | '.join([*cells, str(alarms), f'{100 * bound:.3f} %'])} |")


def upper_bound(alarms: int, runs: int) -> float:
    """Give the greatest rate at which so few alarms are not rarer than 5 %."""
    if alarms >= runs:
        return 1.0
    return float(beta.ppf(CONFIDENCE, alarms + 1, runs - alarms))


if __name__ == "__main__":
    sys.exit(main())
