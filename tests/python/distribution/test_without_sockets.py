"""A build without sockets answers questions, on platforms that are no Unix too."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import ROOT

pytestmark = pytest.mark.soak

Ask = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def without() -> Path:
    """Build it; `scripts/without_sockets` alone runs all tests of virtual time with it."""
    place = ROOT / "target/without_sockets"
    where = "import lasthop; print(lasthop.__file__)"
    command = [str(ROOT / "scripts/without_sockets"), "-c", where]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(place)
    return place


@pytest.fixture
def ask(without: Path, tmp_path: Path) -> Ask:
    """Run the command in an empty folder."""

    def asked(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [str(ROOT / ".venv/bin/python"), "-m", "lasthop", *arguments],
            check=False,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(without), "LANG": "C.UTF-8"},
        )

    return asked


SMALL = """\
study: small
duration: 1 min
traffic: {report: 40 B, every: 1 s}
path: {loss: 5 %, delay: 50 ms}
stacks: [coap, mqtt/tls qos=1]
repeat: 2
decide: {minimise: latency_p95}
"""


def test_it_runs_answers_reports_explains_compares_and_archives(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(SMALL, encoding="utf-8")

    def said(*command: str) -> str:
        done = ask(*command)
        assert done.returncode == 0, (command, done.stderr)
        assert "Traceback" not in done.stderr
        return done.stdout

    assert "best" in said("run", "small.yaml", "--out", "one", "--capture", "--quiet")
    assert said("run", "small.yaml", "--out", "two", "--quiet", "--set", "path.loss=9 %")
    assert said("report", "one")
    assert "is delivered" in said("explain", "--slowest", "coap", "--in", "one")
    capture = min((tmp_path / "one").rglob("*server*.pcapng"))
    assert said("ledger", str(capture))
    assert said("compare", "one", "two", "--report-only")
    assert said("archive", "one", "small.yaml", "--out", "kept")


@pytest.mark.parametrize(
    "arguments",
    [
        ("serve", "mqtt"),
        ("pub", "mqtt://127.0.0.1/t", "m"),
        ("link", "--", "true"),
        ("run", "small.yaml", "--engine", "wall_clock"),
        ("run", "small.yaml", "--engine", "live"),
    ],
)
def test_what_needs_sockets_is_refused_in_one_line(
    ask: Ask, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "small.yaml").write_text(SMALL, encoding="utf-8")
    done = ask(*arguments)
    assert done.returncode == 4, done.stderr
    (line,) = done.stderr.splitlines()
    assert "needs sockets" in line
    assert "make build" in line
    assert not (tmp_path / "results").exists()


def test_a_folder_has_one_runner_where_the_kernel_has_no_lock(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(SMALL, encoding="utf-8")
    (tmp_path / "one").mkdir()
    (tmp_path / "one/.lock").write_text("4711 elsewhere\n", encoding="utf-8")
    done = ask("run", "small.yaml", "--out", "one", "--quiet")
    assert done.returncode == 4
    assert "process 4711 on elsewhere; wait until it ends; if it was killed, remove" in done.stderr


def test_doctor_tells_what_is_missing(ask: Ask) -> None:
    done = ask("doctor", "--json")
    findings = {it["what"]: it for it in json.loads(done.stdout)["findings"]}
    assert "without sockets" in findings["simulator"]["note"]
