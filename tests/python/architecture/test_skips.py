"""What is skipped on a developer's machine fails in CI."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import ROOT

TESTS = """\
import pytest

def test_that_lacks_a_program():
    pytest.skip("a program is missing")

@pytest.mark.skipif(True, reason="a library is missing")
def test_that_lacks_a_library():
    pass

def test_that_lacks_a_file():
    pytest.skip("../shared/capture.pcap is missing")

@pytest.mark.xfail(strict=True)
def test_that_is_expected_to_fail():
    assert False
"""
FILE_THAT_IS_SKIPPED = """\
import pytest

pytest.importorskip("no_such_module")
"""


def outcomes(folder: Path, *, ci: str) -> tuple[int, str]:
    """Run both files; give the exit code and what pytest prints."""
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (folder / "test_a.py").write_text(TESTS, encoding="utf-8")
    (folder / "test_b.py").write_text(FILE_THAT_IS_SKIPPED, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-c", str(folder / "pytest.ini"), "-rsfE"]
    options = ["-p", "tests.python.conftest", "--continue-on-collection-errors", str(folder)]
    environment = {**os.environ, "CI": ci}
    done = subprocess.run(
        [*command, *options], check=False, capture_output=True, text=True, cwd=ROOT, env=environment
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("ci", ["", "false"])
def test_elsewhere_skips_are_skips(ci: str, tmp_path: Path) -> None:
    code, printed = outcomes(tmp_path, ci=ci)
    assert code == 0, printed
    assert "4 skipped, 1 xfailed" in printed


def test_in_ci_a_skip_fails_unless_it_names_the_shared_folder(tmp_path: Path) -> None:
    code, printed = outcomes(tmp_path, ci="true")
    assert code == 1, printed
    assert "1 failed, 1 skipped, 1 xfailed, 2 errors" in printed
    for missing in ("a program is missing", "a library is missing", "no_such_module"):
        assert missing in printed
