"""`make soak`: how its tests ended is written down, also of those that failed."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from .conftest import ROOT

TESTS = """\
import pytest

@pytest.mark.soak
def test_that_holds():
    pass

@pytest.mark.soak
@pytest.mark.parametrize("loss", ["low"])
def test_that_fails(loss, tmp_path):
    assert tmp_path is None

TRIES = []

@pytest.mark.soak
@pytest.mark.flaky(reruns=1)
def test_that_holds_at_its_second_try():
    TRIES.append(1)
    assert len(TRIES) == 2

@pytest.mark.soak
def test_that_cannot_run_here():
    pytest.skip("not here")

def test_that_is_short():
    assert False
"""


def soak(folder: Path, tests: str) -> tuple[int, str]:
    """Run tests of a file of its own; give the exit code and the page."""
    (folder / "test_long.py").write_text(tests, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = soak: long\n", encoding="utf-8")
    page = folder / "soak.md"
    command = [sys.executable, "-m", "benchmarks.soak", "--page", str(page)]
    arguments = ["-c", str(folder / "pytest.ini"), str(folder / "test_long.py")]
    done = subprocess.run(
        [*command, *arguments], check=False, capture_output=True, text=True, cwd=ROOT
    )
    assert page.exists(), done.stderr
    return done.returncode, page.read_text(encoding="utf-8")


def test_the_page_says_how_each_long_test_ended(tmp_path: Path) -> None:
    code, page = soak(tmp_path, TESTS)
    assert code == 1
    assert re.findall(r"^\| `(\S+)` \| (\w+) \| \d+ \|$", page, re.MULTILINE) == [
        ("test_that_holds", "passed"),
        ("test_that_fails[low]", "failed"),
        ("test_that_holds_at_its_second_try", "passed"),
        ("test_that_cannot_run_here", "skipped"),
    ]
    assert ": 2 passed, 1 failed, 1 skipped.\n" in page


def test_the_page_names_build_and_kind_of_machine_but_not_the_machine(tmp_path: Path) -> None:
    code, page = soak(tmp_path, TESTS.replace("is None", "is not None"))
    assert code == 0
    assert re.search(
        r"^lasthop \S+, commit \w+( with changes)?, \d{4}-\d\d-\d\d; \w+ ", page, re.MULTILINE
    )
    assert re.search(r", \d+ processors?, Python 3\.\d+\.\d+: ", page)
    assert str(tmp_path) not in page
    assert str(ROOT) not in page


def test_a_page_of_tests_that_cannot_be_read_claims_none_passed(tmp_path: Path) -> None:
    code, page = soak(tmp_path, "this is no Python\n")
    assert code != 0
    assert "passed" not in page


ENDLESS = """\
import pathlib, pytest, time
@pytest.mark.soak
def test_endless():
    pathlib.Path(STARTED).touch()
    time.sleep(60)
"""


def test_ctrl_c_ends_the_tests_and_leaves_a_page(tmp_path: Path) -> None:
    started, page = tmp_path / "started", tmp_path / "soak.md"
    (tmp_path / "test_long.py").write_text(ENDLESS.replace("STARTED", repr(str(started))))
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = soak: long\n")
    command = [sys.executable, "-m", "benchmarks.soak", "--page", str(page)]
    arguments = ["-c", str(tmp_path / "pytest.ini"), str(tmp_path / "test_long.py")]
    with subprocess.Popen(
        [*command, *arguments], cwd=ROOT, stderr=subprocess.PIPE, start_new_session=True
    ) as soaking:
        while not started.exists():
            time.sleep(0.05)
        os.killpg(soaking.pid, signal.SIGINT)
        _, told = soaking.communicate()
    assert soaking.returncode == 2
    assert b"Traceback" not in told
    assert "no test ended" in page.read_text(encoding="utf-8")
