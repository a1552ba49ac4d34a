"""What is planted in the emulator is what a probe finds."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lasthop.study import load_study
from lasthop.testbed import missing_requirement

LASTHOP = (sys.executable, "-m", "lasthop")
STUDY = """\
study: measured
duration: 10 s
traffic: {report: 100 B, every: 1 s}
stacks: [coap]
"""


@pytest.fixture(autouse=True)
def _as_root() -> None:
    if (missing := missing_requirement()) is not None:
        pytest.skip(f"these tests need {missing}")


def _probe(folder: Path, link: list[str], *options: str) -> dict[str, Any]:
    far = " ".join([*LASTHOP, "serve", "probe", "--listen", "{host}:7777"])
    command = [
        *LASTHOP,
        "link",
        "--late-limit",
        "2s",
        "--far-timeout",
        "30",
        *link,
        "--far",
        far,
        "--",
    ]
    command += [*LASTHOP, "probe", "{host}", "--out", str(folder), "--json", *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    found: dict[str, Any] = json.loads(done.stdout)
    assert "at most" in done.stderr
    return found


def test_loss_size_delay_and_nat_are_found_and_are_the_path_of_a_study(tmp_path: Path) -> None:
    planted = ["--delay=20ms", "--up=loss=8%", "--down=loss=2%", "--mtu=1300B", "--nat=udp=3s"]
    options = ("--longest-idle=5s", "--patience=500ms")
    found = _probe(tmp_path / "net", planted, *options)
    for side, share in (("up", 0.08), ("down", 0.02)):
        assert found["loss"][side]["low"] <= share <= found["loss"][side]["high"]
    assert (found["mtu"]["up_bytes"], found["mtu"]["down_bytes"]) == (1300, 1300)
    # What both machines take is a part of it.
    assert 40 <= found["round_trip"][0]["minimum_ms"] < 50
    assert found["nat"]["alive_s"] <= 3 <= found["nat"]["dead_s"] < 3.6
    written = (tmp_path / "net" / "path.yaml").read_text()
    study = tmp_path / "measured.yaml"
    study.write_text(STUDY + written)
    assert load_study(study).points
    raw = (tmp_path / "net" / "raw.jsonl").read_text().splitlines()
    assert [json.loads(line)["test"] for line in raw] == ["round_trip", "loss", "mtu", "nat"]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("link", "mtu", "nat"),
    [
        (["--delay=5ms"], (1500, 1500), None),
        (["--delay=60ms", "--jitter=20ms", "--nat=udp=12s"], (1500, 1500), 12.0),
        (["--up=mtu=900B", "--down=mtu=1200B", "--nat=udp=30s"], (900, 900), 30.0),
        (["--loss=20%", "--mtu=700B", "--nat=udp=6s"], (700, 700), 6.0),
        (["--rate=64kbit/s", "--delay=100ms"], (1500, 1500), None),
    ],
)
def test_a_table_of_planted_and_found(
    tmp_path: Path, link: list[str], mtu: tuple[int, int], nat: float | None
) -> None:
    found = _probe(tmp_path / "net", link, "--longest-idle=45s", "--patience=1s")
    assert (found["mtu"]["up_bytes"], found["mtu"]["down_bytes"]) == mtu
    if nat is None:
        assert found["nat"]["dead_s"] is None
    else:
        assert found["nat"]["alive_s"] <= nat <= found["nat"]["dead_s"]
        assert found["nat"]["dead_s"] - found["nat"]["alive_s"] < 1 + 0.1 * nat


def test_a_probe_that_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    first = _probe(tmp_path, ["--delay=1ms"], "--test=round_trip", "--patience=300ms")
    again = _probe(tmp_path, ["--delay=1ms"], "--test=round_trip", "--test=loss", "--datagrams=50")
    assert again["round_trip"] == first["round_trip"]
    assert again["loss"]["up"]["of"] == 50
