"""A judged expectation in words."""

from lasthop.answer.expectation import Expectation, ExpectationVerdict
from lasthop.measures.groups import PLACE

_ROWS = {"runs": "runs", "groups": "rows by group, stratum and flow"}


def expectation_line(found: Expectation) -> str:
    """Describe an expectation and its verdict in one line."""
    rows = _ROWS[found.table]
    if found.verdict is ExpectationVerdict.HELD:
        return f"expectation held: {found.words}: true in {found.applied} {rows}"
    if found.worst is None:
        return f"expectation not judged, which is no pass: {found.words}: {found.reason}"
    worst = found.worst
    where = "".join(f"{name} {worst[name]}, " for name in PLACE if name in worst)
    # The name of the measure is in the expectation already.
    figure = worst["figure"].partition(" ")[2]
    return (
        f"expectation failed: {found.words}: false in {found.failed} of {found.applied} {rows}; "
        f"worst: {figure} in run {worst['run_id']} ({worst['stack']}, {where}"
        f"part {worst['part']}, repetition {worst['repetition']})"
    )
