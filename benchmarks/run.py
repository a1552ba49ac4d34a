"""Measure the CPU time of a message beside ns-3, and the memory of the parts of a run.

Our program and the ns-3 program take turns (ours, ns-3, ours, ns-3, ...), so that what else the
machine does hits both alike. Figures are medians with the smallest and the largest value; ratios
are ratios of medians.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).resolve().parent.parent
NS3_SOURCE = ROOT / "benchmarks" / "datagram_pairs" / "pairs_ns3.cc"
NS3_MODULES = ("core", "network", "internet", "point-to-point", "applications", "traffic-control")
NS3_VERSION = "3.37"
NS3_INSTALL = "apt-get install ns3 libns3-dev libgsl-dev g++ pkg-config"
STACKS = ("raw_udp", "json_udp")

ONE_PAIR_RATIO = 5.0
MANY_PAIRS_RATIO = 10.0
GROWTH_LIMIT = 1.5

EXIT_OK, EXIT_FAILED, EXIT_ENVIRONMENT = 0, 1, 4

Record: TypeAlias = dict[str, float | int | str]


class BenchmarkError(Exception):
    """A program that is missing, cannot be built or fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A number of pairs, and how often which program runs it in a round."""

    name: str
    pairs: int
    rounds: int
    our_repeat: int
    ns3_seconds: int
    our_seconds: int = 600


@dataclass(frozen=True, slots=True)
class Sample:
    """The CPU time of a message in some runs, in microseconds."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median."""
        return statistics.median(self.values)

    def __str__(self) -> str:
        """Median, smallest and largest value."""
        return f"{self.median:8.2f}  [{min(self.values):.2f} .. {max(self.values):.2f}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A bound on a ratio of two medians."""

    text: str
    ratio: float
    bound: float
    at_least: bool

    @property
    def is_met(self) -> bool:
        """Whether the ratio lies on the right side of the bound."""
        return self.ratio >= self.bound if self.at_least else self.ratio <= self.bound


@dataclass(slots=True)
class Results:
    """What the programs said, by workload and by program or stack."""

    records: dict[tuple[str, str], list[Record]] = field(default_factory=dict)

    def add(self, workload: Workload, who: str, record: Record) -> None:
        """Keep what a program said."""
        self.records.setdefault((workload.name, who), []).append(record)

    def sample(self, workload: Workload, who: str) -> Sample | None:
        """Return the CPU time of a message, if it was measured."""
        records = self.records.get((workload.name, who))
        if not records:
            return None
        return Sample(tuple(float(record["cpu_us_per_message"]) for record in records))


def workloads(*, quick: bool) -> tuple[Workload, Workload]:
    """Return the two workloads: one pair, over a million packets, and 1,000 pairs.

    At one pair ns-3 runs for longer than ours, so that its start counts for nothing.
    """
    if quick:
        return (
            Workload(name="1 pair", pairs=1, rounds=3, our_repeat=40, ns3_seconds=6000),
            Workload(
                name="1,000 pairs",
                pairs=1000,
                rounds=1,
                our_repeat=1,
                ns3_seconds=60,
                our_seconds=60,
            ),
        )
    return (
        Workload(name="1 pair", pairs=1, rounds=7, our_repeat=60, ns3_seconds=6000),
        Workload(name="1,000 pairs", pairs=1000, rounds=3, our_repeat=1, ns3_seconds=600),
    )


def build_ours() -> Path:
    """Build our program and return where it is."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise BenchmarkError("cargo is missing; install Rust (rustup.rs)")
    command = [cargo, "build", "--release", "--locked", "-p", "lasthop_benchmarks"]
    built = run([*command, "--message-format=json"], cwd=ROOT)
    for line in built.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == "datagram_pairs":
            return Path(message["executable"])
    raise BenchmarkError("cargo built no datagram_pairs")


def build_ns3(folder: Path) -> Path | None:
    """Build the ns-3 program and return where it is, or None with a word why it is left out."""
    missing = [name for name in ("g++", "pkg-config") if shutil.which(name) is None]
    if missing:
        say(f"ns-3 is left out: {' and '.join(missing)} missing; {NS3_INSTALL}")
        return None
    modules = [f"ns3-{name}" for name in NS3_MODULES]
    if subprocess.run(["pkg-config", "--exists", *modules], check=False).returncode:
        say(f"ns-3 is left out: it is not installed; {NS3_INSTALL}")
        return None
    version = run(["pkg-config", "--modversion", "ns3-core"]).strip()
    if version != NS3_VERSION:
        say(f"ns-3 {version} is installed; the targets were set beside {NS3_VERSION}")
    flags = run(["pkg-config", "--cflags", "--libs", *modules]).split()
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "pairs_ns3"
    try:
        run(["g++", "-O2", "-std=c++17", str(NS3_SOURCE), "-o", str(program), *flags])
    except BenchmarkError:
        say(f"ns-3 is left out: its program cannot be built; {NS3_INSTALL}")
        return None
    return program


def run(command: list[str], *, cwd: Path | None = None) -> str:
    """Run a program and return what it prints."""
    done = subprocess.run(command, cwd=cwd, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise BenchmarkError(f"{Path(command[0]).name} failed with exit code {done.returncode}")
    return done.stdout


def measure(workload: Workload, ours: Path, ns3: Path | None, results: Results) -> None:
    """Let the programs take turns."""
    for turn in range(workload.rounds):
        say(f"{workload.name}: round {turn + 1} of {workload.rounds}")
        for stack in STACKS:
            said = run(
                [
                    str(ours),
                    f"--stack={stack}",
                    f"--pairs={workload.pairs}",
                    f"--seconds={workload.our_seconds}",
                    f"--repeat={workload.our_repeat}",
                    f"--seed={1 + turn * workload.our_repeat}",
                ]
            )
            results.add(workload, stack, json.loads(said))
        if ns3 is not None:
            said = run(
                [
                    str(ns3),
                    f"--pairs={workload.pairs}",
                    f"--seconds={workload.ns3_seconds}",
                    f"--seed={1 + turn}",
                ]
            )
            results.add(workload, "ns-3", json.loads(said))


def targets(one: Workload, many: Workload, results: Results) -> list[Target]:
    """Compare the medians with the targets; those beside ns-3 only where it ran."""
    found: list[Target] = []
    for stack in STACKS:
        for workload, bound in ((one, ONE_PAIR_RATIO), (many, MANY_PAIRS_RATIO)):
            ours, ns3 = results.sample(workload, stack), results.sample(workload, "ns-3")
            if ours is not None and ns3 is not None:
                found.append(
                    Target(
                        text=f"{stack}, {workload.name}: ns-3 / ours",
                        ratio=ns3.median / ours.median,
                        bound=bound,
                        at_least=True,
                    )
                )
        at_one, at_many = results.sample(one, stack), results.sample(many, stack)
        if at_one is not None and at_many is not None:
            found.append(
                Target(
                    text=f"{stack}, ours: {many.name} / {one.name}",
                    ratio=at_many.median / at_one.median,
                    bound=GROWTH_LIMIT,
                    at_least=False,
                )
            )
    return found


def print_report(pair: tuple[Workload, Workload], results: Results) -> list[Target]:
    """Print the tables and return the targets."""
    print("CPU time of a message (us): median  [smallest .. largest]")
    for workload in pair:
        for who in (*STACKS, "ns-3"):
            sample = results.sample(workload, who)
            if sample is None:
                continue
            records = results.records[workload.name, who]
            sent = sum(int(record["messages_sent"]) for record in records)
            peak = max(float(record["peak_rss_mib"]) for record in records)
            print(
                f"  {workload.name:<12} {who:<9} {sample}  "
                f"{len(records)} runs, {sent:,} messages, {peak:.0f} MiB"
            )
            if who != "ns-3":
                last = records[-1]
                print(
                    f"  {'':<12} {'':<9} {last['events_per_message']:.2f} events a message, "
                    f"{last['polls_per_event']:.2f} polls an event, "
                    f"{last['events_per_cpu_s']:,.0f} events a CPU second"
                )
    found = targets(*pair, results)
    print("\nTargets")
    for target in found:
        sign = "at least" if target.at_least else "at most"
        verdict = "met" if target.is_met else "MISSED"
        print(f"  {target.text:<40} {target.ratio:7.2f}  ({sign} {target.bound:g})  {verdict}")
    print(
        "\nOurs includes setting each run up, the ledger and a record a message; ns-3 is timed from"
        "\nthe start of its event loop, and counts packets only."
    )
    return found


def write_json(file: Path, results: Results, found: list[Target]) -> None:
    """Write everything that was measured."""
    document = {
        "runs": [
            {"workload": workload, **record}
            for (workload, _), records in results.records.items()
            for record in records
        ],
        "targets": [
            {
                "target": target.text,
                "ratio": target.ratio,
                "bound": target.bound,
                "met": target.is_met,
            }
            for target in found
        ],
    }
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def say(text: str) -> None:
    """Tell the user what happens, beside the results."""
    print(text, file=sys.stderr, flush=True)


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="run.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: python benchmarks/run.py --quick --json speed.json",
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer and shorter runs: about a minute"
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="also write all figures to a file"
    )
    return parser.parse_args()


def main() -> int:
    """Build, measure and print; exit with 1 when a target is missed."""
    options = arguments()
    pair = workloads(quick=options.quick)
    results = Results()
    try:
        ours = build_ours()
        ns3 = build_ns3(ROOT / "target" / "benchmarks")
        for workload in pair:
            measure(workload, ours, ns3, results)
        found = print_report(pair, results)
        if options.json is not None:
            write_json(options.json, results, found)
    except BenchmarkError as error:
        say(f"run.py: {error}")
        return EXIT_ENVIRONMENT
    except OSError as error:
        say(f"run.py: {error.filename}: {error.strerror}")
        return EXIT_ENVIRONMENT
    return EXIT_OK if all(target.is_met for target in found) else EXIT_FAILED


if __name__ == "__main__":
    sys.exit(main())
