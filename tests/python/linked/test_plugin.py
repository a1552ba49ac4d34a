"""The fixture lossy_link, in a pytest of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TEST = """\
import socket

def test_datagram(lossy_link):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    server.settimeout(0.5)
    link = lossy_link(loss="50 %", server=server.getsockname(), kind="proxy")
    with server, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.sendto(b"x", link.address)
        assert server.recv(10) == b"x"
"""


def _pytest(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    (folder / "test_it.py").write_text(TEST)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _outcome(folder: Path, seed: int) -> int:
    return _pytest(folder, f"--lasthop-seed={seed}").returncode


def test_a_seed_decides_and_a_failed_test_prints_it(tmp_path: Path) -> None:
    outcomes = {seed: _outcome(tmp_path, seed) for seed in range(1, 9)}
    assert set(outcomes.values()) == {0, 1}
    lost = next(seed for seed, code in outcomes.items() if code == 1)
    failed = _pytest(tmp_path, f"--lasthop-seed={lost}")
    assert f"the same losses again: --lasthop-seed={lost}" in failed.stdout
    assert "1 packets offered, 0 delivered, 1 dropped: loss" in failed.stdout
    assert "loss 50 %; delay 0 s; rate unlimited; MTU 1500 B" in failed.stdout


def test_a_seed_that_is_drawn_is_printed_and_fails_again(tmp_path: Path) -> None:
    for _ in range(40):
        drawn = _pytest(tmp_path, "--lasthop-seed=random")
        if drawn.returncode == 1:
            break
    seed = drawn.stdout.rpartition("--lasthop-seed=")[2].split()[0]
    assert _outcome(tmp_path, int(seed)) == 1


@pytest.mark.parametrize("seed", ["x", "-1", "9223372036854775808"])
def test_what_is_no_seed_is_refused_in_one_line(tmp_path: Path, seed: str) -> None:
    refused = _pytest(tmp_path, f"--lasthop-seed={seed}")
    assert refused.returncode == 4
    assert f"--lasthop-seed: {seed} is not a seed; write a whole number" in (
        refused.stdout + refused.stderr
    )


FORGOTTEN = """\
import socket, lasthop

def test_that_forgets_its_link():
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    link = lasthop.link(server=server.getsockname(), kind="proxy")
    link.start()
    print("at", link.port)
"""


def test_a_test_that_forgets_its_link_is_told_in_one_line_and_the_link_is_closed(
    tmp_path: Path,
) -> None:
    (tmp_path / "test_it.py").write_text(FORGOTTEN)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "test_it.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    told = [line for line in done.stdout.splitlines() if "was not closed" in line]
    assert (done.returncode, len(told)) == (0, 1), done.stdout
    assert "write with lasthop.link(...) as link:" in told[0]
