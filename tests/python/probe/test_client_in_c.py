"""The client in C: it finds what is planted, and its lines are read as a path."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lasthop
from lasthop.probe.client_lines import read_lines
from lasthop.study import load_study
from lasthop.testbed import missing_requirement

from .conftest import Address

SOURCE = Path(lasthop.__file__).parent / "probe" / "lasthop_probe.c"
LASTHOP = (sys.executable, "-m", "lasthop")
STUDY = """\
study: measured
duration: 10 s
traffic: {report: 100 B, every: 1 s}
stacks: [coap]
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile it."""
    if (compiler := shutil.which("cc")) is None:
        pytest.skip("cc is missing; apt-get install gcc")
    made = tmp_path_factory.mktemp("client") / "lasthop_probe"
    strict = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
    subprocess.run([compiler, *strict, "-o", made, SOURCE], check=True)
    return made


def test_it_compiles_without_posix(tmp_path: Path, client: Path) -> None:
    strict = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-DLHP_NO_MAIN", "-c")
    subprocess.run(["cc", *strict, "-o", tmp_path / "probe.o", SOURCE], check=True)
    assert client.exists()


def test_it_speaks_with_the_server_of_this_version(
    client: Path, server: Address, tmp_path: Path
) -> None:
    command = [str(client), server[0], str(server[1]), "50", "300", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    (tmp_path / "device.txt").write_text(done.stdout)
    found, used = read_lines(tmp_path / "device.txt")
    assert [trip["answered"] for trip in found["round_trip"]] == [15, 15, 15]
    assert (found["loss"]["up"]["of"], found["loss"]["up"]["part"]) == (50, 0)
    # Three sizes and 50 datagrams of 60 B there and back, and a question of 232 B.
    assert used >= 2 * (15 * (60 + 300 + 1200) + 51 * 60 + 32 + 200 + 28)


@pytest.mark.soak
def test_what_is_planted_is_what_it_finds(client: Path, tmp_path: Path) -> None:
    if (missing := missing_requirement()) is not None:
        pytest.skip(f"this test needs {missing}")
    far = " ".join([*LASTHOP, "serve", "probe", "--listen", "{host}:7777"])
    planted = ["--delay=20ms", "--up=loss=8%", "--down=loss=2%", "--nat=udp=3s"]
    command = [*LASTHOP, "link", "--late-limit=2s", *planted, "--far", far, "--"]
    command += [str(client), "{host}", "7777", "500", "500", "8000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    (tmp_path / "device.txt").write_text(done.stdout)
    read = [*LASTHOP, "probe", "probe.example.net", "--read", str(tmp_path / "device.txt")]
    read += ["--out", str(tmp_path / "net"), "--json"]
    found = json.loads(subprocess.run(read, capture_output=True, check=True, timeout=60).stdout)
    for side, share in (("up", 0.08), ("down", 0.02)):
        assert found["loss"][side]["low"] <= share <= found["loss"][side]["high"]
    assert found["round_trip"][0]["minimum_ms"] >= 40
    assert found["nat"]["alive_s"] <= 3 <= found["nat"]["dead_s"]
    (tmp_path / "measured.yaml").write_text(STUDY + (tmp_path / "net" / "path.yaml").read_text())
    assert load_study(tmp_path / "measured.yaml").points


def test_a_server_that_is_not_there_is_one_line(client: Path) -> None:
    command = [str(client), "127.0.0.1", "9", "20", "50", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (4, 1)
    assert "no answer; start lasthop serve probe there" in done.stderr


@pytest.mark.parametrize(
    ("content", "clue"),
    [
        ("", '1: it does not begin with "lasthop-probe 1"'),
        ("lasthop-probe 2\n", '1: it does not begin with "lasthop-probe 1"'),
        ("lasthop-probe 1\nspeed 3\nbytes 9\n", ":2: this is no result"),
        ("lasthop-probe 1\nloss aax\nbytes 9\n", ":2: this is no result"),
        ("lasthop-probe 1\nnat 1\nbytes 9\n", ":2: this is no result"),
        ("lasthop-probe 1\nround_trip 60 4 x\nbytes 9\n", ":2: this is no result"),
        ("lasthop-probe 1\nloss aau\n", "it ends early"),
        ("\u00e9", "it is no text"),
    ],
)
def test_what_is_no_output_of_it_is_one_line(tmp_path: Path, content: str, clue: str) -> None:
    (tmp_path / "device.txt").write_text(content, encoding="utf-8")
    command = [*LASTHOP, "probe", "host", "--read", str(tmp_path / "device.txt")]
    command += ["--out", str(tmp_path / "net")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert clue in done.stderr
