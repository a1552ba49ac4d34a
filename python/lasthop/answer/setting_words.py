"""Settings that mattered, in words."""

from lasthop.answer.contrast_words import change_in_words, effect_of
from lasthop.answer.quantities import NOTHING
from lasthop.answer.ranking import Objective
from lasthop.answer.settings import Setting
from lasthop.measures import Kind
from lasthop.statistics.intervals import IntervalKind


def movement_range(setting: Setting, objective: Objective) -> str:
    """Write the interval of a movement."""
    movement = setting.movement
    if movement.kind is IntervalKind.SINGLE or not setting.cases:
        return NOTHING
    low, high = (change_in_words(end, objective.column) for end in (movement.low, movement.high))
    return f"{low} to {high}"


def remark(setting: Setting, objective: Objective) -> str:
    """Say whether a movement matters, and what could not be compared."""
    remarks = []
    smallest = objective.smallest_effect
    comparable = objective.column.kind in {Kind.POSITIVE, Kind.SHARE}
    if comparable and -smallest <= setting.movement.low and setting.movement.high <= smallest:
        remarks.append(f"within {effect_of(objective.column, smallest)}")
    if setting.beyond:
        pairs = f"{setting.beyond} more pairs" if setting.cases else f"{setting.beyond} pairs"
        found = pairs if setting.beyond > 1 else pairs.removesuffix("s")
        remarks.append(f"in {found} one side has no value to compare")
    return "; ".join(remarks)
