"""The command, in a process and a folder of its own."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.python.warm_command import run_warm

_SCRIPT = Path(sys.executable).parent / "lasthop"
COMMAND = (str(_SCRIPT),) if _SCRIPT.exists() else (sys.executable, "-m", "lasthop")

SMALL_STUDY = """\
study: small
title: Two stacks, three losses
duration: 20 s
measure: {drain: 10 s}
traffic: {round_trip: 100 B, every: 250 ms}
path: {loss: 10 %, delay: {around: 100 ms, spread: 20 %}, rate: 6.25 kB/s, queue: 16 kB}
stacks: [raw_udp, json_udp, raw_udp ack=on, mqtt_sn]
sweep:
  - {name: base}
  - {name: loss, path.loss: [0 %, 10 %, 20 %]}
repeat: 3
decide: {minimise: latency_p50, part: base}
"""


@dataclass(frozen=True, slots=True)
class Lasthop:
    """Runs the command in one folder."""

    folder: Path

    def __call__(
        self,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        timeout: float = 600.0,
    ) -> "subprocess.CompletedProcess[str]":
        """Run the command; the installed script, from its start, where the environment is given."""
        if environment is None:
            return run_warm(arguments, folder=cwd or self.folder, timeout=timeout)
        return subprocess.run(
            [*COMMAND, *arguments],
            cwd=cwd or self.folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
            check=False,
        )

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path


@pytest.fixture
def lasthop(tmp_path: Path) -> Lasthop:
    """Return the command, to be run in a fresh folder."""
    return Lasthop(tmp_path)
