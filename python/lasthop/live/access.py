"""Access control of a server: users and rules in mosquitto's file formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop import _native
from lasthop.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path


def read_access(
    *,
    users: Iterable[str],
    password_file: Path | None,
    acl_file: Path | None,
    allow_anonymous: bool,
) -> _native.Access:
    """Read the users of a server and their permissions."""
    access = _native.Access()
    for user in users:
        access.add_user(*read_user(user))
    _add_file("--password-file", password_file, access.add_password_file)
    _add_file("--acl-file", acl_file, access.add_acl_file)
    if allow_anonymous:
        access.allow_anonymous()
    return access


def read_user(text: str) -> tuple[str, str]:
    """Parse ``NAME:PASSWORD``.

    Examples
    --------
    >>> read_user("ann:a:b")
    ('ann', 'a:b')
    """
    name, colon, password = text.partition(":")
    if not (name and colon):
        message = f'--user: "{text}" is not NAME:PASSWORD; write {name or "ann"}:PASSWORD'
        raise UsageError(message)
    return name, password


def _add_file(option: str, path: Path | None, add: Callable[[str], None]) -> None:
    if path is None:
        return
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "the file is not UTF-8 text"
        message = f"{option}: {path}: {why.lower()}"
        raise UsageError(message) from error
    try:
        add(text)
    except ValueError as error:
        message = f"{option}: {path}, {error}"
        raise UsageError(message) from None
