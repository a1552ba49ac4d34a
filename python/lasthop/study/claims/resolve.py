"""From the form of a claim to what it means: columns, units, points."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

from lasthop.study.claims.amounts import (
    SweptKey,
    read_amount,
    read_multiple,
    read_percentage,
    read_share,
    read_tolerance,
    swept_key,
)
from lasthop.study.claims.claim import Area, Bound, Claim, Expected, Order, Place, Reference, Rule
from lasthop.study.claims.measurand import Measurand, measurand
from lasthop.study.expressions import TEXT, Comparison, Expression, parse_expression
from lasthop.study.faults import Fault, show
from lasthop.study.quantity import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lasthop.study.claims.form import ClaimForm, ReferenceForm, RuleForm

TIMES = "\N{MULTIPLICATION SIGN}"
Written = TypeVar("Written")
Meaning = TypeVar("Meaning")

DEFAULT_TOLERANCE = "25 %"
"""How far a value may be from the published one where a claim does not say."""

_EXTREMES = ("lowest", "highest")
_COMPARED = re.compile(r"\s*(?P<operator><=|>=|==|!=|<|>)\s*(?P<value>.*)")
_SIGNS = {
    "above": ("above", True, ">"),
    "at_least": ("above", False, ">="),
    "below": ("below", True, "<"),
    "at_most": ("below", False, "<="),
}


def resolve_claim(
    form: ClaimForm, *, paper: str | None, parts: Mapping[str, Sequence[str]]
) -> Claim:
    """Resolve one claim.

    Parameters
    ----------
    parts
        The parts of the study, and the keys that each of them sweeps.

    Raises
    ------
    Fault
        With the place below the claim of what means nothing.
    """
    rules = []
    for place, rule in enumerate(form.rules or ()):
        try:
            rules.append(_rule(rule, parts))
        except Fault as fault:
            raise fault.within(("rules", place)) from None
    texts = dict.fromkeys(rule.text for rule in rules)
    source = ", ".join(filter(None, (paper, form.source)))
    return Claim(
        id=form.id,
        kind=form.kind,
        what=form.what,
        published=form.published or "; ".join(texts),
        source=source or None,
        rules=tuple(rules),
        not_covered=form.not_covered,
    )


def _rule(form: RuleForm, parts: Mapping[str, Sequence[str]]) -> Rule:
    measured = _at("column", measurand, form.column)
    over = form.change_over or form.peak_over
    over_name = "change_over" if form.change_over else "peak_over"
    axis = None if over is None else _at(over_name, _numeric_key, over)
    area = Area(
        part=form.part,
        swept=tuple(parts[form.part]),
        at=_places(form.at),
        where=None if form.where is None else _at("where", _condition, form.where),
    )
    return Rule(
        measurand=measured,
        stacks=tuple(form.stacks or form.lowest_first or reversed(form.highest_first or ())),
        area=area,
        over=None if axis is None else Place(axis.key, axis.columns, axis.unit),
        peak=form.peak_over is not None,
        relative_to=(
            None
            if form.relative_to is None
            else _reference(form.relative_to, measured, area, parts)
        ),
        requirement=_requirement(form, measured, axis),
        any_point=form.holds_at == "any",
        text=_text(form),
    )


def _requirement(
    form: RuleForm, measured: Measurand, axis: SweptKey | None
) -> Expected | Bound | Order:
    name = form.requirement
    written = getattr(form, name)
    if name.endswith("_first"):
        return Order()
    if name == "equals":
        return _expected(form, measured, axis)
    side, strict, _ = _SIGNS[name]
    value, relative = _at(name, lambda value: _bound(value, form, measured, axis), written)
    return Bound(
        side="above" if side == "above" else "below", value=value, strict=strict, relative=relative
    )


def _bound(
    written: object, form: RuleForm, measured: Measurand, axis: SweptKey | None
) -> tuple[float, bool]:
    if form.relative_to is not None:
        return read_share(written, example="1"), True
    if form.change_over is not None:
        if "%" in str(written) or not isinstance(measured.kind, Kind):
            return read_percentage(written, example="2 %"), True
        relative, absolute = read_tolerance(written, measured.kind)
        return (absolute, False) if absolute is not None else (relative or 0.0, True)
    kind = measured.kind if axis is None else axis.kind
    return read_amount(written, kind, example=_example(kind)), False


def _expected(form: RuleForm, measured: Measurand, axis: SweptKey | None) -> Expected:
    written = form.equals
    kind = measured.kind if axis is None else axis.kind
    plain = form.relative_to is None and form.change_over is None
    multiple = _at("equals", read_multiple, written) if plain else None
    key, factor = None, 0.0
    if multiple is not None:
        factor, key = multiple
        if key.kind is not kind:
            raise Fault(
                f"{key.key} is not what {form.column} is measured in",
                hint=f'write "equals: {_example(kind)}"',
                location=("equals",),
            )
    elif plain:
        factor = _at(
            "equals",
            lambda value: read_amount(value, kind, example=_example(kind)),
            written,
        )
    else:
        factor = _at("equals", lambda value: read_share(value, example="2"), written)
    relative, absolute = _at(
        "within",
        lambda value: read_tolerance(value, kind if plain else None),
        DEFAULT_TOLERANCE if form.within is None else form.within,
    )
    return Expected(
        factor=factor,
        key=None if key is None else key.key,
        columns=() if key is None else key.columns,
        relative=relative,
        absolute=absolute,
    )


def _reference(
    form: ReferenceForm, measured: Measurand, area: Area, parts: Mapping[str, Sequence[str]]
) -> Reference:
    part = form.part or area.part
    try:
        return Reference(
            stack=form.stack,
            area=Area(part, tuple(parts[part]), _places(form.at), area.where),
            same_point=form.at is None and part == area.part,
            measurand=measured if form.column is None else _at("column", measurand, form.column),
        )
    except Fault as fault:
        raise fault.within(("relative_to",)) from None


def _places(written: dict[str, Any] | None) -> tuple[Place, ...]:
    places = []
    for key, values in (written or {}).items():
        try:
            places.append(_place(key, values))
        except Fault as fault:
            raise fault.within(("at", key)) from None
    # The extreme is looked for among the points that all other keys have chosen.
    return tuple(sorted(places, key=lambda place: place.extreme is not None))


def _place(key: str, values: object) -> Place:
    swept = swept_key(key)
    if values in _EXTREMES:
        _numeric_key(key)
        return Place(
            key, swept.columns, swept.unit, extreme="lowest" if values == "lowest" else "highest"
        )
    written = values if isinstance(values, list) else [values]
    if not written:
        raise Fault("the list is empty", hint="write at least one value")
    comparisons = tuple(_comparison(swept, value) for value in written)
    return Place(key, swept.columns, swept.unit, comparisons=comparisons)


def _comparison(swept: SweptKey, written: object) -> Comparison:
    if isinstance(written, dict | list) or written is None:
        what = f"{show(written)} is no value of {swept.key}"
        raise Fault(what, hint="write a value, or a list of them")
    text = ("on" if written else "off") if isinstance(written, bool) else str(written)
    found = _COMPARED.fullmatch(text)
    sign, value = (found["operator"], found["value"]) if found else ("==", text)
    if swept.kind == TEXT and sign not in {"==", "!="}:
        raise Fault(f"{swept.key} is text", hint='write a word, or "!= word"')
    return Comparison(
        column=swept.key,
        columns=swept.columns,
        operator=sign,
        value=(
            value
            if swept.kind == TEXT
            else read_amount(value, swept.kind, example=_example(swept.kind))
        ),
        infinite_when_null=False,
    )


def _numeric_key(key: str) -> SweptKey:
    swept = swept_key(key)
    if swept.kind == TEXT:
        raise Fault(f"{key} holds no number", hint="name a key that holds one, as path.loss")
    return swept


def _condition(text: str) -> Expression:
    expression = parse_expression(text)
    if expression.where:
        raise Fault(f'{show(text)} has a "where" of its own', hint='write "delivery_ratio >= 99 %"')
    return expression


def _at(name: str, read: Callable[[Written], Meaning], written: Written) -> Meaning:
    try:
        return read(written)
    except Fault as fault:
        raise fault.within((name,)) from None


def _text(form: RuleForm) -> str:
    name = form.requirement
    written = getattr(form, name)
    if name.endswith("_first"):
        text = (" < " if name == "lowest_first" else " > ").join(written)
    else:
        multiple = read_multiple(written) is not None
        words = _words(str(written).replace("*", TIMES)) if multiple else str(written)
        text = words if name == "equals" else f"{_SIGNS[name][2]} {words}"
    if form.relative_to is not None:
        return f"{text} {TIMES} {_other(form.relative_to)}"
    if form.change_over is not None:
        return f"{text} over {_words(form.change_over)}"
    return f"peak at {_words(form.peak_over)} {text}" if form.peak_over is not None else text


def _other(form: ReferenceForm) -> str:
    at = (f"{_words(key)} {value}" for key, value in sorted((form.at or {}).items()))
    column = None if form.column is None else _words(form.column)
    pieces = [column, form.stack, form.part, *at]
    return ", ".join(piece for piece in pieces if piece) or "itself"


def _words(key: str) -> str:
    return key.replace(".", " ").replace("_", " ")


def _example(kind: Kind | str) -> str:
    if not isinstance(kind, Kind):
        return "76"
    examples = {"fraction": "99 %", "time": "578 ms", "size": "400 B", "rate": "50 kbit/s"}
    return examples.get(kind.name, f"10 {kind.usual}")
