"""Describes the condition of a rule for claims without a published figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.claims.amounts import read_multiple

if TYPE_CHECKING:
    from lasthop.study.claims.form import ReferenceForm, RuleForm

TIMES = "\N{MULTIPLICATION SIGN}"
_SIGNS = {"above": ">", "at_least": ">=", "below": "<", "at_most": "<="}


def in_words(form: RuleForm) -> str:
    """Describe a rule in words."""
    name = form.requirement
    written = getattr(form, name)
    if name.endswith("_first"):
        names = [one if isinstance(one, str) else f"{one.stack} in {one.part}" for one in written]
        text = (" < " if name == "lowest_first" else " > ").join(names)
    else:
        multiple = read_multiple(written) is not None
        words = _words(str(written).replace("*", TIMES)) if multiple else str(written)
        text = words if name == "equals" else f"{_SIGNS[name]} {words}"
    if form.relative_to is not None:
        return f"{text} {TIMES} {_other(form.relative_to)}"
    if form.change_over is not None:
        return f"{text} over {_words(form.change_over)}"
    if form.mean_over is not None:
        return f"{text} on average over {_words(form.mean_over)}"
    return f"peak at {_words(form.peak_over)} {text}" if form.peak_over is not None else text


def _other(form: ReferenceForm) -> str:
    at = (f"{_words(key)} {value}" for key, value in sorted((form.at or {}).items()))
    column = None if form.column is None else _words(form.column)
    pieces = [column, form.stack, form.part, *at]
    return ", ".join(piece for piece in pieces if piece) or "itself"


def _words(key: str) -> str:
    return key.replace(".", " ").replace("_", " ")
