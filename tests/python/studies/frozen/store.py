"""The frozen digests in their file: a line for each campaign, table and column."""

import csv
from collections.abc import Mapping
from pathlib import Path

from .columns import Column, Digest

FILE = Path(__file__).with_name("digests.csv")
_HEAD = ("campaign", "table", "column", "rows", "sha256")

Digests = Mapping[Column, Digest]


def read() -> dict[str, dict[Column, Digest]]:
    """Read the digests of every campaign, by its name."""
    frozen: dict[str, dict[Column, Digest]] = {}
    with FILE.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            digest = Digest(int(line["rows"]), line["sha256"])
            frozen.setdefault(line["campaign"], {})[Column(line["table"], line["column"])] = digest
    return frozen


def write(frozen: Mapping[str, Digests]) -> None:
    """Replace the file."""
    with FILE.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(_HEAD)
        for campaign in sorted(frozen):
            for column, digest in sorted(frozen[campaign].items()):
                lines.writerow([campaign, column.table, column.name, digest.rows, digest.sha256])


def movements(frozen: Digests, found: Digests) -> list[str]:
    """Say by table which frozen columns are no longer what they were; new columns are nobody's.

    Examples
    --------
    >>> size, layer = Column("ledger", "bytes"), Column("ledger", "layer")
    >>> movements({size: Digest(2, "1f"), layer: Digest(2, "2f")}, {size: Digest(3, "3f")})
    ['ledger: 2 rows are now 3', 'ledger: moved bytes', 'ledger: missing layer']
    """
    said: dict[str, list[str]] = {}
    for column, was in frozen.items():
        now = found.get(column)
        if now is None:
            said.setdefault(f"{column.table}: missing", []).append(column.name)
        elif now != was:
            if now.rows != was.rows:
                said[f"{column.table}: {was.rows:,} rows are now {now.rows:,}"] = []
            said.setdefault(f"{column.table}: moved", []).append(column.name)
    return [" ".join([what, ", ".join(columns)]).strip() for what, columns in said.items()]
