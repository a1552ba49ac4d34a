"""Hold our TCP against the kernel's: the same scripted peer speaks to both.

Ours plays a scenario in virtual time. What it did is then the script that the kernel is held to.
"""

from __future__ import annotations

import argparse
import platform
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.tcp_against_linux.programs import BenchmarkError
from benchmarks.tcp_against_linux.scripts import ours, run, scenario

from lasthop.testbed import missing_requirement

if TYPE_CHECKING:
    from benchmarks.tcp_against_linux.scripts.scenario import Scenario

EXAMPLES = """
examples:
  python -m benchmarks.tcp_against_linux.scripts.compare
  python -m benchmarks.tcp_against_linux.scripts.compare --topic closing --show
  python -m benchmarks.tcp_against_linux.scripts.compare --rounds 3 --output differences.txt
"""

WANTED_SHARE = 0.95
"""The share of scenarios that must be alike in each round."""

_JOBS = 6
"""Scenarios mostly wait, so several at once do not disturb each other."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a scenario.

    Attributes
    ----------
    scenario
        Which one.
    differences
        What the kernel did otherwise; nothing if the stacks are alike.
    time_lines
        Both time lines, side by side.
    """

    scenario: Scenario
    differences: list[str]
    time_lines: str

    @property
    def is_alike(self) -> bool:
        """Whether both stacks did the same."""
        return not self.differences

    def line(self) -> str:
        """Return one line about it."""
        name = f"{self.scenario.topic}/{self.scenario.script.name}"
        if self.is_alike:
            unexpected = ", though a difference is noted" if self.scenario.difference else ""
            return f"alike   {name}{unexpected}"
        reason = self.scenario.difference or "no reason is known"
        return f"differs {name}: {reason}; {'; '.join(self.differences[:1])}"


def compare(program: Path, one: Scenario) -> Verdict:
    """Play a scenario to both."""
    script = ours.play(program, one.script)
    _, events, found = run.hold(script)
    return Verdict(one, found, run.side_by_side(script, events))


def compare_all(program: Path, chosen: list[Scenario], jobs: int) -> list[Verdict]:
    """Play scenarios, several at once."""
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        return list(pool.map(partial(compare, program), chosen))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="scenarios to play (default: all)")
    parser.add_argument("--topic", help="play the scenarios of one file, for example closing")
    parser.add_argument(
        "--folder", type=Path, default=scenario.FOLDER, help="folder of the scenario files"
    )
    parser.add_argument("--rounds", type=int, default=1, help="how often to play all (default: 1)")
    parser.add_argument(
        "--jobs", type=int, default=_JOBS, help=f"scenarios at a time (default: {_JOBS})"
    )
    parser.add_argument("--show", action="store_true", help="print the time lines that differ")
    parser.add_argument("--output", type=Path, help="file for the time lines of the last round")
    return parser


def main() -> int:
    """Play the chosen scenarios to both stacks, and say which are alike."""
    arguments = _parser().parse_args()
    if (what := missing_requirement()) is not None:
        print(f"compare: the kernel's part needs {what}", file=sys.stderr)
        return run.EXIT_ENVIRONMENT
    try:
        known = scenario.load(arguments.folder)
        program = ours.build()
    except (BenchmarkError, ValueError) as error:
        print(f"compare: {error}", file=sys.stderr)
        return run.EXIT_ENVIRONMENT
    chosen = [
        one
        for one in known
        if arguments.topic in (None, one.topic)
        and (not arguments.names or one.script.name in arguments.names)
    ]
    if not chosen:
        print("compare: no such scenario; give a name or a topic of the folder", file=sys.stderr)
        return run.EXIT_ENVIRONMENT
    is_good = True
    verdicts: list[Verdict] = []
    for _ in range(arguments.rounds):
        verdicts = compare_all(program, chosen, arguments.jobs)
        for verdict in verdicts:
            if not verdict.is_alike or verdict.scenario.difference:
                print(verdict.line())
                if arguments.show:
                    print(verdict.time_lines)
        alike = sum(verdict.is_alike for verdict in verdicts)
        print(f"{alike} of {len(verdicts)} scenarios alike", flush=True)
        is_good &= alike >= WANTED_SHARE * len(verdicts)
    if arguments.output is not None:
        written = [f"The kernel is Linux {platform.release().partition('-')[0]}.\n"]
        for verdict in verdicts:
            written += [verdict.line(), verdict.time_lines]
        arguments.output.write_text("\n".join(written), encoding="utf-8")
    return run.EXIT_OK if is_good else run.EXIT_DIFFERS


if __name__ == "__main__":
    sys.exit(main())
