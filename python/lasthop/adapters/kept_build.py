"""Programs that are built at their first use and cached."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def kept(made: Path, build: Callable[[Path], None]) -> Path:
    """Return a cached file, and build it if it is missing.

    Concurrent callers wait for the build.

    Parameters
    ----------
    made
        Path of the cached file. One file of its folder is built at a time.
    build
        Function that writes the file to a given temporary path.

    Raises
    ------
    OSError
        The folder cannot be written.
    """
    if made.exists():
        return made
    made.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(made.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Ends with the descriptor, however this process ends.
        fcntl.flock(folder, fcntl.LOCK_EX)
        if not made.exists():
            unfinished = made.with_name(f"{made.name}.unfinished")
            try:
                build(unfinished)
                unfinished.replace(made)
            finally:
                unfinished.unlink(missing_ok=True)
    finally:
        os.close(folder)
    return made
