"""The player of packet scripts: what it takes for alike, and what it does not."""

from pathlib import Path

import pytest
from benchmarks.tcp_against_linux.scripts import run
from benchmarks.tcp_against_linux.scripts.kernel import Event
from benchmarks.tcp_against_linux.scripts.script import Script
from benchmarks.tcp_against_linux.scripts.segment import Bases, Segment

from lasthop.testbed import missing_requirement

SHAKEN = """
+0 listen
+0 < S 0:0(0) win 64000 <mss 1000,sackOK>
+0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
+0.05 < . 1:1(0) ack 1 win 64000
+0 ! Established(Full)
"""


@pytest.fixture
def kernel_or_skip() -> None:
    if (missing := missing_requirement()) is not None:
        pytest.skip(f"the kernel's part needs {missing}")


def script(tmp_path: Path, lines: str) -> Script:
    path = tmp_path / "script.txt"
    path.write_text(SHAKEN + lines, encoding="utf-8")
    return Script.load(path)


def happened(script: Script, *, late_s: float = 0.0) -> list[Event]:
    """Say what happens when all is as the script says, but for the last line, which is late."""
    events, at_s = [], 0.0
    for line in script.lines:
        at_s += line.gap_s
        events.append(Event(at_s, line.essence()))
    events[-1] = Event(at_s + late_s, events[-1].line)
    return events


def test_reads_back_what_the_peer_says() -> None:
    bases = Bases(("192.0.2.1", 40_000), ("192.0.2.2", 1883), ours=4_294_967_000, clock=77)
    text = "FP. 100:110(10) ack 7 win 9 <TS 5 6,sack 3:5 9:12>"
    packet = Segment.parse(text).packet(bases)
    # The other way round: the kernel's numbers are relative to its own first one.
    mirrored = Segment.read(packet, Bases(bases.kernel, bases.peer, clock=0))
    assert (mirrored.flags, mirrored.length, mirrored.window) == (0x19, 10, 9)
    assert list(mirrored.options) == ["TS", "sack"]


def test_the_essence_leaves_out_what_is_each_stacks_own() -> None:
    ours = Segment.parse("P. 1:11(10) ack 3 win 500 <TS 4 1000>")
    kernels = Segment.parse(". 1:11(10) ack 3 win 502 <TS 7 1000>")
    assert ours.essence() == kernels.essence()
    assert ours.essence() != Segment.parse(". 1:11(10) ack 3 win 500 <TS 4 1001>").essence()


def test_an_acknowledgement_that_waited_is_not_taken_for_one_that_did_not(tmp_path: Path) -> None:
    at_once = script(tmp_path, "+0.1 < F. 1:1(0) ack 1 win 64000\n+0 > . 1:1(0) ack 2 win 65534")
    assert run.differences(at_once, happened(at_once, late_s=0.004)) == []
    (said,) = run.differences(at_once, happened(at_once, late_s=0.04))
    assert said == "'> . 1:1(0) ack 2 win 65534' came after 40 ms, not 0 ms"


@pytest.mark.soak
@pytest.mark.usefixtures("kernel_or_skip")
def test_the_kernel_is_heard(tmp_path: Path) -> None:
    block = "+0.05 < F. 1001:1001(0) ack 1 win 64000\n+0 > . 1:1(0) ack 1 win 65535 <sack {}>"
    wrong = run.hold(script(tmp_path, block.format("1001:1001")))
    assert wrong[2] == [
        "line 6: not '> . 1:1(0) ack 1 <sack 1001:1001>', but '> . 1:1(0) ack 1 <sack 1001:1002>'"
    ]
    assert run.hold(script(tmp_path, block.format("1001:1002")))[2] == []
