"""The command that does one run of a gate again."""

import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lasthop.outcome.culprit import Culprit
from lasthop.outcome.culprit_words import again, packets_in_words

CULPRIT = Culprit(
    run_id="0123456789abcdef",
    seed=7,
    host="device-13",
    flow="traffic",
    message=5,
    intended_s=1.0,
    what="never left its device",
    packets=(),
    capture=None,
)


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")


@pytest.mark.parametrize(
    "whole",
    [
        "--strict",
        "--summary page.md",
        "--summary=page.md",
        "--until-decided --at-most 20",
        "--out results/gate",
    ],
)
def test_what_is_of_a_whole_study_alone_is_left_out(whole: str) -> None:
    given = f"lasthop run gate.yaml {whole} --impl 'mine=./broker {{port}}' --capture"
    assert shlex.split(again(given, CULPRIT)) == [
        *("lasthop", "run", "gate.yaml", "--impl", "mine=./broker {port}", "--capture"),
        *("--only", CULPRIT.run_id, "--out", f"again-{CULPRIT.run_id}", "--capture=device-13"),
    ]


def test_a_command_that_is_not_in_the_path_is_run_as_a_module(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    words = shlex.split(again("__main__.py run gate.yaml", CULPRIT))
    assert words[:5] == [sys.executable, "-m", "lasthop", "run", "gate.yaml"]


def test_packets_that_were_not_kept_have_the_option_that_keeps_them() -> None:
    told = packets_in_words(CULPRIT, quote="`")
    assert told == "Its packets were not kept; `--capture device-13` keeps them."
    one = replace(CULPRIT, capture=Path("a.pcapng"), packets=(9,))
    assert packets_in_words(one) == (
        "Packet 9 of captures/a.pcapng carries it (frame.number in Wireshark)."
    )
    kept = Path("out/captures/0123456789abcdef.device-13.pcapng")
    assert packets_in_words(replace(CULPRIT, capture=kept, packets=(1, 2, 3, 4, 5, 6))) == (
        "Packets 1, 2, 3, 4, 5 and 1 more of captures/0123456789abcdef.device-13.pcapng carry it "
        "(frame.number in Wireshark)."
    )
