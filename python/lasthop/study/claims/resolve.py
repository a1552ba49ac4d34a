"""Resolves the form of a claim to columns, units and points."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from lasthop.study.claims.amounts import (
    SweptKey,
    example_of,
    read_amount,
    read_multiple,
    read_percentage,
    read_share,
    read_tolerance,
)
from lasthop.study.claims.claim import (
    Area,
    Bound,
    Claim,
    Expected,
    Look,
    Order,
    OrderedArm,
    Place,
    Reference,
    Rule,
    Side,
)
from lasthop.study.claims.measurand import Measurand, measurand
from lasthop.study.claims.places import numeric_key, read_places
from lasthop.study.claims.wording import in_words
from lasthop.study.expressions import Expression, parse_expression
from lasthop.study.fields.quantity import Kind
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lasthop.study.claims.form import ClaimForm, ReferenceForm, RuleForm

Written = TypeVar("Written")
Meaning = TypeVar("Meaning")

DEFAULT_TOLERANCE = "25 %"
"""Default of the accepted distance from the published value."""

_LOOKS: dict[str, Look] = {"change_over": "change", "peak_over": "peak", "mean_over": "mean"}
_SIDES: dict[str, tuple[Side, bool]] = {
    "above": ("above", True),
    "at_least": ("above", False),
    "below": ("below", True),
    "at_most": ("below", False),
}


def resolve_claim(
    form: ClaimForm, *, paper: str | None, parts: Mapping[str, Sequence[str]]
) -> Claim:
    """Convert the form of a claim into a claim with columns and units.

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
        basis="fitted" if form.fitted else "derived" if form.derived else None,
        because=form.fitted or form.derived,
        why=dict(form.why or {}),
    )


def _rule(form: RuleForm, parts: Mapping[str, Sequence[str]]) -> Rule:
    measured = _at("column", measurand, form.column)
    along = form.along
    axis = None if along is None else _at(along, numeric_key, getattr(form, along))
    area = Area(
        part=form.part,
        swept=tuple(parts[form.part]),
        at=read_places(form.at),
        where=None if form.where is None else _at("where", _condition, form.where),
    )
    return Rule(
        measurand=measured,
        stacks=tuple(arm.stack for arm in form.arms),
        area=area,
        over=None if axis is None else Place(axis.key, axis.columns, axis.unit),
        look=None if along is None else _LOOKS[along],
        relative_to=(
            None
            if form.relative_to is None
            else _reference(form.relative_to, measured, area, parts)
        ),
        requirement=_requirement(form, measured, axis, area, parts),
        any_point=form.holds_at == "any",
        text=in_words(form),
    )


def _requirement(
    form: RuleForm,
    measured: Measurand,
    axis: SweptKey | None,
    area: Area,
    parts: Mapping[str, Sequence[str]],
) -> Expected | Bound | Order:
    name = form.requirement
    written = getattr(form, name)
    if name.endswith("_first"):
        return _order(form, area, parts)
    if name == "equals":
        return _expected(form, measured, axis)
    side, strict = _SIDES[name]
    value, relative = _at(name, lambda value: _bound(value, form, measured, axis), written)
    return Bound(side=side, value=value, strict=strict, relative=relative)


def _order(form: RuleForm, area: Area, parts: Mapping[str, Sequence[str]]) -> Order:
    return Order(
        tuple(
            OrderedArm(
                name=arm.stack if arm.part == area.part else f"{arm.stack} in {arm.part}",
                stack=arm.stack,
                area=Area(arm.part, tuple(parts[arm.part]), area.at, area.where),
            )
            for arm in form.arms
        )
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
    kind = _kind_of_value(form, measured, axis)
    return read_amount(written, kind, example=example_of(kind)), False


def _expected(form: RuleForm, measured: Measurand, axis: SweptKey | None) -> Expected:
    written = form.equals
    kind = _kind_of_value(form, measured, axis)
    plain = form.relative_to is None and form.change_over is None
    multiple = _at("equals", read_multiple, written) if plain else None
    key, factor = None, 0.0
    if multiple is not None:
        factor, key = multiple
        if key.kind is not kind:
            raise Fault(
                f"{key.key} and {form.column} have different units",
                hint=f'write "equals: {example_of(kind)}"',
                location=("equals",),
            )
    elif plain:
        factor = _at(
            "equals",
            lambda value: read_amount(value, kind, example=example_of(kind)),
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


def _kind_of_value(form: RuleForm, measured: Measurand, axis: SweptKey | None) -> Kind | str:
    """Return the kind of a rule's value: that of the swept key for a peak, else the column's."""
    return measured.kind if axis is None or form.along == "mean_over" else axis.kind


def _reference(
    form: ReferenceForm, measured: Measurand, area: Area, parts: Mapping[str, Sequence[str]]
) -> Reference:
    part = form.part or area.part
    try:
        return Reference(
            stack=form.stack,
            area=Area(part, tuple(parts[part]), read_places(form.at), area.where),
            same_point=form.at is None and part == area.part,
            measurand=measured if form.column is None else _at("column", measurand, form.column),
        )
    except Fault as fault:
        raise fault.within(("relative_to",)) from None


def _condition(text: str) -> Expression:
    expression = parse_expression(text)
    if expression.where:
        raise Fault(f'{show(text)} must not contain "where"', hint='write "delivery_ratio >= 99 %"')
    return expression


def _at(name: str, read: Callable[[Written], Meaning], written: Written) -> Meaning:
    try:
        return read(written)
    except Fault as fault:
        raise fault.within((name,)) from None
