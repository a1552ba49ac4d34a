"""A judged expectation in words."""

from lasthop.answer.expectation import Expectation, ExpectationVerdict
from lasthop.measures.groups import PLACE


def expectation_line(found: Expectation) -> str:
    """Describe an expectation and its verdict in one line."""
    if found.verdict is ExpectationVerdict.HELD:
        return f"expectation held: {found.text}: true in {found.applied} rows of {found.table}"
    if found.worst is None:
        return f"expectation not judged, which is no pass: {found.text}: {found.reason}"
    worst = found.worst
    where = "".join(f"{name} {worst[name]}, " for name in PLACE if name in worst)
    return (
        f"expectation failed: {found.text}: false in {found.failed} of {found.applied} "
        f"rows of {found.table}; worst: {worst['figure']} in run {worst['run_id']} "
        f"({worst['stack']}, {where}part {worst['part']}, repetition {worst['repetition']})"
    )
