"""Namespaces of root and of anybody: what is set in them, and that nothing outlives them."""

import os
import socket
import subprocess
from pathlib import Path

import pytest

from lasthop.errors import EnvironmentFailure
from lasthop.testbed import Namespace, enter_user_namespace
from lasthop.testbed.namespace import owner_of
from lasthop.testbed.processes import processes_in
from lasthop.testbed.tag import Tag

from .other_user import NOBODY, as_nobody

KEYS = {
    "net.ipv4.tcp_no_metrics_save": "1",
    "net.ipv6.conf.all.disable_ipv6": "1",
    "net.ipv6.conf.default.disable_ipv6": "1",
}


def read(key: str) -> str:
    return Path("/proc/sys", *key.split(".")).read_text().strip()


def orphaned_sleep(namespace: Namespace) -> int:
    """Start a process that has left its parent, and say which it is."""
    return int(namespace.run("sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"))


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_namespace_says_whose_it_is_and_goes_with_all_that_runs_in_it() -> None:
    here = {key: read(key) for key in KEYS}
    with Namespace() as namespace:
        assert owner_of(namespace.name) == Tag.own()
        assert namespace.file.exists()
        assert {key: namespace.inside(lambda key=key: read(key)) for key in KEYS} == KEYS  # type: ignore[misc]
        orphan = orphaned_sleep(namespace)
        assert processes_in(namespace.file) == [orphan]
    assert not namespace.file.exists()
    assert not is_running(orphan)
    assert {key: read(key) for key in KEYS} == here


def test_what_cannot_be_made_is_told_and_leaves_nothing() -> None:
    with Namespace() as namespace:
        with pytest.raises(EnvironmentFailure, match=r"^ip .*link set nowhere up: "):
            namespace.ip("link", "set", "nowhere", "up")
        again = Namespace()
        again.name, again.file = namespace.name, namespace.file
        with pytest.raises(EnvironmentFailure, match=r"File exists"):
            again.__enter__()
        assert namespace.file.exists()


def work_without_root() -> None:
    enter_user_namespace()
    assert os.getuid() == NOBODY
    with Namespace() as namespace:
        assert {key: namespace.inside(lambda key=key: read(key)) for key in KEYS} == KEYS  # type: ignore[misc]
        status = namespace.run("cat", "/proc/self/status")
        capabilities = [line.split()[1] for line in status.splitlines() if line[:6] == "CapEff"]
        assert capabilities == ["0" * 16]
        assert namespace.run("id", "-u").strip() == str(NOBODY)
        namespace.ip("link", "add", "name", "one", "type", "veth", "peer", "name", "two")
        with pytest.raises(subprocess.CalledProcessError):
            namespace.run("ip", "link", "delete", "one")
        namespace.inside(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)).close()
        orphan = orphaned_sleep(namespace)
        assert processes_in(namespace.file) == [orphan]
    assert not is_running(orphan)


def test_without_root_the_same_is_there_and_programs_have_no_rights() -> None:
    told = as_nobody(work_without_root)
    assert told.status == 0, told.said


def forbid_user_namespaces() -> None:
    """Go where there may be no more of them: the limit is one of each user namespace."""
    enter_user_namespace()
    Path("/proc/sys/user/max_user_namespaces").write_text("0")


def refused() -> None:
    forbid_user_namespaces()
    try:
        enter_user_namespace()
    except EnvironmentFailure as failure:
        print(failure)  # noqa: T201  its caller reads it


def test_where_they_are_forbidden_the_switch_is_told() -> None:
    told = as_nobody(refused)
    assert told.status == 0, told.said
    assert told.said == (
        "this machine forbids user namespaces (user.max_user_namespaces is 0); "
        "run sudo sysctl -w user.max_user_namespaces=10000, or run the command "
        "with sudo\n"
    )
