"""The same as nobody, in a user namespace of the machine."""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from tests.python.testbed.other_user import Told, as_nobody
from tests.python.testbed.test_namespaces import forbid_user_namespaces

from lasthop.cli import main

from .conftest import QUIET

LOADED = "import sys; from lasthop.cli import main; main(); print(*sys.modules, sep='\\n')"


def link(*arguments: str, forbidden: bool = False) -> Told:
    """Run the command as nobody, who may not read what Python would load late."""
    short = [sys.executable, "-c", LOADED, "link", "--delay", "1ms", "--jitter", "1ms", "--summary"]
    loaded = subprocess.run(
        [*short, *QUIET, "--", "true"], check=True, stdout=subprocess.PIPE, text=True
    )
    for module in loaded.stdout.split():
        if module.partition(".")[0] in {"lasthop", "encodings", "pydantic", "ruamel", "typer"}:
            import_module(module)

    def work() -> int:
        if forbidden:
            forbid_user_namespaces()
        sys.argv[:] = ["lasthop", "link", *arguments]
        return main()

    return as_nobody(work)


@pytest.mark.soak
def test_a_broker_and_its_client_need_no_root(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    written = Path("/tmp") / f"lasthop-test-{os.getpid()}.conf"  # noqa: S108  nobody reads it there
    written.write_text("listener 1883\nallow_anonymous true\n")
    try:
        told = link(
            *("--delay", "50ms", "--summary=json", *QUIET, "--far", f"mosquitto -c {written}"),
            *("--", "mosquitto_pub", "-h", "{host}", "-t", "x", "-m", "y", "-q", "1"),
        )
    finally:
        written.unlink()
    assert told.status == 0, told.said
    summary = json.loads(told.said.splitlines()[-1])
    assert summary["seconds"] > 0.4  # Four round trips: connection, session, message, farewell.
    assert summary["up"]["oversized_packets"] == 0
    assert summary["up"]["offered"] == summary["up"]["delivered"]


def test_the_program_is_the_users_and_cannot_change_the_link() -> None:
    told = link(
        *QUIET, "--", "sh", "-c", "id -u; ip link delete link0 || grep CapEff /proc/self/status"
    )
    assert told.status == 0, told.said
    first, *_, last = told.said.splitlines()
    assert (first, last.split()[1]) == ("65534", "0" * 16)


def test_where_it_is_forbidden_the_switch_is_told() -> None:
    told = link(*QUIET, "--", "true", forbidden=True)
    switch = "sudo sysctl -w user.max_user_namespaces=10000, or run the command with sudo"
    what = "this machine forbids user namespaces (user.max_user_namespaces is 0)"
    assert (told.status, told.said) == (4, f"lasthop: {what}; run {switch}\n")


def test_a_port_takes_root() -> None:
    told = link("--port", "eth0", "--", "true")
    assert (told.status, told.said) == (
        4,
        "lasthop: --port eth0: it needs root; run the command with sudo\n",
    )
