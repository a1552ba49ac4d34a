"""Run an honest client beside each hostile one, on each listener, and print a table.

.venv/bin/python -m benchmarks.hostile --seconds 5 --write benchmarks/hostile_clients.md
"""

from __future__ import annotations

import argparse
import datetime as dt
import sys
import tempfile
from pathlib import Path

from benchmarks.hostile.pairs import ATTACKS, COLUMNS, REST_S, Outcome, run
from benchmarks.hostile.servers import listeners

HEAD = """# Honest clients beside hostile ones

Written by `.venv/bin/python -m benchmarks.hostile --seconds {seconds:g} --write {path}` on {day}.

Each row is {seconds:g} s of one hostile client beside an honest one. The honest client asks, waits
for the answer, and asks again. Halfway through, a further honest client comes. The hostile client
has an address of its own (127.0.0.2). Waits include the work of the hostile client, which runs on
the same processors. Memory is the resident memory of the server's process; *after* is measured up
to {rest:g} s behind the attack. Sessions, retained messages and subscriptions stay, within the
limits of `docs/reference/serve.md`. `tests/python/serve/test_hostile_pairs.py` holds that all
honest clients are served.

"""


def main() -> int:
    """Measure and print or write a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=5.0, help="of each attack (default: 5)")
    parser.add_argument("--only", default="", help="scheme of the one listener to attack")
    parser.add_argument("--write", type=Path, help="Markdown file to write the table to")
    options = parser.parse_args()
    rows = []
    failed = False
    with tempfile.TemporaryDirectory() as folder, listeners(Path(folder)) as found:
        for listener in found:
            if options.only not in {"", listener.scheme}:
                continue
            for name, attack in ATTACKS[listener.scheme].items():
                outcome = run(listener, name, attack, options.seconds)
                rows.append(outcome)
                failed |= bool(outcome.failures)
                sys.stdout.write(f"{line(outcome.row())}\n")
                sys.stdout.flush()
    if options.write is not None:
        options.write.write_text(page(rows, options.seconds, options.write), encoding="utf-8")
    return 1 if failed else 0


def page(rows: list[Outcome], seconds: float, path: Path) -> str:
    """Write the page."""
    day = dt.datetime.now(tz=dt.UTC).date().isoformat()
    table = [line(COLUMNS), line(["---"] * len(COLUMNS)), *(line(it.row()) for it in rows)]
    return HEAD.format(seconds=seconds, path=path, day=day, rest=REST_S) + "\n".join(table) + "\n"


def line(cells: list[str]) -> str:
    """Write a row of Markdown."""
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
