"""Scripts beside studies end as the command does: one line and its exit code."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """\
import sys
import time
from pathlib import Path

from lasthop.cli.script import run_script
from lasthop.study import load_study


def main():
    if sys.argv[1] == "wait":
        print("ready", flush=True)
        time.sleep(60)
    load_study(Path(sys.argv[1]))


run_script(main)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "script.py"
    file.write_text(SCRIPT)
    return file


def test_an_error_that_a_user_can_meet_is_one_line(script: Path) -> None:
    command = [sys.executable, str(script), "none.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    (line,) = done.stderr.splitlines()
    assert "none.yaml: there is no such file" in line
    assert done.returncode == 2


def test_ctrl_c_is_one_line(script: Path) -> None:
    pipe = subprocess.PIPE
    command = [sys.executable, str(script), "wait"]
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=60)
    assert process.returncode == 130
    assert len(complaints.splitlines()) == 1


@pytest.mark.parametrize("given", [[], ["results/one", "results/two"]])
def test_folders_that_are_left_out_are_one_line(tmp_path: Path, given: list[str]) -> None:
    file = tmp_path / "script.py"
    file.write_text(
        "from lasthop.cli.script import named_folders, run_script\n"
        'run_script(lambda: print(named_folders("a-study")))\n'
    )
    command = [sys.executable, str(file), *given]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    (line,) = done.stderr.splitlines()
    assert line.endswith(f"write: python {file} results/a-study")
    assert done.returncode == 2


def test_a_reader_that_has_enough_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(
        "from lasthop.cli.script import run_script\n"
        "run_script(lambda: [print(number) for number in range(100_000)])\n"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, str(file)], stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"0\n"
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 0
