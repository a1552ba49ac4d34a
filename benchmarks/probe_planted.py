"""What is planted in the emulator, and what `lasthop probe` finds: a table.

As root: ``python -m benchmarks.probe_planted``. It takes about six minutes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LASTHOP = (sys.executable, "-m", "lasthop")
OPTIONS = ("--longest-idle=20s", "--patience=1s", "--json")

PLANTED: list[dict[str, str]] = [
    {"delay": "5ms"},
    {"delay": "60ms", "loss": "5%", "nat": "udp=12s"},
    {"delay": "20ms", "up": "loss=10%", "mtu": "1300B", "nat": "udp=4s"},
    {"delay": "100ms", "down": "mtu=900B", "loss": "1%", "nat": "udp=8s"},
    {"delay": "200ms", "loss": "20%", "mtu": "700B", "nat": "udp=16s"},
]


def probe(planted: dict[str, str]) -> dict[str, Any]:
    """Run a probe behind a link of the emulator."""
    link = [f"--{key}={value}" for key, value in planted.items()]
    far = " ".join([*LASTHOP, "serve", "probe", "--listen", "{host}:7777"])
    with tempfile.TemporaryDirectory() as folder:
        command = [*LASTHOP, "link", "--late-limit=2s", *link, "--far", far, "--", *LASTHOP]
        command += ["probe", "{host}", f"--out={Path(folder) / 'net'}", *OPTIONS]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def row(planted: dict[str, str], found: dict[str, Any]) -> str:
    """Write a line of the table."""
    loss, mtu, nat, trip = (found[key] for key in ("loss", "mtu", "nat", "round_trip"))
    cells = [
        ", ".join(f"{key} {value}" for key, value in planted.items()),
        f"{trip[0]['minimum_ms']:.1f}; {trip[0]['low_ms']:.1f} to {trip[0]['high_ms']:.1f} ms",
        *(f"{100 * loss[way]['low']:.1f} to {100 * loss[way]['high']:.1f} %" for way in WAYS),
        f"{mtu['up_bytes']} / {mtu['down_bytes']} B",
        "none up to 20 s"
        if nat["dead_s"] is None
        else f"{nat['alive_s']:.2f} to {nat['dead_s']:.2f} s",
    ]
    return f"| {' | '.join(cells)} |"


WAYS = ("up", "down")


def main() -> None:
    """Print the table."""
    print("| planted | round trip: minimum; median | loss up | loss down | MTU up / down | NAT |")
    print("|---|---|---|---|---|---|")
    for planted in PLANTED:
        print(row(planted, probe(planted)), flush=True)


if __name__ == "__main__":
    main()
