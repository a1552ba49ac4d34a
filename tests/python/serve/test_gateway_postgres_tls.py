"""A gateway whose data are on a server of PostgreSQL that speaks TLS: whom it believes."""

import os
import pwd
import shutil
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, make
from cryptography.hazmat.primitives.asymmetric import ec

from .conftest import PATIENCE_S, FindProgram, RunClient, StartServer
from .postgres_server import PostgresServer, name_of
from .test_gateway import Client, Device, add, log

pytestmark = pytest.mark.soak

LIST = ("gateway", "device", "list", "--data")
SSL = """SELECT count(*) FILTER (WHERE ssl), count(*) FILTER (WHERE NOT ssl)
    FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'lasthop gateway'"""


@dataclass
class Site:
    """A server that speaks TLS at an address, with a database."""

    server: PostgresServer
    database: str
    files: Credentials
    stranger: Credentials

    def url(self, mode: str, host: str = "127.0.0.1", authority: Path | None = None) -> str:
        authority = authority or self.files.authority
        place = f"postgresql://gate@{host}:{self.server.port}/{self.database}"
        return f"{place}?sslmode={mode}&sslrootcert={authority}"


@pytest.fixture
def site(
    postgres: PostgresServer,
    tmp_path: Path,
    find_program: FindProgram,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Site]:
    monkeypatch.setenv("PGPASSWORD", postgres.password)
    monkeypatch.setenv("HOME", str(tmp_path))
    openssl = find_program("openssl", "openssl")
    folders = [tmp_path / name for name in ("own", "stranger")]
    for folder in folders:
        folder.mkdir()
    files, stranger = (make(openssl, folder, "ec") for folder in folders)
    database = name_of(postgres.new_database())
    postgres.stop()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    key = shutil.copy(files.key, postgres.folder / "server.key")
    certificate = shutil.copy(files.certificate, postgres.folder / "server.pem")
    for file in (key, certificate):
        Path(file).chmod(0o600)
        if postgres.user is not None:
            known = pwd.getpwnam(postgres.user)
            os.chown(file, known.pw_uid, known.pw_gid)
    try:
        postgres.start(
            "listen_addresses=127.0.0.1",
            "ssl=on",
            f"ssl_cert_file={certificate}",
            f"ssl_key_file={key}",
            port=port,
        )
        yield Site(postgres, database, files, stranger)
    finally:
        postgres.stop()
        postgres.start()


@pytest.mark.parametrize("mode", ["prefer", "require", "verify-ca", "verify-full", "disable"])
def test_a_gateway_keeps_what_devices_say_on_a_server_that_speaks_tls(
    mode: str, site: Site, serve: StartServer, lasthop: RunClient
) -> None:
    device = Device("d1", ec.generate_private_key(ec.SECP256R1()))
    url = site.url(mode)
    add(lasthop, url, device)
    server = serve("gateway", f"--data={url}")
    client = Client(server, device)
    client.publish("/devices/d1/events", "smoke").wait_for_publish(PATIENCE_S)
    client.leave()
    # One connection writes, one hears.
    assert site.server.ask(SSL) == ("0|2" if mode == "disable" else "2|0")
    assert [row["payload_base64"] for row in log(lasthop, url)] == ["c21va2U="]
    assert server.stop() == 0


def test_a_server_that_is_not_believed_is_told_in_a_line_without_the_password(
    site: Site, lasthop: RunClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = site.stranger.authority
    password = site.server.password
    for mode, host, authority, told in (
        ("verify-full", "127.0.0.1", stranger, "of no authority of sslrootcert"),
        ("verify-ca", "127.0.0.1", stranger, "of no authority of sslrootcert"),
        # Who has an authority wants it to be asked, as libpq does.
        ("require", "127.0.0.1", stranger, "of no authority of sslrootcert"),
        ("verify-full", "localhost", None, "for another host"),
    ):
        url = site.url(mode, host, authority)
        for shown in (url, url.replace("gate@", f"gate:{password}@")):
            done = lasthop(*LIST, shown)
            assert (done.returncode, done.stderr.count("\n")) == (4, 1), done.stderr
            assert told in done.stderr
            assert password not in done.stderr + done.stdout
    # The name is not asked for, and neither is the authority that nobody named.
    assert lasthop(*LIST, site.url("verify-ca", "localhost")).returncode == 0
    bare = site.url("require", "localhost").partition("&")[0]
    assert lasthop(*LIST, bare).returncode == 0
    for name, value in (("SSLMODE", "verify-full"), ("SSLROOTCERT", str(stranger))):
        monkeypatch.setenv(f"PG{name}", value)
    done = lasthop(*LIST, bare.partition("?")[0])
    assert (done.returncode, "of no authority" in done.stderr) == (4, True), done.stderr


def test_an_authority_is_looked_for_where_libpq_does(
    site: Site, lasthop: RunClient, tmp_path: Path
) -> None:
    bare = site.url("verify-full").partition("&")[0]
    done = lasthop(*LIST, bare)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "add sslrootcert=FILE" in done.stderr
    (tmp_path / ".postgresql").mkdir()
    shutil.copy(site.files.authority, tmp_path / ".postgresql/root.crt")
    assert lasthop(*LIST, bare).returncode == 0
    # Public authorities know nothing of this server.
    done = lasthop(*LIST, f"{bare}&sslrootcert=system")
    assert (done.returncode, "of no authority" in done.stderr) == (4, True), done.stderr


def test_a_server_without_tls_is_not_asked_in_the_clear_instead(
    postgres: PostgresServer, lasthop: RunClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", postgres.password)
    database = name_of(postgres.new_database())
    postgres.stop()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    try:
        postgres.start("listen_addresses=127.0.0.1", port=port)
        url = f"postgresql://gate@127.0.0.1:{port}/{database}?sslmode="
        assert lasthop(*LIST, f"{url}prefer").returncode == 0
        done = lasthop(*LIST, f"{url}require")
        assert (done.returncode, done.stderr.count("\n")) == (4, 1), done.stderr
        assert "does not support TLS" in done.stderr
    finally:
        postgres.stop()
        postgres.start()
