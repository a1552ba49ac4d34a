"""A test that hangs is ended, at its second try too."""

import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import ROOT

TESTS = """\
import time
import pytest

TRIES = []

@pytest.mark.flaky(reruns=1)
@pytest.mark.timeout(2)
def test_that_hangs():
    TRIES.append(1)
    assert len(TRIES) == 2 or {at_once}
    time.sleep(100)
"""


@pytest.mark.parametrize("at_once", [False, True], ids=["at its second try", "at both tries"])
def test_a_second_try_has_a_time_limit_of_its_own(tmp_path: Path, *, at_once: bool) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (tmp_path / "test_it.py").write_text(TESTS.format(at_once=at_once), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-c", str(tmp_path / "pytest.ini")]
    options = ["-p", "tests.python.conftest", str(tmp_path)]
    done = subprocess.run(
        [*command, *options], check=False, capture_output=True, text=True, cwd=ROOT, timeout=90
    )
    assert "1 failed, 1 rerun" in done.stdout, done.stdout
    assert "Timeout" in done.stdout
