"""The hints of an answer: when each is given."""

from __future__ import annotations

from docs.generator.markdown import code, table
from lasthop.answer.hints import HINTS


def hints() -> str:
    """Write a row for each hint."""
    return table(["hint", "given where"], [[code(hint.name), hint.about] for hint in HINTS])
