"""Checks that the stacks, parts and points of a rule exist in the study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.measures.groups import PLACE
from lasthop.study.claims.amounts import read_multiple
from lasthop.study.claims.form import OrderedForm
from lasthop.study.expressions import parse_expression
from lasthop.study.forms.keys import sweepable_keys
from lasthop.study.text.faults import Fault, Location, show, suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lasthop.study.claims.form import RuleForm


def check_rule(
    rule: RuleForm, *, stacks: Sequence[str], parts: Mapping[str, Sequence[str]]
) -> None:
    """Check that the names in a rule exist in the study.

    Parameters
    ----------
    stacks
        The stacks of the study.
    parts
        The parts of the study, and the keys that each of them sweeps.

    Raises
    ------
    Fault
        With the place of a name that the study does not know.
    """
    _check_known(rule.part, parts, "part", ("part",))
    for name in ("stacks", "lowest_first", "highest_first"):
        for place, arm in enumerate(getattr(rule, name) or ()):
            if isinstance(arm, OrderedForm):
                _check_known(arm.stack, stacks, "stack", (name, place, "stack"))
                _check_known(arm.part, parts, "part", (name, place, "part"))
            else:
                _check_known(arm, stacks, "stack", (name, place))
    for part in dict.fromkeys((rule.part, *(arm.part for arm in rule.arms))):
        _check_keys(rule, part, parts[part])
    swept = parts[rule.part]
    try:
        multiple = read_multiple(rule.equals)
    except Fault as fault:
        raise fault.within(("equals",)) from None
    if multiple is not None and multiple[1].key not in swept:
        raise _not_swept(multiple[1].key, rule.part, swept, ("equals",))
    reference = rule.relative_to
    if reference is None:
        return
    if reference.stack is not None:
        _check_known(reference.stack, stacks, "stack", ("relative_to", "stack"))
    part = rule.part if reference.part is None else reference.part
    _check_known(part, parts, "part", ("relative_to", "part"))
    _check_swept(reference.at or (), part, parts[part], ("relative_to", "at"))


def _check_keys(rule: RuleForm, part: str, swept: Sequence[str]) -> None:
    _check_swept(rule.at or (), part, swept, ("at",))
    _check_condition(rule.where, part, swept)
    key = None if rule.along is None else getattr(rule, rule.along)
    if key is not None and key not in swept:
        raise _not_swept(key, part, swept, (str(rule.along),))


def _check_known(name: str, known: Iterable[str], kind: str, location: Location) -> None:
    names = list(known)
    if name not in names:
        raise Fault(
            f"the study has no {kind} {show(name)}",
            hint=suggestion(name, names, kind=f"{kind}s"),
            location=location,
        )


def _check_swept(keys: Iterable[str], part: str, swept: Sequence[str], location: Location) -> None:
    for key in keys:
        if key not in swept:
            fault = _not_swept(key, part, swept, (*location, key))
            raise Fault(fault.what, hint=fault.hint, location=fault.location, at_key=True)


def _check_condition(text: str | None, part: str, swept: Sequence[str]) -> None:
    try:
        columns = [] if text is None else [one.column for one in parse_expression(text).comparisons]
    except Fault as fault:
        raise fault.within(("where",)) from None
    for column in columns:
        if column in PLACE:
            what = f"a claim describes whole runs, and {column} describes a part of one"
            raise Fault(what, hint="write a key that the study sweeps", location=("where",))
        if column in sweepable_keys() and column not in swept:
            raise _not_swept(column, part, swept, ("where",))


def _not_swept(key: str, part: str, swept: Sequence[str], location: Location) -> Fault:
    return Fault(
        f"{key} is not swept in the part {show(part)}",
        hint=suggestion(key, swept, kind="swept keys")
        if swept
        else ("add the key to the sweep of that part, or choose another part"),
        location=location,
    )
