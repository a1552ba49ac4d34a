"""Plays a scenario to our TCP, in virtual time."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from benchmarks.tcp_against_linux.programs import ROOT, BenchmarkError
from benchmarks.tcp_against_linux.scripts.kernel import KERNEL, PEER, PEER_CLIENT_PORT, PORT
from benchmarks.tcp_against_linux.scripts.script import Line, Script
from benchmarks.tcp_against_linux.scripts.segment import Bases, Segment

if TYPE_CHECKING:
    from pathlib import Path

_PROGRAM = "scripted_tcp"


def build() -> Path:
    """Build the program that plays, if it is not, and return where it is.

    Raises
    ------
    BenchmarkError
        If it cannot be built.
    """
    cargo = shutil.which("cargo")
    if cargo is None:
        raise BenchmarkError("cargo is missing; install Rust (rustup.rs)")
    command = [cargo, "build", "--release", "--locked", "--quiet"]
    command += ["-p", "lasthop_transport", "--example", _PROGRAM]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        raise BenchmarkError(f"cargo cannot build {_PROGRAM}")
    return ROOT / "target" / "release" / "examples" / _PROGRAM


def play(program: Path, scenario: Script) -> Script:
    """Return what the scenario's lines make of our TCP: the same lines and what it does between.

    Raises
    ------
    BenchmarkError
        If the program does not take a line.
    """
    with subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        lines = _Player(process, scenario).play()
    return Script(scenario.name, scenario.settings, tuple(lines))


class _Player:
    def __init__(self, process: subprocess.Popen[str], scenario: Script) -> None:
        self._process = process
        self._scenario = scenario
        self._bases = Bases((PEER, PEER_CLIENT_PORT), (KERNEL, PORT))
        self._lines: list[Line] = []
        self._last_ns = 0

    def play(self) -> list[Line]:
        for name, value in self._scenario.settings.items():
            self._tell(0, f"set {name} {value}".strip())
        now_ns = 0
        for line in self._scenario.lines:
            now_ns += round(line.gap_s * 1e9)
            # What is due before belongs before the line.
            self._tell(now_ns, "wait")
            self._note(now_ns, line.text)
            self._tell(now_ns, self._command(line.text))
        return self._lines

    def _command(self, text: str) -> str:
        what, _, rest = text.partition(" ")
        if what == "<":
            return f"packet {Segment.parse(rest).packet(self._bases).hex()}"
        if what == "listen":
            return f"listen {PORT}"
        if what == "open":
            self._bases.peer = PEER, PORT
            self._bases.clock = None
            return f"open {PEER}:{PORT}/{rest or 0}"
        return text

    def _tell(self, at_ns: int, command: str) -> None:
        sent, got = self._process.stdin, self._process.stdout
        if sent is None or got is None:
            raise BenchmarkError(f"{_PROGRAM} has no pipes")
        sent.write(f"{at_ns} {command}\n")
        while (answer := got.readline().rstrip()) != ".":
            if not answer:
                place = f"{self._scenario.name}: {command[:40]}"
                raise BenchmarkError(f"{place}: {_PROGRAM} ended; see the line above")
            at, mark, said = answer.split(" ", 2)
            if mark == ">":
                said = Segment.read(bytes.fromhex(said), self._bases).text()
            self._note(int(at), f"{mark} {said}")

    def _note(self, at_ns: int, text: str) -> None:
        self._lines.append(Line((at_ns - self._last_ns) / 1e9, text))
        self._last_ns = at_ns
