"""Lock of a result folder: one running command at a time."""

import os
import platform
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from lasthop.errors import EnvironmentFailure
from lasthop.results.atomic import environment

try:
    import fcntl
except ImportError:  # no platform but those of Unix has it
    fcntl = None  # type: ignore[assignment]

_HOLDER_BYTES = 512


class FolderLock:
    """Locks `<folder>/.lock`. The kernel releases the lock when the process ends.

    The file says which process on which host holds it. Where the kernel has no such lock, the file
    itself is the lock, and stays behind a process that is killed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / ".lock"
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        """Take the lock, or raise an error if another process holds it."""
        while self._descriptor is None:
            with environment(self._path):
                self._descriptor = self._try_once()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the lock file if it is still ours, and release the lock."""
        if self._descriptor is None:
            return
        with suppress(OSError):
            self._path.unlink()
        os.close(self._descriptor)
        self._descriptor = None

    def _try_once(self) -> int | None:
        if fcntl is None:
            return self._make()
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(descriptor)
            os.close(descriptor)
            remedy = "wait until it ends, or choose another --out"
            raise EnvironmentFailure(f"{self._taken(holder)}; {remedy}") from None
        # The holder before us may have unlinked the file between our open and our flock:
        # then we hold a lock on a file that nobody else can see.
        try:
            visible = self._path.stat().st_ino == os.fstat(descriptor).st_ino
        except FileNotFoundError:
            visible = False
        if visible:
            os.ftruncate(descriptor, 0)
            os.write(descriptor, _ourselves())
            return descriptor
        os.close(descriptor)
        return None

    def _make(self) -> int:
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            holder = _named(self._path.read_bytes()[:_HOLDER_BYTES])
            remedy = f"wait until it ends; if it was killed, remove {self._path}"
            raise EnvironmentFailure(f"{self._taken(holder)}; {remedy}") from None
        os.write(descriptor, _ourselves())
        return descriptor

    def _taken(self, holder: str) -> str:
        return f"{self._folder}: another lasthop process is using this folder{holder}"


def _ourselves() -> bytes:
    return f"{os.getpid()} {platform.node()}\n".encode()


def _holder(descriptor: int) -> str:
    return _named(os.pread(descriptor, _HOLDER_BYTES, 0))


def _named(content: bytes) -> str:
    match content.decode("utf-8", "replace").split():
        case [process, host] if process.isdecimal():
            return f", process {process} on {host}"
        case _:  # it holds the lock since a moment
            return ""
