"""Scenarios that are played to our TCP and to the kernel's."""

from pathlib import Path

import pytest
from benchmarks.tcp_against_linux.scripts import compare, ours, scenario

from lasthop.testbed import missing_requirement

SHORT = (
    "a_peer_opens_and_sends",
    "three_blocks_repair_the_first_segment",
    "three_duplicates_repair",
    "the_second_of_two_segments_fills_the_window",
    "data_behind_the_end_of_the_peer",
    "late_data_in_the_wait_behind_both_ends",
)
"""One of each kind, none of which waits for long."""


def folder(tmp_path: Path, text: str) -> Path:
    (tmp_path / "topic.txt").write_text(text, encoding="utf-8")
    return tmp_path


def test_there_are_a_hundred_scenarios_or_more_and_each_ends_by_waiting() -> None:
    known = scenario.load()
    assert len(known) >= 100
    assert {one.script.lines[-1].text for one in known} == {"wait"}
    assert {one.topic for one in known} >= {"handshake", "closing", "loss", "windows", "keep_alive"}


def test_one_in_twenty_at_most_is_known_to_differ() -> None:
    known = scenario.load()
    assert sum(one.difference is not None for one in known) <= 0.05 * len(known)


def test_a_word_stands_for_a_handshake(tmp_path: Path) -> None:
    text = "= short\ndiffers buffers grow\nset nodelay\naccepted\n+1 write 5\n+1 wait\n"
    (one,) = scenario.load(folder(tmp_path, text))
    assert (one.topic, one.difference) == ("topic", "buffers grow")
    assert one.script.settings == {"nodelay": ""}
    assert [line.text.split()[0] for line in one.script.lines] == [
        *("listen", "<", "<"),
        *("write", "wait"),
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("+0 open\n", "topic.txt:1: write `= NAME` before the first line"),
        ("= one\n+0 open\n= one\n", "topic.txt:3: one is there already; rename it"),
        ("= one\nopen\n", "topic.txt: one: `open` has no time before it; write `+0 open`"),
    ],
)
def test_says_what_is_wrong_with_a_file(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match="topic") as raised:
        scenario.load(folder(tmp_path, text))
    assert str(raised.value).endswith(complaint)


@pytest.mark.soak
def test_some_scenarios_are_alike_here() -> None:
    if (missing := missing_requirement()) is not None:
        pytest.skip(f"the kernel's part needs {missing}")
    program = ours.build()
    chosen = [one for one in scenario.load() if one.script.name in SHORT]
    verdicts = compare.compare_all(program, chosen, jobs=len(SHORT))
    assert [verdict.line() for verdict in verdicts if not verdict.is_alike] == []
    assert len(verdicts) == len(SHORT)
