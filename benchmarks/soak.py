"""Runs the tests that are long and rarely fail, and writes which passed, in how many seconds.

    python -m benchmarks.soak [--page FILE] [PYTEST ARGUMENTS...]

`benchmarks/soak.md`, without another page, names the build and the kind of machine as well. It is
written after failures too; the exit code is pytest's.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import lasthop
from lasthop.running.processors import available_processors

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "benchmarks/soak.md"

OUTCOMES = ("passed", "failed", "skipped")
_ENDED = {"failure": "failed", "error": "failed", "skipped": "skipped"}

TEXT = """\
# Long tests

Written by `make soak`, which runs what is long, rarely fails and is left out of `make test`.

{tested}: {outcomes}.

| test | outcome | seconds |
|---|---|---:|
{rows}"""


@dataclass(frozen=True, slots=True)
class Test:
    """How a test ended; its seconds include what it had to set up."""

    name: str
    outcome: str
    seconds: float

    def __str__(self) -> str:
        """Return its row of the table."""
        return f"| `{self.name}` | {self.outcome} | {self.seconds:,.0f} |\n"


def tests_of(report: Path) -> Sequence[Test]:
    """Read what a report of pytest, JUnit's XML, says of each test at its last try.

    What was interrupted has no name there, and did not end.
    """
    if not report.exists():
        return []
    ended: dict[tuple[str, str], Test] = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314  # pytest wrote it just now
        outcomes = [_ENDED[part.tag] for part in case if part.tag in _ENDED]
        name, seconds = case.get("name", ""), float(case.get("time", "0"))
        if name:
            test = Test(name, outcomes[0] if outcomes else "passed", seconds)
            ended[case.get("classname", ""), name] = test
    return list(ended.values())


def page(tests: Sequence[Test], tested: str) -> str:
    """Say what was run, on what, and how it ended."""
    counts = {word: sum(test.outcome == word for test in tests) for word in OUTCOMES}
    said = [f"{count} {word}" for word, count in counts.items() if count]
    return TEXT.format(
        tested=tested,
        outcomes=", ".join(said) or "no test ended",
        rows="".join(map(str, tests)),
    )


def build() -> str:
    """Name the version, the commit and whether the working copy differs from it."""
    commit = _git("rev-parse", "--short=12", "HEAD") or "unknown"
    changes = _git("status", "--porcelain", "--", ".", f":!{PAGE.relative_to(ROOT)}")
    return f"lasthop {lasthop.__version__}, commit {commit}{' with changes' if changes else ''}"


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    return done.stdout.strip() if done.returncode == 0 else ""


def machine() -> str:
    """Describe the kind of machine; no name and no path of it."""
    release = ".".join(platform.release().split(".")[:2])
    processors = available_processors()
    return (
        f"{platform.system()} {release}, {platform.machine()}, {processors} "
        f"processor{'s' if processors > 1 else ''}, Python {platform.python_version()}"
    )


def _run(command: Sequence[str]) -> int:
    """Run tests to their end; Ctrl-C, which they have as well, is not the end of the page."""
    with subprocess.Popen(command, cwd=ROOT) as tests:
        while True:
            with suppress(KeyboardInterrupt):
                return tests.wait()


def main() -> int:
    """Run the tests and write the page."""
    parser = argparse.ArgumentParser(description="Run the tests that are long and rarely fail.")
    parser.add_argument("--page", type=Path, default=PAGE, help="where to write what ended how")
    chosen, arguments = parser.parse_known_args()
    tested = f"{build()}, {datetime.now(UTC).date()}; {machine()}"
    with tempfile.TemporaryDirectory(prefix="lasthop-soak-") as folder:
        report = Path(folder) / "soak.xml"
        # Most wait for a clock, or for a program of others.
        workers = [f"--numprocesses={available_processors() + 2}", "--dist=loadfile"]
        chosen_tests = ["-m", "soak and not smoke", *workers, "--no-loadscope-reorder"]
        command = [sys.executable, "-m", "pytest", *chosen_tests, f"--junit-xml={report}"]
        code = _run([*command, *arguments])
        chosen.page.write_text(page(tests_of(report), tested), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
