"""Hold the kernel's TCP against the packet scripts that ours follows in its tests."""

from __future__ import annotations

import argparse
import itertools
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.tcp_against_linux.programs import ROOT
from benchmarks.tcp_against_linux.scripts import kernel
from benchmarks.tcp_against_linux.scripts.script import Line, Script
from benchmarks.tcp_against_linux.scripts.segment import Segment

from lasthop.testbed import missing_requirement

if TYPE_CHECKING:
    from benchmarks.tcp_against_linux.scripts.kernel import Event

SCRIPTS = ROOT / "crates" / "lasthop_transport" / "tests" / "time_lines"

EXIT_OK, EXIT_DIFFERS, EXIT_ENVIRONMENT = 0, 1, 4

_ATTEMPTS = 5
"""On a busy machine the kernel, or the peer, may be late."""

_EARLY, _LATE, _SLACK_S = 0.9, 1.15, 0.012
"""Timers of the kernel are late by up to an eighth, what is done at once by some milliseconds."""


def differences(script: Script, events: list[Event]) -> list[str]:
    """Say what the kernel did otherwise; nothing if it did as the script says."""
    said = [line.essence() for line in script.lines]
    done = [event.line for event in events]
    if said != done:
        place = next(
            (n for n, pair in enumerate(zip(said, done, strict=False)) if pair[0] != pair[1]),
            min(len(said), len(done)),
        )
        wanted = said[place] if place < len(said) else "nothing more"
        found = done[place] if place < len(done) else "nothing more"
        return [f"line {place + 1}: not {wanted!r}, but {found!r}"]
    found_at = [event.at_s for event in events]
    due_at = list(itertools.accumulate(line.gap_s for line in script.lines))
    return [
        f"{line.text!r} came after {(found_at[n] - found_at[n - 1]) * 1e3:.0f} ms, "
        f"not {line.gap_s * 1e3:.0f} ms"
        for n, line in enumerate(script.lines)
        if line.text[0] == ">" and n and not _is_in_time(line, n, due_at, found_at)
    ]


def _is_in_time(line: Line, place: int, due_at: list[float], found_at: list[float]) -> bool:
    """Whether the time since the line before is right.

    A timer that makes data leave again may have started with any line before, and its lateness
    counts from there.
    """
    starts = range(place) if Segment.parse(line.text[2:]).carries else (place - 1,)
    return any(_is_near(due_at[place] - due_at[n], found_at[place] - found_at[n]) for n in starts)


def _is_near(due_s: float, gap_s: float) -> bool:
    return due_s * _EARLY - _SLACK_S <= gap_s <= due_s * _LATE + _SLACK_S


def hold(script: Script) -> tuple[int, list[Event], list[str]]:
    """Play until the kernel does as the script says: attempts, the last time line, differences."""
    attempts = 0
    events: list[Event] = []
    found = ["it was not played"]
    while found and attempts < _ATTEMPTS:
        attempts += 1
        events = kernel.play(script)
        found = differences(script, events)
    return attempts, events, found


def side_by_side(script: Script, events: list[Event]) -> str:
    """Lay the kernel's time line beside that of the script: milliseconds from the start."""
    ours: list[tuple[float, str]] = []
    at_s = 0.0
    for line in script.lines:
        at_s += line.gap_s
        ours.append((at_s, line.essence()))
    text = f"{'ours':>8}{'Linux':>8}\n"
    for said, event in itertools.zip_longest(ours, events):
        left = f"{said[0] * 1e3:8.0f}" if said else " " * 8
        right = f"{event.at_s * 1e3:8.0f}" if event else " " * 8
        what = said[1] if said else ""
        if event is not None and event.line != what:
            what += f"  |  {event.line}"
        text += f"{left}{right}  {what}\n"
    return text


def main() -> int:
    """Play all scripts, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="scripts, all of them by default")
    parser.add_argument("--folder", type=Path, default=SCRIPTS)
    parser.add_argument("--output", type=Path, help="a file for the time lines side by side")
    arguments = parser.parse_args()
    if (what := missing_requirement()) is not None:
        print(f"scripts: the kernel's part needs {what}", file=sys.stderr)
        return EXIT_ENVIRONMENT
    paths = sorted(arguments.folder.glob("*.txt"))
    chosen = [path for path in paths if not arguments.names or path.stem in arguments.names]
    unlike = 0
    written = [f"The kernel is Linux {platform.release().partition('-')[0]}.\n"]
    for path in chosen:
        script = Script.load(path)
        attempts, events, found = hold(script)
        unlike += bool(found)
        verdict = "differs" if found else "alike"
        print(f"{verdict:8}{script.name}" + (f" (attempt {attempts})" if attempts > 1 else ""))
        if found:
            print(side_by_side(script, events), *found, sep="\n")
        written += [f"{script.name}: {verdict}", side_by_side(script, events)]
    print(f"{len(chosen) - unlike} of {len(chosen)} scripts alike")
    if arguments.output is not None:
        arguments.output.write_text("\n".join(written), encoding="utf-8")
    return EXIT_DIFFERS if unlike else EXIT_OK


if __name__ == "__main__":
    sys.exit(main())
