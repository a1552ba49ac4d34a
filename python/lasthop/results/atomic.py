"""Atomic file writes: a file is complete or absent."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.regular_file import NotRegularError, check_regular

_ADVICE = {
    errno.ENOSPC: "free some space, and run the same command again to continue",
    errno.EDQUOT: "free some space, and run the same command again to continue",
    errno.EACCES: "choose another folder",
    errno.EPERM: "choose another folder",
    errno.EROFS: "choose another folder",
    errno.ENOTDIR: "choose another folder",
    errno.EEXIST: "choose another folder",
}
_SHOWN_CHARACTERS = 60


@contextmanager
def environment(path: Path) -> Iterator[None]:
    """Convert an operating-system error on `path` to a one-line error with a remedy.

    Raises
    ------
    UsageError
        The name is at fault, which the user wrote.
    EnvironmentFailure
        Anything else.
    """
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            shown = f"{str(path)[:_SHOWN_CHARACTERS]}..."
            raise UsageError(f"{shown}: the name is too long; choose a shorter one") from error
        what = error.strerror or str(error).splitlines()[0]
        advice = _ADVICE.get(error.errno or 0)
        line = f"{path}: {what}" if advice is None else f"{path}: {what}; {advice}"
        raise EnvironmentFailure(line) from error


@contextmanager
def replacement(path: Path) -> Iterator[Path]:
    """Yield a temporary path. On success it replaces `path`, on failure it is removed.

    Raises
    ------
    UsageError
        Something that is no file stands there, which must not be replaced.
    """
    with _replacement(path, publish) as temporary:
        yield temporary


@contextmanager
def checked_replacement(path: Path) -> Iterator[Path]:
    """Replace a file as `replacement` does, but without waiting for the disk.

    A power cut may take the last of many such files. Whoever reads them notices and makes them
    again, which costs less than to wait for every one of them.
    """
    with _replacement(path, Path.replace) as temporary:
        yield temporary


@contextmanager
def _replacement(path: Path, into_place: Callable[[Path, Path], object]) -> Iterator[Path]:
    _check_replaceable(path)
    temporary = temporary_name(path)
    try:
        yield temporary
        with environment(path):
            into_place(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _check_replaceable(path: Path) -> None:
    with environment(path):
        if not path.exists():
            return
        try:
            check_regular(path.stat(), path)
        except NotRegularError as error:
            raise UsageError(f"{path}: {error.strerror}; choose another name") from None


def publish(temporary: Path, path: Path) -> None:
    """Rename a written file to its final name durably."""
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.replace(path)
    synchronise_folder(path.parent)


def temporary_name(path: Path) -> Path:
    """Return the name of the temporary file for `path`. The folder's lock protects it."""
    return path.with_name(f".{path.name}.tmp")


def remove_temporaries(folder: Path) -> None:
    """Remove temporary files of killed processes."""
    for pattern in (".*.tmp", ".*.partial", ".report.html.*"):
        for leftover in folder.glob(pattern):
            leftover.unlink(missing_ok=True)


def synchronise_folder(folder: Path) -> None:
    """Make renames in `folder` durable across a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
