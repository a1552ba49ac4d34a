"""Measure the CPU time of a message beside ns-3, and the memory of the parts of a run.

Of an NB-IoT network: the CPU time of a device, and how it grows.

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
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from benchmarks.nbiot_network import NetworkResults, measure_network

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parent.parent
NS3_SOURCE = ROOT / "benchmarks" / "message_pairs" / "pairs_ns3.cc"
NS3_MODULES = ("core", "network", "internet", "point-to-point", "applications", "traffic-control")
NS3_VERSION = "3.37"
NS3_INSTALL = "apt-get install ns3 libns3-dev libgsl-dev g++ pkg-config"

GROWTH_LIMIT = 1.5
FLEET_GROWTH_LIMIT = 3.0
STORM_RATE = 0.92e6
"""Packets a wall second: twice what the first TCP prototype made of 20,000 sessions."""

EXIT_OK, EXIT_FAILED, EXIT_ENVIRONMENT = 0, 1, 4

Record: TypeAlias = dict[str, float | int | str]


class BenchmarkError(Exception):
    """A program that is missing, cannot be built or fails."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many times less CPU a message is to cost than with ns-3 over the same transport."""

    peer: str
    one_pair: float
    many_pairs: float


STACKS: dict[str, Bounds | None] = {
    "raw_udp": Bounds("udp", 5, 10),
    "json_udp": Bounds("udp", 5, 10),
    "coap_non": Bounds("udp", 5, 10),
    "coap_con": None,
    "mqtt_qos0": Bounds("tcp", 10, 15),
    "mqtt_qos1": None,
}
"""What our pairs speak; those without bounds are reported beside the others."""

PEERS = ("udp", "tcp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A number of pairs, and how often which program runs it in a round."""

    name: str
    pairs: int
    rounds: int
    our_repeat: int
    ns3_seconds: Mapping[str, int]
    our_seconds: int = 600
    stacks: tuple[str, ...] = tuple(STACKS)


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


@dataclass(frozen=True, slots=True)
class Workloads:
    """The three workloads: a pair, many pairs, and a fleet for a short time."""

    one: Workload
    many: Workload
    fleet: Workload

    def __iter__(self) -> Iterator[Workload]:
        """Go through them."""
        return iter((self.one, self.many, self.fleet))


def workloads(*, quick: bool) -> Workloads:
    """Return the workloads: each stack of one pair makes over a million packets, quick ones apart.

    At one pair ns-3 runs for longer than ours, so that its start counts for nothing; over TCP and
    at 1,000 pairs it runs for shorter, since it would take minutes.
    """
    rounds, many_rounds = (3, 1) if quick else (7, 3)
    seconds = 60 if quick else 600
    return Workloads(
        one=Workload(
            name="1 pair",
            pairs=1,
            rounds=rounds,
            our_repeat=40 if quick else 60,
            ns3_seconds={"udp": 6000, "tcp": 3000},
        ),
        many=Workload(
            name="1,000 pairs",
            pairs=1000,
            rounds=many_rounds,
            our_repeat=1,
            ns3_seconds={"udp": min(seconds, 300), "tcp": min(seconds, 150)},
            our_seconds=seconds,
        ),
        fleet=Workload(
            name="100,000 pairs",
            pairs=10_000 if quick else 100_000,
            rounds=1,
            our_repeat=1,
            ns3_seconds={},
            our_seconds=10,
            stacks=("coap_non", "mqtt_qos0"),
        ),
    )


def build_ours() -> dict[str, Path]:
    """Build our programs and return where they are, by name."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise BenchmarkError("cargo is missing; install Rust (rustup.rs)")
    command = [cargo, "build", "--profile=dist", "--locked", "-p", "lasthop_benchmarks"]
    built = run([*command, "--message-format=json"], cwd=ROOT)
    messages = [json.loads(line) for line in built.splitlines()]
    return {
        message["target"]["name"]: Path(message["executable"])
        for message in messages
        if message.get("executable")
    }


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
        for stack in workload.stacks:
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
        for protocol, seconds in workload.ns3_seconds.items():
            if ns3 is not None:
                said = run(
                    [
                        str(ns3),
                        f"--protocol={protocol}",
                        f"--pairs={workload.pairs}",
                        f"--seconds={seconds}",
                        f"--seed={1 + turn}",
                    ]
                )
                results.add(workload, f"ns-3 {protocol}", json.loads(said))


def measure_storm(program: Path, rounds: int) -> list[Record]:
    """Let 20,000 devices connect, publish and disconnect, a few times."""
    records: list[Record] = []
    for turn in range(rounds):
        say(f"session storm: round {turn + 1} of {rounds}")
        records.append(json.loads(run([str(program), f"--seed={1 + turn}"])))
    return records


def targets(work: Workloads, results: Results, storm: list[Record]) -> list[Target]:
    """Compare the medians with the targets; those beside ns-3 only where it ran."""
    found: list[Target] = []

    def ratio(text: str, over: Sample | None, under: Sample | None, bound: Target) -> None:
        if over is not None and under is not None:
            found.append(replace(bound, text=text, ratio=over.median / under.median))

    for stack, bounds in STACKS.items():
        one, many, fleet = (results.sample(workload, stack) for workload in work)
        if bounds is not None:
            for workload, ours, bound in (
                (work.one, one, bounds.one_pair),
                (work.many, many, bounds.many_pairs),
            ):
                peer = f"ns-3 {bounds.peer}"
                ratio(
                    f"{stack}, {workload.name}: {peer} / ours",
                    results.sample(workload, peer),
                    ours,
                    Target(text="", ratio=0, bound=bound, at_least=True),
                )
        for workload, sample, bound in (
            (work.many, many, GROWTH_LIMIT),
            (work.fleet, fleet, FLEET_GROWTH_LIMIT),
        ):
            ratio(
                f"{stack}, ours: {workload.name} / {work.one.name}",
                sample,
                one,
                Target(text="", ratio=0, bound=bound, at_least=False),
            )
    if storm:
        rate = statistics.median(float(record["packets_per_wall_s"]) for record in storm)
        text = "session storm, million packets a wall second"
        found.append(Target(text=text, ratio=rate / 1e6, bound=STORM_RATE / 1e6, at_least=True))
    return found


def network_targets(network: NetworkResults) -> list[Target]:
    """Hold what a network's devices cost against its bounds."""
    return [
        Target(text=found.text, ratio=found.value, bound=found.bound, at_least=found.at_least)
        for found in network.findings()
    ]


def print_report(
    work: Workloads, results: Results, storm: list[Record], network: NetworkResults
) -> list[Target]:
    """Print the tables and return the targets."""
    print("CPU time of a message (us): median  [smallest .. largest]")
    for workload in work:
        for who in (*STACKS, *(f"ns-3 {peer}" for peer in PEERS)):
            sample = results.sample(workload, who)
            if sample is None:
                continue
            records = results.records[workload.name, who]
            sent = sum(int(record["messages_sent"]) for record in records)
            peak = max(float(record["peak_rss_mib"]) for record in records)
            print(
                f"  {workload.name:<14} {who:<9} {sample}  "
                f"{len(records)} runs, {sent:,} messages, {peak:.0f} MiB"
            )
            if who in STACKS:
                last = records[-1]
                print(
                    f"  {'':<14} {'':<9} {last['events_per_message']:.2f} events a message, "
                    f"{last['polls_per_event']:.2f} polls an event, "
                    f"{last['events_per_cpu_s']:,.0f} events a CPU second"
                )
    for record in storm:
        print(
            f"  session storm of {record['devices']:,} devices: {record['packets']:,} packets in "
            f"{record['wall_s']:.2f} s ({record['packets_per_wall_s']:,.0f} a second), "
            f"{record['peak_rss_mib']:.0f} MiB"
        )
    print("NB-IoT network")
    network.print()
    found = targets(work, results, storm) + network_targets(network)
    print("\nTargets")
    for target in found:
        sign = "at least" if target.at_least else "at most"
        verdict = "met" if target.is_met else "MISSED"
        print(f"  {target.text:<46} {target.ratio:7.2f}  ({sign} {target.bound:g})  {verdict}")
    print(
        "\nOurs includes setting each run up, the ledger and a record a message; ns-3 is timed from"
        "\nthe start of its event loop, and counts packets only."
    )
    return found


def write_json(
    file: Path,
    results: Results,
    storm: list[Record],
    network: NetworkResults,
    found: list[Target],
) -> None:
    """Write everything that was measured."""
    document = {
        "runs": [
            {"workload": workload, **record}
            for (workload, _), records in results.records.items()
            for record in records
        ],
        "session_storm": storm,
        "nbiot_network": network.records(),
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
        epilog="example: python -m benchmarks.run --quick --json speed.json",
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
    work = workloads(quick=options.quick)
    results = Results()
    try:
        ours = build_ours()
        ns3 = build_ns3(ROOT / "target" / "benchmarks")
        for workload in work:
            measure(workload, ours["message_pairs"], ns3, results)
        storm = measure_storm(ours["session_storm"], work.many.rounds)
        network = measure_network(ours["nbiot_hour"], ours["event_loop"], say, quick=options.quick)
        found = print_report(work, results, storm, network)
        if options.json is not None:
            write_json(options.json, results, storm, network, found)
    except BenchmarkError as error:
        say(f"run.py: {error}")
        return EXIT_ENVIRONMENT
    except OSError as error:
        say(f"run.py: {error.filename}: {error.strerror}")
        return EXIT_ENVIRONMENT
    return EXIT_OK if all(target.is_met for target in found) else EXIT_FAILED


if __name__ == "__main__":
    sys.exit(main())
