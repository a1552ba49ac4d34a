"""A gateway whose data are on a server of PostgreSQL: what it refuses, and while that is gone."""

import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from .asking import publish
from .conftest import COMMAND, PATIENCE_S, RunClient, Server, StartServer
from .postgres_server import PostgresServer, name_of
from .test_gateway import REGISTRY, Client, Device, add, log

LISTEN = ("mqtt://127.0.0.1:0", "http://127.0.0.1:0")
LIST = ("gateway", "device", "list", "--data")


@pytest.fixture
def url(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return an empty database, whose password is in the environment."""
    monkeypatch.setenv("PGPASSWORD", postgres.password)
    return postgres.new_database()


@pytest.fixture
def device() -> Device:
    return Device("d1", ec.generate_private_key(ec.SECP256R1()))


@pytest.fixture
def gone(postgres: PostgresServer) -> Iterator[PostgresServer]:
    """Return the server, which runs again whatever a test has done."""
    yield postgres
    if postgres.process is None:
        postgres.start()


@pytest.mark.soak
@pytest.mark.parametrize("crash", [signal.SIGQUIT, signal.SIGINT])
def test_a_database_that_goes_away_is_refused_for_and_loses_nothing(  # noqa: PLR0913, PLR0917
    crash: signal.Signals,
    serve: StartServer,
    lasthop: RunClient,
    url: str,
    gone: PostgresServer,
    device: Device,
) -> None:
    add(lasthop, url, device)
    token = device.token()
    options = ("--http", f"--data={url}", "--limit=device_messages=1000000")
    server = serve("gateway", *options, listen=LISTEN)
    client = Client(server, device)
    client.client.reconnect_delay_set(1, 1)
    # It goes while messages are on their way.
    sent = [client.publish("/devices/d1/events", str(number)) for number in range(500)]
    sent[50].wait_for_publish(PATIENCE_S)
    gone.stop(crash)
    assert [publish(server, device, token, b"lost") for _ in range(3)] == [503] * 3
    assert server.process.poll() is None
    gone.start()
    await_kept(server, device, token)
    # paho says again what was not acknowledged, which may be there twice then.
    for info in sent:
        info.wait_for_publish(PATIENCE_S)
    # What is told to devices comes again as well.
    client.subscribe("/devices/d1/config")
    done = lasthop("gateway", "config", "set", device.path, "slow", "--data", url)
    assert done.returncode == 0, done.stderr
    client.await_message("/devices/d1/config", "slow")
    client.leave()
    kept = {str(row["payload_base64"]) for row in log(lasthop, url)}
    assert len(kept) == 500 + 1
    offsets = [row["offset"] for row in log(lasthop, url)]
    assert offsets == sorted(set(map(int, map(str, offsets))))


def await_kept(server: Server, device: Device, token: str) -> None:
    """Publish until it is kept."""
    deadline = time.monotonic() + PATIENCE_S
    while publish(server, device, token, b"back") != 200:
        assert time.monotonic() < deadline, "it never goes on"
        time.sleep(0.1)


@pytest.mark.smoke("PostgreSQL")
def test_what_was_acknowledged_outlives_a_crash_of_both(
    serve: StartServer, lasthop: RunClient, url: str, gone: PostgresServer, device: Device
) -> None:
    add(lasthop, url, device)
    server = serve("gateway", f"--data={url}", "--limit=device_messages=1000000")
    client = Client(server, device)
    sent = [client.publish("/devices/d1/events", str(number)) for number in range(2000)]
    sent[200].wait_for_publish(PATIENCE_S)
    server.process.kill()
    gone.stop(signal.SIGQUIT)
    server.process.communicate()
    assert client.gone.wait(PATIENCE_S)
    client.client.loop_stop()
    acknowledged = sum(info.is_published() for info in sent)
    assert acknowledged > 200
    gone.start()
    assert len(log(lasthop, url)) >= acknowledged


@pytest.mark.soak
def test_devices_added_at_once_to_nothing_are_all_there(
    lasthop: RunClient, url: str, device: Device, tmp_path: Path
) -> None:
    key = str(device.public_key(tmp_path))
    names = [f"{REGISTRY}/d{number}" for number in range(6)]
    command = [*COMMAND, "gateway", "device", "add", "--key", key, "--data", url]
    adding = [subprocess.Popen([*command, name], stdout=subprocess.DEVNULL) for name in names]
    assert [process.wait(PATIENCE_S) for process in adding] == [0] * len(names)
    listed = lasthop(*LIST, url).stdout
    assert listed == "".join(f"{name} ES256 configuration 0\n" for name in names)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        ("UPDATE lasthop_gateway.version SET version = 99", "version 99, and this lasthop knows 2"),
        ("DROP TABLE lasthop_gateway.version", "none of a gateway"),
    ],
)
def test_a_database_of_others_is_refused_untouched(  # noqa: PLR0913, PLR0917
    spoil: str, told: str, lasthop: RunClient, url: str, postgres: PostgresServer, device: Device
) -> None:
    add(lasthop, url, device)
    name = name_of(url)
    postgres.ask(spoil, name)
    look = "SELECT relname, xmin FROM pg_class ORDER BY oid"
    before = postgres.ask(look, name)
    for words in (("serve", "gateway", "--listen", "127.0.0.1:0", "--data"), LIST):
        done = lasthop(*words, url)
        assert (done.returncode, done.stderr.count("\n")) == (4, 1), done.stderr
        assert told in done.stderr
    assert postgres.ask(look, name) == before


@pytest.mark.soak
def test_a_database_that_cannot_keep_is_refused(
    lasthop: RunClient, url: str, gone: PostgresServer
) -> None:
    gone.ask("CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0")
    done = lasthop(*LIST, url.replace(name_of(url), "ascii"))
    assert (done.returncode, "cannot hold every text" in done.stderr) == (4, True), done.stderr
    gone.stop()
    done = lasthop(*LIST, url)
    assert (done.returncode, done.stderr.count("\n")) == (4, 1), done.stderr
    gone.start("fsync=off")
    done = lasthop(*LIST, url)
    assert (done.returncode, "fsync=off" in done.stderr) == (4, True), done.stderr
    gone.stop()


@pytest.mark.soak
def test_a_password_is_read_as_libpq_does_and_never_told(
    lasthop: RunClient,
    url: str,
    postgres: PostgresServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PGPASSWORD")
    monkeypatch.setenv("HOME", str(tmp_path))
    name = name_of(url)
    with_password = url.replace("gate@", f"gate:{postgres.password}@")
    assert lasthop(*LIST, with_password).returncode == 0
    # Refused, it is not told either.
    for bad in (with_password.replace(name, "none"), with_password.replace("gate:", "joe:")):
        done = lasthop(*LIST, bad)
        assert (done.returncode, done.stderr.count("\n")) == (4, 1), done.stderr
        assert postgres.password not in done.stderr + done.stdout
    done = lasthop(*LIST, url)
    assert done.returncode == 4
    file = tmp_path / ".pgpass"
    right = f"{postgres.folder}:5432:{name}:gate:{postgres.password}"
    file.write_text(f"# of the tests\nother:*:*:*:wrong\n{right}\n")
    file.chmod(0o644)
    done = lasthop(*LIST, url)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "chmod 600" in done.stderr
    file.chmod(0o600)
    assert lasthop(*LIST, url).returncode == 0
    monkeypatch.setenv("PGPASSFILE", str(file.rename(tmp_path / "elsewhere")))
    for variable, value in (("HOST", str(postgres.folder)), ("USER", "gate"), ("DATABASE", name)):
        monkeypatch.setenv(f"PG{variable}", value)
    assert lasthop(*LIST, "postgresql://").returncode == 0


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("postgresql://gate@db:x/farm", "has no database name"),
        ("postgresql://gate:secret@[::1/farm", "has no database name"),
        ("postgresql://gate:secret@db/farm?sslmode=on", '"on" is not a valid sslmode'),
        ("postgresql://gate:secret@db/farm?sslmode=verify-full&sslrootcert=/no", "/no cannot be"),
        ("postgresql://gate:secret@db/farm?sslmode=verify-ca&sslrootcert=/etc/passwd", "passwd"),
        ("postgresql://gate:secret@db/farm?pool=3", '"pool"'),
        ("postgresql://gate:secret@db/farm?port=0", '"0" is not a port'),
    ],
)
def test_a_bad_url_is_one_line_without_the_password(
    bad: str, told: str, lasthop: RunClient
) -> None:
    done = lasthop(*LIST, bad)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert told in done.stderr
    assert "secret" not in done.stderr


@pytest.mark.soak
def test_what_cannot_be_done_is_not_done(
    lasthop: RunClient, url: str, device: Device, tmp_path: Path
) -> None:
    add(lasthop, url, device)
    key = str(device.public_key(tmp_path))
    gateway, other = f"{REGISTRY}/g1", f"{REGISTRY}/d9"
    adds = ("gateway", "device", "add", gateway, "--key", key, "--attaches", "bound")
    assert lasthop(*adds, "--data", url).returncode == 0
    before = lasthop(*LIST, url).stdout
    refused: tuple[tuple[str, ...], ...] = (
        ("bind", gateway, other),
        ("bind", other, device.path),
        ("bind", device.path, gateway),
        ("unbind", gateway, device.path),
        ("device", "remove", other),
        ("config", "set", other, "x"),
        ("command", "send", device.path, "x"),
    )
    for words in refused:
        done = lasthop("gateway", *words, "--data", url)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert lasthop(*LIST, url).stdout == before
