"""Requirements in words: ``battery_years >= 15 where stratum == '164 dB'`` as a person says it."""

import re

from lasthop.measures.groups import PLACE
from lasthop.study.expressions import COMPARABLE, Comparison, Expression, parse_expression

_RELATIONS = {
    ">=": "at least",
    "<=": "at most",
    ">": "more than",
    "<": "less than",
    "==": "exactly",
    "!=": "anything but",
}


def in_words(requirement: str) -> str:
    """Write a requirement as a noun with its bound.

    Examples
    --------
    >>> print(in_words("delivery_ratio >= 99 %"))
    share of messages delivered of at least 99 %
    >>> print(in_words("battery_years >= 15 where stratum == '164 dB'"))
    battery life of at least 15 years in stratum 164 dB
    >>> print(in_words("messages_duplicated == 0 where part == 'calm' and path.loss > 10 %"))
    no messages duplicated in part calm where path.loss is more than 10 %
    """
    expression = parse_expression(requirement)
    claim, conditions = expression.comparison, conditions_of(expression)
    if claim.operator == "==" and claim.value == 0 and _is_count(claim):
        return f"no {name_of(claim)}{conditions}"
    return f"{name_of(claim)} of {bound_of(claim)}{conditions}"


def name_of(comparison: Comparison) -> str:
    """Write the name of what is compared, without its unit."""
    known = COMPARABLE.get(comparison.column)
    return known.label if known is not None else comparison.column


def bound_of(comparison: Comparison) -> str:
    """Write the relation and the value: ``at most 5 s``."""
    return f"{_RELATIONS[comparison.operator]} {_value(comparison)}"


def missed_in_words(requirement: str, figure: str) -> str:
    """Write by how much a requirement is missed.

    Examples
    --------
    >>> print(missed_in_words("delivery_ratio >= 99 %", "90 %"))
    share of messages delivered is 90 %, at least 99 % is required
    """
    comparison = parse_expression(requirement).comparison
    return f"{name_of(comparison)} is {figure}, {bound_of(comparison)} is required"


def _value(comparison: Comparison) -> str:
    written = comparison.written.strip("'\"")
    known = COMPARABLE.get(comparison.column)
    if re.fullmatch(r"[0-9.]+", written):
        if known is not None and known.unit == "years":
            return f"{written} {'year' if written == '1' else 'years'}"
        if known is not None and known.unit == "fraction":
            return f"{float(written) * 100:g} %"
    return written


def conditions_of(expression: Expression) -> str:
    """Describe in words which rows an expression selects: places, stacks, then settings.

    Examples
    --------
    >>> both = "delivery_ratio >= 99 % where stratum == '164 dB' and flow != 'valve'"
    >>> print(conditions_of(parse_expression(both)))
     in stratum 164 dB and outside of flow valve
    """
    places = [_place(one) for one in expression.where if one.column in (*PLACE, "part")]
    stacks = [_stack(one) for one in expression.where if one.column == "stack"]
    beside = (*PLACE, "part", "stack")
    settings = [_setting(one) for one in expression.where if one.column not in beside]
    words = [
        " and ".join(places),
        " and ".join(stacks),
        f"where {' and '.join(settings)}" if settings else "",
    ]
    return "".join(f" {word}" for word in words if word)


def _place(condition: Comparison) -> str:
    where = "in" if condition.operator == "==" else "outside of"
    return f"{where} {condition.column} {_text(condition)}"


def _stack(condition: Comparison) -> str:
    return f"for {'' if condition.operator == '==' else 'all stacks but '}{_text(condition)}"


def _setting(condition: Comparison) -> str:
    if condition.operator in ("==", "!="):
        return f"{condition.column} is {'' if condition.operator == '==' else 'not '}" + _text(
            condition
        )
    return f"{condition.column} is {bound_of(condition)}"


def _text(condition: Comparison) -> str:
    return condition.written.strip("'\"")


def _is_count(comparison: Comparison) -> bool:
    known = COMPARABLE.get(comparison.column)
    return known is not None and known.unit == "count"
