"""Contrasts as a person writes them: a factor or a percentage, points, or an amount."""

from lasthop.answer.quantities import format_change, format_difference, format_quantity
from lasthop.measures import Kind, Measure
from lasthop.statistics.contrast import Contrast
from lasthop.statistics.intervals import IntervalKind


def change_of(contrast: Contrast, measure: Measure) -> str:
    """Write how much more or less it is than its base."""
    return change_in_words(contrast.change.mean, measure)


def range_of(contrast: Contrast, measure: Measure) -> str:
    """Write the interval of the change; empty for a single run."""
    change = contrast.change
    if change.kind is IntervalKind.SINGLE:
        return ""
    return f"{change_in_words(change.low, measure)} to {change_in_words(change.high, measure)}"


def effect_of(measure: Measure, smallest: float) -> str:
    """Write a smallest effect: a percentage, of shares points."""
    if measure.kind is Kind.SHARE:
        return format_difference(smallest, measure.unit).removeprefix("+")
    return format_quantity(smallest, "fraction")


def change_in_words(change: float, measure: Measure) -> str:
    """Write a change of a measure, as a factor for positive quantities, else as a difference."""
    if measure.kind is Kind.POSITIVE:
        return format_change(change)
    return format_difference(change, measure.unit)
