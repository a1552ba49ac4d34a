"""Scenarios: what a peer sends and what our side calls. What follows is for the stacks to say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.tcp_against_linux.scripts.script import Script

FOLDER = Path(__file__).parent / "scenarios"

_HANDSHAKES = {
    "accepted": (
        "+0 listen",
        "+0 < S 0:0(0) win 64000 <mss 1000,sackOK>",
        "+0.1 < . 1:1(0) ack 1 win 64000",
    ),
    "accepted_without_sack": (
        "+0 listen",
        "+0 < S 0:0(0) win 64000 <mss 1000>",
        "+0.1 < . 1:1(0) ack 1 win 64000",
    ),
    "opened": (
        "+0 open",
        "+0.1 < S. 0:0(0) ack 1 win 64000 <mss 1000,sackOK>",
    ),
    "opened_without_sack": (
        "+0 open",
        "+0.1 < S. 0:0(0) ack 1 win 64000 <mss 1000>",
    ),
}
"""What one word at the beginning of a scenario stands for."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario and its place.

    Attributes
    ----------
    topic
        The name of its file.
    script
        Its lines: segments of the peer, and calls.
    difference
        Why the two stacks differ, where that is known and left.
    """

    topic: str
    script: Script
    difference: str | None


def load(folder: Path = FOLDER) -> list[Scenario]:
    """Read the scenarios of all files, in the order of their names.

    Raises
    ------
    ValueError
        If a line is none, or two scenarios have one name.
    """
    found: list[Scenario] = []
    for path in sorted(folder.glob("*.txt")):
        found += _read(path)
    names = [scenario.script.name for scenario in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{folder}: two scenarios are called {twice[0]}; rename one")
    return found


def _read(path: Path) -> list[Scenario]:
    blocks: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if text.startswith("= "):
            lines = blocks.setdefault(text[2:].strip(), [])
            if lines:
                raise ValueError(f"{path}:{number}: {text[2:]} is there already; rename it")
        elif text.strip() and not text.startswith("#"):
            if lines is None:
                raise ValueError(f"{path}:{number}: write `= NAME` before the first line")
            lines.append(text.strip())
    return [_scenario(path, name, lines) for name, lines in blocks.items()]


def _scenario(path: Path, name: str, lines: list[str]) -> Scenario:
    reasons = [line.partition(" ")[2] for line in lines if line.startswith("differs ")]
    played: list[str] = []
    for line in lines:
        if not line.startswith("differs "):
            played += _HANDSHAKES.get(line, (line,))
    try:
        script = Script.parse(name, "\n".join(played))
    except ValueError as error:
        raise ValueError(f"{path}: {name}: {error}") from error
    return Scenario(path.stem, script, reasons[0] if reasons else None)
