"""Reads regular files from other sources, up to a maximum size."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
_BLOCK_BYTES = 1 << 20


class NotRegularError(OSError):
    """Error: the path is a folder, FIFO, device or socket instead of a regular file."""


class TooLargeError(OSError):
    """Error: the file exceeds the maximum size."""


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file, or a link to one, for reading. Never block on a FIFO.

    Raises
    ------
    NotRegularError
        It is no regular file.
    OSError
        It cannot be opened.
    """
    check_regular(path.stat(), path)  # before a device is opened, which may do something
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        check_regular(os.fstat(descriptor), path)  # what was opened may be another file by now
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_regular(path: Path, *, maximum_bytes: int) -> bytes:
    """Read a regular file up to a maximum size.

    Raises
    ------
    NotRegularError, TooLargeError
        It is no regular file, or a larger one.
    OSError
        It cannot be read.
    """
    content = bytearray()
    with open_regular(path) as file:
        while block := file.read(_BLOCK_BYTES):
            content += block
            if len(content) > maximum_bytes:
                what = f"the file is larger than {maximum_bytes // 1024} KiB"
                raise TooLargeError(errno.EFBIG, what, str(path))
    return bytes(content)


def check_regular(status: os.stat_result, path: Path) -> None:
    """Raise an error unless the path is a regular file.

    Raises
    ------
    NotRegularError
        It is a folder, a FIFO, a device or a socket.
    """
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        code = errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL
        raise NotRegularError(code, f"is {kind}, not a file", str(path))
