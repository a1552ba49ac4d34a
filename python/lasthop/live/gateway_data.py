"""Storage of a gateway: a folder or a PostgreSQL database."""

from __future__ import annotations

import getpass
import os
import ssl
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from lasthop import _native
from lasthop.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SCHEMES = ("postgresql", "postgres")
_EXAMPLE = "postgresql://USER@HOST:5432/DATABASE"
_PORT = 5432
# Where Debian's servers have their socket; others have a host.
_SOCKETS = Path("/var/run/postgresql")
# Those of libpq; "allow" asks in the clear first, and a server that minds says so.
_SECURITY = {
    "disable": "disable",
    "allow": "disable",
    "prefer": "prefer",
    "require": "require",
    "verify-ca": "verify-ca",
    "verify-full": "verify-full",
}
_NAMES = ("host", "port", "user", "password", "dbname", "sslmode", "sslrootcert")


@dataclass(frozen=True, slots=True)
class PostgresPlace:
    """A PostgreSQL database, and the user that connects to it."""

    host: str
    port: int
    user: str
    database: str
    password: str | None = field(repr=False)
    security: str = "prefer"
    authorities: Path | None = None


def is_database(text: str) -> bool:
    """Return whether `--data` is the URL of a database and not a folder."""
    scheme, colon, _ = text.partition("://")
    return bool(colon) and scheme in _SCHEMES


def read_gateway_data(text: str) -> _native.GatewayData:
    """Read `--data`: a folder, created if it is missing, or a database URL."""
    if not is_database(text):
        return _native.GatewayData(Path(text))
    place = read_postgres(text, os.environ)
    try:
        return _native.GatewayData.on_postgres(
            host=place.host,
            port=place.port,
            user=place.user,
            database=place.database,
            password=place.password,
            security=place.security,
            authorities=_read_authorities(place.authorities),
        )
    except ValueError as error:
        message = (
            f"--data: sslrootcert: {place.authorities}: {error}; write the name of "
            "a PEM file with certificates"
        )
        raise UsageError(message) from None


def read_postgres(url: str, environment: Mapping[str, str]) -> PostgresPlace:
    """Parse a database URL. Missing parts come from libpq's environment variables.

    Examples
    --------
    >>> place = read_postgres("postgresql://gate@db/farm", {"PGPORT": "5433"})
    >>> place.host, place.port, place.database, place.security
    ('db', 5433, 'farm', 'prefer')
    >>> read_postgres("postgresql:///farm?host=/run/postgresql&user=gate", {}).host
    '/run/postgresql'
    """
    named = dict(_named(url))
    for name, variable in (
        ("host", "PGHOST"),
        ("port", "PGPORT"),
        ("user", "PGUSER"),
        ("dbname", "PGDATABASE"),
        ("password", "PGPASSWORD"),
        ("sslmode", "PGSSLMODE"),
        ("sslrootcert", "PGSSLROOTCERT"),
    ):
        if not named.get(name) and environment.get(variable):
            named[name] = environment[variable]
    user = named.get("user") or getpass.getuser()
    host = named.get("host") or (str(_SOCKETS) if _SOCKETS.is_dir() else "localhost")
    port = _read_port(named.get("port") or str(_PORT))
    database = named.get("dbname") or user
    password = named.get("password") or _of_password_file(
        _password_file(environment), (host, str(port), database, user)
    )
    mode = named.get("sslmode") or "prefer"
    security, authorities = _read_security(mode, named.get("sslrootcert"), host, environment)
    return PostgresPlace(host, port, user, database, password, security, authorities)


def _read_security(
    mode: str, named: str | None, host: str, environment: Mapping[str, str]
) -> tuple[str, Path | None]:
    """Return the TLS mode of a database connection, and the CA file that verifies its server."""
    security = _SECURITY.get(mode)
    if security is None:
        message = f'--data: "{mode}" is not a valid sslmode; write {", ".join(_SECURITY)}'
        raise UsageError(message)
    if host.startswith("/"):
        # Nobody but its ends hears a socket of this machine.
        return "disable", None
    if security in {"disable", "prefer"}:
        return security, None
    if named == "system":
        # Whoever has a certificate of a public authority is not yet this server.
        return "verify-full", Path(ssl.get_default_verify_paths().cafile or "/etc/ssl/cert.pem")
    file = Path(named) if named else Path(environment.get("HOME") or "/") / ".postgresql/root.crt"
    if not named and not file.is_file():
        if security == "require":
            return security, None
        message = (
            f"--data: sslmode={mode} needs a certificate authority; add "
            "sslrootcert=FILE, or sslrootcert=system"
        )
        raise UsageError(message)
    # As libpq does: who has an authority wants it to be asked.
    return ("verify-ca" if security == "require" else security), file


def _read_authorities(file: Path | None) -> bytes:
    if file is None:
        return b""
    try:
        return file.read_bytes()
    except OSError as error:
        message = (
            f"--data: sslrootcert: {file} cannot be read: {error.strerror}; "
            "write the name of a PEM file"
        )
        raise UsageError(message) from None


def _named(url: str) -> Iterator[tuple[str, str]]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        options = parse_qsl(parts.query, strict_parsing=bool(parts.query))
    except ValueError:
        # The text may hold a password.
        message = f"--data: the URL has no database name; write {_EXAMPLE}"
        raise UsageError(message) from None
    yield "host", unquote(host or "")
    yield "port", str(port or "")
    yield "user", unquote(parts.username or "")
    yield "password", unquote(parts.password or "")
    yield "dbname", unquote(parts.path.removeprefix("/"))
    for name, value in options:
        if name not in _NAMES:
            message = (
                f'--data: "{name}" is not a supported parameter of the database '
                f"URL; remove it, or write {', '.join(_NAMES)}"
            )
            raise UsageError(message)
        yield name, value


def _read_port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 1 << 16:
        message = f'--data: "{text}" is not a port; write {_PORT}'
        raise UsageError(message)
    return int(text)


def _password_file(environment: Mapping[str, str]) -> Path | None:
    named = environment.get("PGPASSFILE")
    if named:
        return Path(named)
    home = environment.get("HOME")
    return Path(home) / ".pgpass" if home else None


def _of_password_file(file: Path | None, names: tuple[str, str, str, str]) -> str | None:
    """Return the password of the first matching line of a libpq password file.

    As libpq does, a file that others may read is not used, and a socket is of localhost, too.
    """
    if file is None:
        return None
    try:
        mode = file.stat().st_mode
        text = file.read_text(encoding="utf-8") if stat.S_ISREG(mode) else ""
    except (OSError, UnicodeDecodeError):
        return None
    if mode & 0o077 and text:
        message = f"PGPASSFILE: other users can read {file}; run chmod 600 {file}"
        raise UsageError(message)
    host, *rest = names
    hosts = {"*", host} | ({"localhost"} if host.startswith("/") else set())
    for line in text.splitlines():
        parts = _unescaped(line)
        if (
            len(parts) == len(names) + 1
            and parts[0] in hosts
            and all(it in {"*", name} for it, name in zip(parts[1:-1], rest, strict=True))
        ):
            return parts[-1]
    return None


def _unescaped(line: str) -> list[str]:
    r"""Split a line at colons. A backslash escapes the next character.

    Examples
    --------
    >>> _unescaped(r"db:5432:*:ann:a\:b")
    ['db', '5432', '*', 'ann', 'a:b']
    """
    parts, characters = [""], iter(line)
    for it in characters:
        if it == ":":
            parts.append("")
        else:
            parts[-1] += next(characters, "") if it == "\\" else it
    return [] if line.startswith("#") else parts
