"""How long the tests of each file took, so that the longest files start first.

`make test` writes what it measured to `target/durations.json`, and `make soak` copies that to
`durations.json` beside this file, which is committed.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMITTED = Path(__file__).with_name("durations.json")


class Durations:
    """Adds up the seconds of every test by its file."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count set-up, call and tear-down."""
        self.seconds[report.nodeid.partition("::")[0]] += report.duration

    def write(self, path: Path) -> None:
        """Write a line a file, in tenths of a second, by name."""
        rows = {name: round(spent, 1) for name, spent in sorted(self.seconds.items())}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rows, indent=0) + "\n", encoding="utf-8")


def longest_first(names: Iterable[str], seconds: dict[str, float]) -> list[str]:
    """Sort files by their seconds, the longest first; a file without an entry counts as longest.

    Examples
    --------
    >>> longest_first(["quick.py", "slow.py", "new.py"], {"quick.py": 1, "slow.py": 60})
    ['new.py', 'slow.py', 'quick.py']
    """
    return sorted(set(names), key=lambda name: (-seconds.get(name, float("inf")), name))


def sort_longest_first(items: list[pytest.Item]) -> None:
    """Sort tests by their files; the order within a file stays.

    A file with a test that has a time limit of its own counts as taking that long.
    """
    seconds = json.loads(COMMITTED.read_text(encoding="utf-8"))
    files = [item.nodeid.partition("::")[0] for item in items]
    for name, item in zip(files, items, strict=True):
        if name in seconds and (limit := item.get_closest_marker("timeout")):
            seconds[name] = max(seconds[name], limit.args[0])
    place = {name: number for number, name in enumerate(longest_first(files, seconds))}
    items.sort(key=lambda item: place[item.nodeid.partition("::")[0]])
