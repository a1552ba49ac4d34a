"""Checks the folder of a gateway before it is opened."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lasthop.errors import UsageError
from lasthop.live.gateway_data import is_database

if TYPE_CHECKING:
    from collections.abc import Callable

_FILE = "gateway.sqlite"
_BESIDE = ("", "-wal", "-shm")
_OTHERS = 0o077
_OWN = 0o600


def check_folder(data: str | None, *, makes: bool, tell: Callable[[str], object]) -> None:
    """Check that a folder holds a gateway, and warn if other users can enter it.

    Its database is its owner's alone then, in whatever folder. This is done before anything of this
    process opens it: to close any descriptor of a file ends the locks that SQLite has on it.

    Parameters
    ----------
    data
        Value of `--data`. A database or None is not checked.
    makes
        Whether a missing gateway is created; otherwise it is an error.
    tell
        Callback for the warning.

    Raises
    ------
    UsageError
        There is no gateway, and none is to be made.
    """
    if data is None or is_database(data):
        return
    folder = Path(data)
    if not makes and not (folder / _FILE).exists():
        raise UsageError(
            f"--data: {data} has no gateway; choose the folder of a gateway, or "
            "create one with lasthop gateway device add or lasthop serve gateway"
        )
    if folder.is_dir() and (mode := stat.S_IMODE(folder.stat().st_mode)) & _OTHERS:
        tell(
            f"--data: other users of this machine can enter {data} ({mode:o}); run chmod 700 {data}"
        )
        _make_private(folder / _FILE)


def _make_private(file: Path) -> None:
    with suppress(OSError):  # whoever opens it says what is wrong with it
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWN))
    for beside in _BESIDE:
        path = file.with_name(file.name + beside)
        # Whoever administers it for its owner cannot, and may go on.
        with suppress(OSError):
            if stat.S_IMODE(path.stat().st_mode) & _OTHERS:
                path.chmod(_OWN)
