"""All that a gateway has is copied while it runs, and a gateway starts from the copy."""

import shutil
import stat
import threading
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from .asking import publish
from .conftest import RunClient, StartServer
from .postgres_server import PostgresServer
from .test_gateway import Device, add, log

LISTEN = ("mqtt://127.0.0.1:0", "http://127.0.0.1:0")


@pytest.fixture
def device() -> Device:
    return Device("d1", ec.generate_private_key(ec.SECP256R1()))


def test_a_copy_of_a_server_that_is_written_to_is_whole(
    serve: StartServer, lasthop: RunClient, tmp_path: Path, device: Device
) -> None:
    data, copy, restored = tmp_path / "data", tmp_path / "copy.sqlite", tmp_path / "restored"
    add(lasthop, data, device)
    options = ("--http", "--limit=device_messages=100000")
    server = serve("gateway", *options, f"--data={data}", listen=LISTEN)
    token = device.token()
    over = threading.Event()
    said: list[int] = []

    def keep_saying() -> None:
        while not over.is_set():
            assert publish(server, device, token, str(len(said)).encode()) == 200
            said.append(len(said))

    thread = threading.Thread(target=keep_saying)
    thread.start()
    try:
        while len(said) < 20:
            pass
        before = len(said)
        done = lasthop("gateway", "backup", str(copy), f"--data={data}")
    finally:
        over.set()
        thread.join()
    assert (done.returncode, done.stdout) == (0, f"the data are in {copy}\n"), done.stderr
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    again = lasthop("gateway", "backup", str(copy), f"--data={data}")
    assert (again.returncode, again.stderr.count("\n")) == (4, 1)
    restored.mkdir(mode=0o700)
    shutil.copy(copy, restored / "gateway.sqlite")
    kept = [row["offset"] for row in log(lasthop, restored)]
    assert kept == list(range(1, len(kept) + 1))
    assert len(kept) >= before
    other = serve("gateway", *options, f"--data={restored}", listen=LISTEN)
    assert publish(other, device, token, b"later") == 200
    assert log(lasthop, restored)[-1]["offset"] == len(kept) + 1


@pytest.mark.soak
def test_a_database_of_postgresql_has_tools_of_its_own(
    lasthop: RunClient,
    postgres: PostgresServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    device: Device,
) -> None:
    monkeypatch.setenv("PGPASSWORD", postgres.password)
    url = postgres.new_database()
    add(lasthop, url, device)
    done = lasthop("gateway", "backup", str(tmp_path / "copy"), "--data", url)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "pg_dump --schema lasthop_gateway" in done.stderr
