"""Settings that mattered, in words."""

from lasthop.answer.quantities import NOTHING, format_change, format_quantity
from lasthop.answer.settings import Setting
from lasthop.statistics.intervals import IntervalKind


def movement_range(setting: Setting) -> str:
    """Write the interval of a movement."""
    movement = setting.movement
    if movement.kind is IntervalKind.SINGLE or not setting.cases:
        return NOTHING
    return f"{format_change(movement.low)} to {format_change(movement.high)}"


def remark(setting: Setting, smallest_effect: float) -> str:
    """Say whether a movement matters, and what could not be compared."""
    remarks = []
    if -smallest_effect <= setting.movement.low and setting.movement.high <= smallest_effect:
        remarks.append(f"within {format_quantity(smallest_effect, 'fraction')}")
    if setting.beyond:
        remarks.append(f"{setting.beyond} pairs without a ratio")
    return "; ".join(remarks)
