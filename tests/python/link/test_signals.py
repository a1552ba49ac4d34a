"""Who hears of Ctrl-C and its like, and that nothing stays, not even after `kill -9`."""

import os
import pty
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.python.cli.conftest import COMMAND
from tests.python.processes import descendants
from tests.python.testbed.alone import alone
from tests.python.testbed.test_namespaces import is_running

from lasthop.testbed import Leftovers
from lasthop.testbed.namespace import FOLDER

from .conftest import PATIENCE_S, QUIET, StartLink, leaves_nothing


def wait_until(is_so: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.02)


def has_started(process: "subprocess.Popen[str]") -> None:
    """Wait for the line that a program says first."""
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"


def test_sigterm_is_for_the_program_and_its_status_for_the_caller(start_link: StartLink) -> None:
    script = "trap 'echo heard; exit 8' TERM; echo started; while :; do sleep 0.05; done"
    process = start_link(*QUIET, "--", "sh", "-c", script)
    has_started(process)
    process.send_signal(signal.SIGTERM)
    said, complaints = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, said, complaints) == (8, "heard\n", "")


def test_ctrl_c_at_a_terminal_reaches_the_program_once_and_ends_both_sides(python: str) -> None:
    count = (
        "import signal, time; heard = []; signal.signal(signal.SIGINT, lambda *_: heard.append(1));"
        "print('started', flush=True); time.sleep(1); print(len(heard), 'heard', flush=True)"
    )
    serve = f"{python} -m http.server 8000"
    child, terminal = pty.fork()
    if child == 0:
        command = [*COMMAND, "link", *QUIET, "--far", serve, "--", python, "-c", count]
        os.execv(COMMAND[0], command)  # noqa: S606  in place of this process
    said = b""
    while b"started" not in said:
        said += os.read(terminal, 1024)
    server = next(pid for pid, line in descendants(child) if "http.server" in line)
    os.write(terminal, b"\x03")
    while b"heard" not in said:
        said += os.read(terminal, 1024)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(terminal)
    assert b"1 heard" in said
    assert leaves_nothing(child)
    assert not Path(f"/proc/{server}").exists()


@pytest.fixture
def slow_ip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each `ip` take a moment longer than its work."""
    script = tmp_path / "slow" / "ip"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\n{shutil.which("ip")} "$@" || exit\nsleep 0.2\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.usefixtures("slow_ip")
@pytest.mark.parametrize("after_s", [0.1, 0.9, 1.5])
def test_who_is_asked_to_end_at_any_moment_of_the_start_leaves_nothing(
    start_link: StartLink, after_s: float
) -> None:
    process = start_link(*QUIET, "--far", "sleep 60", "--", "true")
    wait_until(lambda: list(FOLDER.glob(f"lasthop-{process.pid}-*")))
    time.sleep(after_s)
    process.send_signal(signal.SIGTERM)
    _, complaints = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, complaints) == (130, "lasthop: interrupted\n")
    assert leaves_nothing(process.pid)


def test_after_kill_9_the_program_is_gone_and_doctor_finds_the_rest(
    start_link: StartLink, python: str
) -> None:
    script = "sleep 600 >/dev/null 2>&1 & echo started; wait"
    serve = f"{python} -m http.server 8000"
    process = start_link(*QUIET, "--far", serve, "--", "sh", "-c", script)
    has_started(process)
    # A shell says "started" before its child has become another program.
    wait_until(lambda: "sleep 600" in dict(descendants(process.pid)).values())
    below = dict(descendants(process.pid))
    orphan = next(pid for pid, line in below.items() if line == "sleep 600")
    with alone():
        process.kill()
        process.wait()
        wait_until(lambda: not any(is_running(pid) for pid in below if pid != orphan))
        found = Leftovers.find()
        own = [file for file in found.namespaces if f"-{process.pid}-" in file.name]
        assert len(own) == 2
        assert orphan in found.processes
        assert below.keys() & set(found.processes) == {orphan}
        subprocess.run([*COMMAND, "doctor", "--clean"], check=True, stdout=subprocess.DEVNULL)
        assert not is_running(orphan)
        assert leaves_nothing(process.pid)
