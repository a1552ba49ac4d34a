"""A gateway whose disk is full refuses, and what it said it has kept is there."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from .asking import publish
from .conftest import COMMAND, PATIENCE_S, RunClient, StartServer
from .counting import lost
from .test_gateway import Device, add

# A small disk where the folder is to be: the database, and half of the disk in its way.
ON_A_SMALL_DISK = """
mount -t tmpfs -o size=4m tmpfs "$1"
cp -a "$0"/. "$1"
head -c 2M /dev/zero > "$1/ballast"
shift
exec "$@"
"""

# One with room for what a server keeps back.
ON_A_DISK = """
mount -t tmpfs -o size=48m tmpfs "$1"
cp -a "$0"/. "$1"
shift
exec "$@"
"""


@pytest.fixture
def name_space() -> list[str]:
    """Return the command that gives another one file systems of its own."""
    command = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "-rm"]
    mount = ["mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    if subprocess.run([*command, *mount], check=False, capture_output=True).returncode != 0:
        pytest.skip("this machine lets nobody mount a small file system")
    return command


def test_a_full_disk_refuses_and_loses_nothing_and_room_mends_it(
    serve: StartServer, lasthop: RunClient, tmp_path: Path, name_space: list[str]
) -> None:
    device = Device("d1", ec.generate_private_key(ec.SECP256R1()))
    seed, disk = tmp_path / "seed", tmp_path / "disk"
    add(lasthop, seed, device)
    disk.mkdir()
    server = serve(
        "gateway",
        "--http",
        f"--data={disk}",
        "--limit=device_messages=100000",
        "--limit=device_bytes=1000000000",
        listen=("mqtt://127.0.0.1:0", "http://127.0.0.1:0"),
        prefix=(*name_space, "sh", "-euc", ON_A_SMALL_DISK, str(seed), str(disk)),
    )
    inside = Path(f"/proc/{server.process.pid}/root{disk}")
    token = device.token()
    acknowledged, refused, number = [], 0, 0

    def say(size: int) -> int:
        nonlocal number
        number += 1
        payload = f"{number} ".encode().ljust(size, b"x")
        status = publish(server, device, token, payload)
        if status == 200:
            acknowledged.append(payload)
        return status

    # A disk of 4 MiB is full long before.
    while refused < 5:
        status = say(60_000)
        assert status in {200, 503}
        assert number < 200, "it is never full"
        refused += status == 503
    assert len(acknowledged) > 5
    assert server.process.poll() is None
    found = kept(inside, tmp_path / "while it is full")
    assert not lost(f"the disk is full, {refused} refused", acknowledged, found)
    (inside / "ballast").unlink()
    before = len(acknowledged)
    assert [say(1000) for _ in range(5)] == [200] * 5
    assert len(acknowledged) == before + 5
    assert not lost("with room again", acknowledged, kept(inside, tmp_path / "with room again"))


def test_log_trim_makes_room_on_a_full_disk_and_the_log_names_the_disk(
    serve: StartServer, lasthop: RunClient, tmp_path: Path, name_space: list[str]
) -> None:
    device = Device("d1", ec.generate_private_key(ec.SECP256R1()))
    seed, disk = tmp_path / "seed", tmp_path / "disk"
    add(lasthop, seed, device)
    disk.mkdir(mode=0o700)
    server = serve(
        "gateway",
        "--http",
        f"--data={disk}",
        "--log=json",
        "--limit=device_messages=100000",
        "--limit=device_bytes=1000000000",
        listen=("mqtt://127.0.0.1:0", "http://127.0.0.1:0"),
        prefix=(*name_space, "sh", "-euc", ON_A_DISK, str(seed), str(disk)),
    )
    inside = Path(f"/proc/{server.process.pid}/root{disk}")
    assert (inside / "reserve").stat().st_size > 8 << 20
    token = device.token()

    def say_until_full() -> list[bytes]:
        acknowledged: list[bytes] = []
        for number in range(2000):
            payload = f"{number} ".encode().ljust(60_000, b"x")
            status = publish(server, device, token, payload)
            if status == 503:
                return acknowledged
            assert status == 200
            acknowledged.append(payload)
        pytest.fail("it is never full")

    enter = ["nsenter", f"--target={server.process.pid}", "--mount"]
    if os.geteuid() != 0:
        enter += ["--user", "--preserve-credentials"]

    def trim(*options: str) -> "subprocess.CompletedProcess[str]":
        words = (*enter, *COMMAND, "gateway", "log", "trim", *options, f"--data={disk}")
        return subprocess.run(
            words, check=False, capture_output=True, text=True, timeout=PATIENCE_S
        )

    for turn in range(2):
        acknowledged = say_until_full()
        assert len(acknowledged) > 100, turn
        before = disk_free(inside)
        done = trim("--keep", "20")
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        assert done.stdout.startswith("removed "), turn
        # The newest are there, and the disk has its room again, the reserve included.
        left = kept(inside, tmp_path / f"after trimming {turn}")
        assert set(acknowledged[-19:]) <= left
        assert len(left) == 20
        assert (inside / "reserve").exists()
        assert disk_free(inside) > before + (10 << 20)
    assert publish(server, device, token, b"room") == 200
    server.process.send_signal(signal.SIGTERM)
    lines = server.process.communicate(timeout=PATIENCE_S)[1].splitlines()
    events = [json.loads(line) for line in lines]
    failures = [it for it in events if it["event"] == "store_fails"]
    assert [(it["reason"], it["data"].rstrip("/")) for it in failures] == [
        ("disk_full", str(disk))
    ] * 2
    assert not [it for it in events if it["event"] == "not_taken"], "it is no fault of a device"
    assert sum(it["event"] == "store_is_back" for it in events) == 2


def test_a_gateway_that_does_not_run_is_trimmed_on_a_full_disk(
    serve: StartServer, lasthop: RunClient, tmp_path: Path, name_space: list[str]
) -> None:
    device = Device("d1", ec.generate_private_key(ec.SECP256R1()))
    seed, disk = tmp_path / "seed", tmp_path / "disk"
    add(lasthop, seed, device)
    server = serve(
        "gateway",
        "--http",
        f"--data={seed}",
        "--limit=device_messages=100000",
        "--limit=device_bytes=1000000000",
        listen=("mqtt://127.0.0.1:0", "http://127.0.0.1:0"),
    )
    token = device.token()
    for number in range(100):
        assert publish(server, device, token, f"{number} ".encode().ljust(60_000, b"x")) == 200
    assert server.stop() == 0
    (seed / "reserve").unlink()
    disk.mkdir(mode=0o700)
    full = """
mount -t tmpfs -o size=16m tmpfs "$1"
cp -a "$0"/. "$1"
fallocate -l 1M "$1/reserve"
cat /dev/zero > "$1/ballast" 2> /dev/null || true
shift
"$@" gateway log trim --keep 10 --data "$disk"
rm "$disk/ballast"
"$@" gateway log --data "$disk" | wc -l
"""
    words = [*name_space, "sh", "-euc", full, str(seed), str(disk), *COMMAND]
    environment = os.environ | {"disk": str(disk)}
    done = subprocess.run(
        words, check=False, capture_output=True, text=True, timeout=PATIENCE_S, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "removed 90 messages\n10\n"


def disk_free(folder: Path) -> int:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def kept(folder: Path, copy: Path) -> set[bytes]:
    """Return the messages of a database as it is on the disk, whoever has it open."""
    copy.mkdir()
    for name in ("gateway.sqlite", "gateway.sqlite-wal"):
        shutil.copy(folder / name, copy / name)
    with closing(sqlite3.connect(copy / "gateway.sqlite")) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {row[0] for row in database.execute("SELECT payload FROM messages")}
