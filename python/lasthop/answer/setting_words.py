"""Settings that mattered, in words."""

from lasthop.answer.contrast_words import change_in_words, effect_of
from lasthop.answer.quantities import NOTHING
from lasthop.answer.ranking import Objective
from lasthop.answer.settings import Setting
from lasthop.measures import Kind
from lasthop.statistics.intervals import CONFIDENCE, IntervalKind

SMALLEST_P = 0.001
"""A smaller p-value is not written out."""


def movement_range(setting: Setting, objective: Objective) -> str:
    """Write the interval of a movement."""
    movement = setting.movement
    if movement.kind is IntervalKind.SINGLE or not setting.cases:
        return NOTHING
    low, high = (change_in_words(end, objective.column) for end in (movement.low, movement.high))
    return f"{low} to {high}"


def remark(setting: Setting, objective: Objective) -> str:
    """Describe whether a setting matters, and which values could not be compared."""
    remarks = ["changes the verdict"] if setting.changed else []
    smallest = objective.smallest_effect
    comparable = objective.column.kind in {Kind.POSITIVE, Kind.SHARE}
    if comparable and -smallest <= setting.movement.low and setting.movement.high <= smallest:
        remarks.append(f"within {effect_of(objective.column, smallest)}")
    if setting.interaction is not None:
        remarks.append(_interaction(setting, setting.interaction))
    if setting.beyond:
        pairs = f"{setting.beyond} more pairs" if setting.cases else f"{setting.beyond} pairs"
        found = pairs if setting.beyond > 1 else pairs.removesuffix("s")
        remarks.append(f"in {found} one side has no value to compare")
    return "; ".join(remarks)


def _interaction(setting: Setting, p_value: float) -> str:
    """Say whether the setting moves all stacks alike."""
    found = f"p = {p_value:.2g}" if p_value >= SMALLEST_P else f"p < {SMALLEST_P:g}"
    of = "pairs of stacks" if setting.stack is None else "stacks"
    if p_value <= 1 - CONFIDENCE:
        return f"{of} differ ({found})"
    return f"{of} may not differ ({found})"
