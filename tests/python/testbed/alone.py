"""Tests that leave something behind take turns: each would find, and remove, that of others."""

import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone() -> Iterator[None]:
    """Wait until no other test leaves something behind on this machine."""
    with (Path(tempfile.gettempdir()) / "lasthop-test-leftovers").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
