"""A gateway whose disk is full refuses, and what it said it has kept is there."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from .asking import publish
from .conftest import RunClient, StartServer
from .counting import lost
from .test_gateway import Device, add

# A disk of 4 MiB where the folder is to be: the database, and half of the disk in its way.
ON_A_SMALL_DISK = """
mount -t tmpfs -o size=4m tmpfs "$1"
cp -a "$0"/. "$1"
head -c 2M /dev/zero > "$1/ballast"
shift
exec "$@"
"""


def test_a_full_disk_refuses_and_loses_nothing_and_room_mends_it(
    serve: StartServer, lasthop: RunClient, tmp_path: Path
) -> None:
    name_space = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "-rm"]
    mount = ["mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    if subprocess.run([*name_space, *mount], check=False, capture_output=True).returncode != 0:
        pytest.skip("this machine lets nobody mount a small file system")
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


def kept(folder: Path, copy: Path) -> set[bytes]:
    """Return the messages of a database as it is on the disk, whoever has it open."""
    copy.mkdir()
    for name in ("gateway.sqlite", "gateway.sqlite-wal"):
        shutil.copy(folder / name, copy / name)
    with closing(sqlite3.connect(copy / "gateway.sqlite")) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {row[0] for row in database.execute("SELECT payload FROM messages")}
