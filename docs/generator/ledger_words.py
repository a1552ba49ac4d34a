"""The words of the ledger and of failures, read from where Rust declares them."""

from __future__ import annotations

import re
from pathlib import Path

from docs.generator.markdown import code, table

_CONTRACT = Path(__file__).parents[2] / "crates/lasthop_contract/src"

WORDS = {
    "layer": ("provenance.rs", "Layer"),
    "cause": ("provenance.rs", "Cause"),
    "reason to drop": ("link.rs", "DropReason"),
    "reason to discard": ("transport_event.rs", "DiscardReason"),
    "reason to fail": ("message.rs", "FailureReason"),
}
"""The headings of the tables, and the file and the enumeration behind each."""

_VARIANT = re.compile(r"((?:^\s*///.*\n)+)\s*(\w+)(?: = \"(\w+)\")?,$", re.MULTILINE)


def tables() -> str:
    """Write a table for each set of words."""
    return "\n\n".join(
        table([heading, "meaning"], [[code(word), what] for word, what in words(*place)])
        for heading, place in WORDS.items()
    )


def words(file: str, enumeration: str) -> list[tuple[str, str]]:
    """Give each word of an enumeration with what its documentation says.

    Examples
    --------
    >>> words("provenance.rs", "Cause")[0]
    ('payload', 'The first copy of user data.')
    """
    source = (_CONTRACT / file).read_text(encoding="utf-8")
    named = dict(re.findall(r"Self::(\w+) => \"(\w+)\"", _block(source, f"impl {enumeration} ")))
    found = [
        (name or named[variant], " ".join(re.findall(r"/// ?(.*)", comment)))
        for comment, variant, name in _VARIANT.findall(_block(source, f"{enumeration} "))
    ]
    if not found:
        message = f"{file} declares no {enumeration}"
        raise LookupError(message)
    return found


def _block(source: str, start: str) -> str:
    """Give the braces behind some words at the beginning of a line, if they are there."""
    opening = re.search(rf"^(\s*)(?:pub enum )?{start}\{{$", source, re.MULTILINE)
    if opening is None:
        return ""
    rest = source[opening.end() :]
    return rest[: rest.index(f"\n{opening[1].lstrip(chr(10))}}}")]
