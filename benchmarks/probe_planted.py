"""What is planted in the emulator, and what `lasthop probe` finds: a table.

As root: ``python -m benchmarks.probe_planted``. It takes about ten minutes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LASTHOP = (sys.executable, "-m", "lasthop")
BURSTS = "{gilbert_elliott: {to_bad: 2 %, to_good: 20 %}}"


@dataclass(frozen=True, slots=True)
class Found:
    """A quantity that was planted."""

    what: str
    planted: float
    low: float
    high: float | None
    unit: str

    def row(self, link: str) -> str:
        """Write a line of the table."""
        inside = self.low <= self.planted and (self.high is None or self.planted <= self.high)
        interval = (
            f"above {self.low:.4g}" if self.high is None else f"{self.low:.4g} to {self.high:.4g}"
        )
        verdict = "yes" if inside else "no"
        cells = [
            link,
            self.what,
            f"{self.planted:g} {self.unit}",
            f"{interval} {self.unit}",
            verdict,
        ]
        return f"| {' | '.join(cells)} |"


@dataclass(frozen=True, slots=True)
class Case:
    """A link, the tests that run on it, and what is to be found."""

    link: tuple[str, ...]
    tests: tuple[str, ...]
    patience: str
    expected: Callable[[Mapping[str, Any]], Sequence[Found]]


def plain(found: Mapping[str, Any]) -> list[Found]:
    """Read a link with a delay, losses that differ, and a NAT."""
    trip, loss, udp, tcp = (found[key] for key in ("round_trip", "loss", "nat", "nat_tcp"))
    return [
        Found("round trip, 60 B", 120, trip[0]["low_ms"], trip[0]["high_ms"], "ms"),
        *(
            Found(f"loss {side}", share, 100 * loss[side]["low"], 100 * loss[side]["high"], "%")
            for side, share in (("up", 5), ("down", 1))
        ),
        Found("UDP timeout", 12, udp["alive_s"], udp["dead_s"], "s"),
        Found("TCP timeout", 15, tcp["alive_s"], tcp["dead_s"], "s"),
    ]


def in_bursts(found: Mapping[str, Any]) -> list[Found]:
    """Read a link with losses in bursts, a rate for each direction, and an MTU."""
    chain, rate, mtu = found["loss"]["up_bursts"], found["rate"], found["mtu"]
    chances = [
        Found(f"{key} up", planted, 100 * chain[key]["low"], 100 * chain[key]["high"], "%")
        for key, planted in (("to_bad", 2), ("to_good", 20))
    ]
    rates = [
        Found(
            f"rate {side}",
            planted,
            rate[side]["low_bits_s"] / 1e3,
            rate[side]["high_bits_s"] / 1e3,
            "kbit/s",
        )
        for side, planted in (("up", 2000), ("down", 64))
    ]
    sizes = [
        Found(f"MTU {side}", planted, mtu[f"{side}_bytes"], mtu[f"{side}_bytes"], "B")
        for side, planted in (("up", 900), ("down", 900))
    ]
    return [*chances, *rates, *sizes]


def asleep(found: Mapping[str, Any]) -> list[Found]:
    """Read an NB-IoT cell that releases connections."""
    rises = found["idle"]["rises"]
    return [Found("inactivity timer", 3, rises["after_s"], rises["until_s"], "s")]


CASES = [
    Case(
        ("--delay=60ms", "--up=loss=5%", "--down=loss=1%", "--nat=udp=12s", "--nat=tcp=15s"),
        ("round_trip", "loss", "mapping", "nat", "nat_tcp"),
        "1s",
        plain,
    ),
    Case(
        (
            "--delay=20ms",
            f"--up=loss={BURSTS}",
            "--up=rate=2Mbit/s",
            "--down=rate=64kbit/s",
            "--mtu=900B",
        ),
        ("loss", "rate", "mtu"),
        "1s",
        in_bursts,
    ),
    Case(("--nbiot=coupling_loss=144dB", "--nbiot=inactivity=3s"), ("idle",), "4s", asleep),
]


def probe(case: Case) -> dict[str, Any]:
    """Run a probe behind a link of the emulator."""
    far = " ".join([*LASTHOP, "serve", "probe", "--listen", "{host}:7777"])
    with tempfile.TemporaryDirectory() as folder:
        command = [*LASTHOP, "link", "--late-limit=2s", *case.link, "--far", far, "--", *LASTHOP]
        command += ["probe", "{host}", f"--out={Path(folder) / 'net'}", "--json"]
        command += ["--longest-idle=20s", f"--patience={case.patience}", "--datagrams=2000"]
        command += [f"--test={test}" for test in case.tests]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print the table."""
    print("| link | what | planted | found (95 % interval or bracket) | inside |")
    print("|---|---|---|---|---|")
    for number, case in enumerate(CASES, start=1):
        for found in case.expected(probe(case)):
            print(found.row(str(number)), flush=True)


if __name__ == "__main__":
    main()
