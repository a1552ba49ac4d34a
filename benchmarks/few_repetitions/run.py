"""Measure how often comparisons are right and wrong, and write the tables in Markdown.

    python -m benchmarks.few_repetitions.run [SAMPLES]

Every rate is that of so many samples (3,000 without a number; about ten minutes), of a fifth of
them where whole folders are compared, drawn with a fixed seed and judged by the functions that
judge a study. Beside each in brackets stands what the simulation found that the rule was chosen
by. The standard error of a rate of 5 % is 0.4 points with 3,000 samples, of one of 50 % 0.9
points; "worst" picks the largest of many.
"""

import sys

from benchmarks.few_repetitions.tables import Row, Table, tables


def main() -> None:
    """Print every table as soon as it is measured."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    for table in tables(samples):
        print(_markdown(table), flush=True)


def _markdown(table: Table) -> str:
    head = ["%", *table.columns]
    lines = [f"**{table.title}**", "", _line(head), _line(["---", *["---:"] * len(table.columns)])]
    return "\n".join([*lines, *(_line(_cells(row, len(table.columns))) for row in table.rows), ""])


def _cells(row: Row, columns: int) -> list[str]:
    cells = [
        f"{found:.3g}" + (f" ({expected})" if expected != "" else "")
        for found, expected in zip(row.found, row.expected, strict=True)
    ]
    return [row.what, *cells, *[""] * (columns - len(cells))]


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
