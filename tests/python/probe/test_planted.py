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
    tests = [f"--test={name}" for name in ("round_trip", "loss", "mtu", "mapping", "nat")]
    found = _probe(tmp_path / "net", planted, *options, *tests)
    for side, share in (("up", 0.08), ("down", 0.02)):
        assert found["loss"][side]["low"] <= share <= found["loss"][side]["high"]
    assert (found["mtu"]["up_bytes"], found["mtu"]["down_bytes"]) == (1300, 1300)
    # What both machines take is a part of it.
    assert found["round_trip"][0]["minimum_ms"] >= 40
    assert found["mapping"]["translates"]
    assert found["mapping"]["mapping"] == "independent of the port"
    assert found["nat"]["alive_s"] <= 3 <= found["nat"]["dead_s"]
    assert found["nat"]["dead_s"] - found["nat"]["alive_s"] < 1
    written = (tmp_path / "net" / "path.yaml").read_text()
    study = tmp_path / "measured.yaml"
    study.write_text(STUDY + written)
    assert load_study(study).points
    raw = (tmp_path / "net" / "raw.jsonl").read_text().splitlines()
    assert [json.loads(line)["test"] for line in raw] == [
        "round_trip",
        "loss",
        "mtu",
        "mapping",
        "nat",
    ]


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
    tests = ("--test=mtu", "--test=mapping", "--test=nat")
    found = _probe(tmp_path / "net", link, "--longest-idle=45s", "--patience=1s", *tests)
    assert found["mapping"]["translates"] == (nat is not None)
    assert (found["mtu"]["up_bytes"], found["mtu"]["down_bytes"]) == mtu
    if nat is None:
        assert found["nat"]["dead_s"] is None
    else:
        assert found["nat"]["alive_s"] <= nat <= found["nat"]["dead_s"]
        assert found["nat"]["dead_s"] - found["nat"]["alive_s"] < 1 + 0.1 * nat


def test_the_rate_each_way_is_found(tmp_path: Path) -> None:
    planted = ["--delay=10ms", "--loss=3%", "--up=rate=1Mbit/s", "--down=rate=200kbit/s"]
    planted.append("--mtu=800B")
    found = _probe(tmp_path, planted, "--test=mtu", "--test=rate", "--patience=500ms")["rate"]
    assert found["ip_bytes"] == 800
    for side, rate in (("up", 1e6), ("down", 200e3)):
        assert found[side]["low_bits_s"] <= 1.002 * rate
        assert found[side]["high_bits_s"] >= 0.998 * rate
        assert abs(found[side]["median_bits_s"] / rate - 1) < 0.1
    written = (tmp_path / "path.yaml").read_text()
    (tmp_path / "measured.yaml").write_text(STUDY + written)
    assert load_study(tmp_path / "measured.yaml").points


@pytest.mark.soak
def test_a_link_without_a_rate_is_above_what_a_probe_can_tell(tmp_path: Path) -> None:
    found = _probe(tmp_path, ["--delay=5ms"], "--test=rate", "--patience=1s")
    assert found["rate"]["up"]["is_lower_bound"]
    assert "rate:" not in (tmp_path / "path.yaml").read_text()


@pytest.mark.soak
def test_losses_in_bursts_are_told_from_others_and_are_the_path_of_a_study(
    tmp_path: Path,
) -> None:
    chain = "loss={gilbert_elliott: {to_bad: 3 %, to_good: 20 %}}"
    planted = ["--delay=5ms", f"--up={chain}", "--down=loss=10%"]
    options = ("--test=loss", "--datagrams=1500", "--patience=500ms")
    found = _probe(tmp_path, planted, *options)["loss"]
    up = found["up_bursts"]
    assert (up["are_bursts"], found["down_bursts"]["are_bursts"]) == (True, False)
    assert up["to_bad"]["low"] <= 0.03 <= up["to_bad"]["high"]
    assert up["to_good"]["low"] <= 0.2 <= up["to_good"]["high"]
    assert found["down"]["low"] <= 0.1 <= found["down"]["high"]
    (tmp_path / "measured.yaml").write_text(STUDY + (tmp_path / "path.yaml").read_text())
    assert load_study(tmp_path / "measured.yaml").points


@pytest.mark.soak
def test_the_timeout_of_tcp_is_found_where_udp_is_blocked(tmp_path: Path) -> None:
    planted = ["--delay=5ms", "--nat=udp=60s", "--nat=tcp=3s", "--block=udp"]
    options = ("--test=nat_tcp", "--longest-idle=5s", "--patience=500ms")
    nat = _probe(tmp_path, planted, *options)["nat_tcp"]
    assert nat["alive_s"] <= 3 <= nat["dead_s"]
    assert nat["dead_s"] - nat["alive_s"] < 1


@pytest.mark.soak
def test_the_idle_time_after_which_a_modem_is_released_is_found(tmp_path: Path) -> None:
    planted = ["--nbiot=coupling_loss=144dB", "--nbiot=inactivity=3s"]
    options = ("--test=idle", "--longest-idle=10s", "--patience=4s")
    found = _probe(tmp_path, planted, *options)["idle"]
    assert found["rises"]["after_s"] <= 3 <= found["rises"]["until_s"]
    assert "After 2 to 5 s without traffic" in (tmp_path / "path.yaml").read_text()


def test_udp_that_is_blocked_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as refused:
        _probe(tmp_path, ["--block=udp"], "--test=loss", "--patience=200ms")
    (line,) = [it for it in refused.value.stderr.splitlines() if "blocked" in it]
    assert "no answer by UDP, but one by TCP" in line
    assert "only --test nat_tcp can be measured" in line


def test_a_probe_that_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    first = _probe(tmp_path, ["--delay=1ms"], "--test=round_trip", "--patience=300ms")
    again = _probe(tmp_path, ["--delay=1ms"], "--test=round_trip", "--test=loss", "--datagrams=50")
    assert again["round_trip"] == first["round_trip"]
    assert again["loss"]["up"]["of"] == 50
