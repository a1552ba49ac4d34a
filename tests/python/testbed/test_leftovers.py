"""After `kill -9`: what is found and removed, and what is not touched."""

import os
import re
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.python.cli.conftest import COMMAND

from lasthop.testbed import Leftovers, Namespace
from lasthop.testbed.namespace import FOLDER

from .alone import alone
from .other_user import as_nobody
from .test_namespaces import is_running, orphaned_sleep

OWNER = textwrap.dedent("""\
    import os, sys
    from lasthop.testbed import Namespace
    with Namespace() as first, Namespace() as second:
        first.start("sleep", "600")
        orphan = second.run("sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!")
        print(first.name, second.name, orphan, flush=True)
        sys.stdin.read()
""")


@contextmanager
def killed_owner() -> Iterator[tuple[list[Path], int]]:
    """Give the namespaces of a process that was killed, and an orphan in one of them."""
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with owner:
        assert owner.stdout is not None
        first, second, orphan = owner.stdout.readline().split()
        owner.send_signal(signal.SIGKILL)
    yield [FOLDER / first, FOLDER / second], int(orphan)


@contextmanager
def foreign_namespace(name: str) -> Iterator[Path]:
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        yield FOLDER / name
    finally:
        subprocess.run(["ip", "netns", "delete", name], check=True)


def doctor(*options: str) -> str:
    done = subprocess.run(
        [*COMMAND, "doctor", *options], check=True, capture_output=True, text=True
    )
    return done.stdout


def test_what_a_killed_run_left_is_removed_and_nothing_else() -> None:
    with (
        alone(),
        foreign_namespace("lasthop-home") as foreign,
        foreign_namespace(f"lasthop-{os.getpid()}-0") as old,
        Namespace() as living,
        killed_owner() as (files, orphan),
    ):
        beside = orphaned_sleep(living)
        found = Leftovers.find()
        assert set(files) <= set(found.namespaces)
        assert orphan in found.processes
        assert {foreign, old, living.file}.isdisjoint(found.namespaces)
        assert beside not in found.processes
        assert re.search(rf"^LEFT +left behind .*{files[0].name}", doctor(), re.MULTILINE)

        assert doctor("--clean").startswith("removed namespaces lasthop-")
        assert not any(file.exists() for file in files)
        assert not is_running(orphan)
        assert all(file.exists() for file in (foreign, old, living.file))
        assert is_running(beside)
        assert doctor("--clean") == "nothing was left behind\n"


def leave_a_process_behind() -> None:
    """Be killed as an owner without root."""
    from lasthop.testbed import enter_user_namespace  # noqa: PLC0415

    enter_user_namespace()
    with Namespace() as namespace:
        print(orphaned_sleep(namespace), flush=True)  # noqa: T201  its caller reads it
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_without_a_named_namespace_is_found_by_its_mark() -> None:
    def clean() -> None:
        left = Leftovers.find()
        assert left.processes == (orphan,)
        left.remove()

    with alone():
        told = as_nobody(leave_a_process_behind)
        assert told.status == -signal.SIGKILL
        orphan = int(told.said)
        assert is_running(orphan)
        told = as_nobody(clean)
        assert told.status == 0, told.said
        assert not is_running(orphan)


def test_a_process_at_home_is_none_whatever_it_says() -> None:
    marked = {**os.environ, "LASTHOP_MADE_BY": "lasthop-1-1"}
    with subprocess.Popen(["sleep", "600"], env=marked) as process:
        assert process.pid not in Leftovers.find().processes
        process.kill()
