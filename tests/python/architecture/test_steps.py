"""`scripts/steps.sh`: what took how long is said, also of what failed."""

import re
import subprocess
from pathlib import Path

STEPS = Path(__file__).parents[3] / "scripts/steps.sh"


def run(script: str) -> "subprocess.CompletedProcess[str]":
    text = f"set -euo pipefail\n. '{STEPS}'\n{script}"
    return subprocess.run(["bash", "-c", text], check=False, capture_output=True, text=True)


def rows(output: str) -> list[str]:
    """Give the first column of the table."""
    return re.findall(r"^(\S.*?) +\d+ +\d+$", output.partition("step  ")[2], re.MULTILINE)


def test_each_step_and_all_of_them_have_their_seconds() -> None:
    done = run('step "One of two"\ntrue\nstep Two\ntrue')
    assert done.returncode == 0, done.stderr
    assert rows(done.stdout) == ["One of two", "Two", "all"]
    assert done.stderr == ""


def test_a_step_that_fails_is_named_and_ends_the_table() -> None:
    done = run("step One\ntrue\nstep Two\n(exit 3)\nstep Three")
    assert done.returncode == 3
    assert rows(done.stdout) == ["One", "Two", "all"]
    assert done.stderr == "failed: Two\n"


def test_a_failure_before_the_first_step_has_no_step() -> None:
    done = run("false")
    assert done.returncode == 1
    assert rows(done.stdout) == ["all"]
    assert done.stderr == ""
