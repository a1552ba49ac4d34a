"""Tables and code in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def code(text: str) -> str:
    """Write code within a line.

    Examples
    --------
    >>> code("path.loss")
    '`path.loss`'
    """
    return f"`{text}`"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Write a table.

    Examples
    --------
    >>> print(table(["key", "words"], [["ack", "on|off"]]))
    | key | words |
    |---|---|
    | ack | on\|off |
    """
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(_row(line) for line in lines)


def _row(cells: Sequence[str]) -> str:
    if all(cell == "---" for cell in cells):
        return "|" + "|".join(cells) + "|"
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def sentence(text: str) -> str:
    """Give a phrase a capital letter and a full stop.

    Examples
    --------
    >>> sentence("quality of service"), sentence("0-RTT data")
    ('Quality of service.', '0-RTT data.')
    """
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
