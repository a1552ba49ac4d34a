"""Requirements in words: ``battery_years >= 15 where stratum == '164 dB'`` as a person says it."""

import re

from lasthop.measures.groups import PLACE
from lasthop.study.expressions import COMPARABLE, Comparison, parse_expression

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
    """
    expression = parse_expression(requirement)
    conditions = "".join(map(_condition, expression.where))
    return f"{name_of(expression.comparison)} of {bound_of(expression.comparison)}{conditions}"


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


def _condition(condition: Comparison) -> str:
    value = condition.written.strip("'\"")
    if condition.column in PLACE:
        where = "in" if condition.operator == "==" else "outside of"
        return f" {where} {condition.column} {value}"
    if condition.column == "stack":
        return f" for {value}" if condition.operator == "==" else f" for all stacks but {value}"
    if condition.operator in ("==", "!="):
        return f" where {condition.column} is {'' if condition.operator == '==' else 'not '}{value}"
    return f" where {condition.column} is {bound_of(condition)}"
