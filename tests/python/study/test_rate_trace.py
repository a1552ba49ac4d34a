"""A recorded rate: what the file may be, and that packets pass at its moments."""

from collections.abc import Callable
from pathlib import Path

import pytest

import lasthop

STUDY = """\
study: a
duration: 9 s
measure: {warm_up: 0 s, drain: 1 min}
traffic: {report: 100 B, every: 1 s}
devices: 3
stacks: [raw_udp]
path: {RATE}
"""

CASES = {
    "a word": ("1\nx\n", '*a.trace:2: "x" is not a whole number; write a time in ms such as "17"'),
    "a time that goes back": ("5\n3\n", "*a.trace:2: the time is earlier*; sort the lines"),
    "a line that is cut off": ("5\n1", "*a.trace:2: the last line has no line break*"),
    "nothing": ("", '*a.trace:1: the trace takes no time; end it with the length*"60000"'),
    "zeros alone": ("0\n0\n", "*a.trace:2: the trace takes no time*"),
    "a negative time": ("-1\n5\n", "*a.trace:1:*is not a whole number*"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_file_that_is_no_trace_is_refused_with_its_line(
    case: str, refused: Callable[[str, str], None], tmp_path: Path
) -> None:
    text, message = CASES[case]
    tmp_path.joinpath("a.trace").write_text(text)
    refused(STUDY.replace("{RATE}", "{rate: {trace: a.trace}}"), f"*path.rate*{message}")


@pytest.mark.parametrize("key", ["burst: 2 kB", "rate_kind: serial"])
def test_what_has_no_effect_on_a_trace_is_refused(
    key: str, refused: Callable[[str, str], None], tmp_path: Path
) -> None:
    (tmp_path / "a.trace").write_text("5\n")
    written = STUDY.replace("{RATE}", f"{{rate: {{trace: a.trace}}, {key}}}")
    refused(written, "*has no effect on a recorded rate; remove it, or write a constant rate*")


def test_packets_pass_at_the_moments_of_the_trace_in_each_repetition_of_it(tmp_path: Path) -> None:
    # One moment in two seconds, 1504 bytes: a report each second waits for the next even second.
    (tmp_path / "slow.trace").write_text("2000\n")
    study = tmp_path / "study.yaml"
    path = "{rate: {trace: slow.trace}}"
    study.write_text(STUDY.replace("{RATE}", path))
    messages = lasthop.run(study, out=tmp_path / "out").messages
    assert messages.height >= 3 * 8
    arrivals = messages["delivered_ns"].to_list()
    assert None not in arrivals
    assert all(at % 2_000_000_000 == 0 for at in arrivals)
