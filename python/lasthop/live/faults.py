"""What sockets complain about, in one line."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from lasthop import _native
from lasthop.errors import EnvironmentFailure, Interrupted

_REMEDIES = {
    errno.EADDRINUSE: "the port is taken; end who has it, or choose another one",
    errno.EACCES: "no permission; ports below 1024 need rights, choose a higher one",
    errno.EADDRNOTAVAIL: "no address of this machine",
    errno.ECONNREFUSED: "nobody listens there",
}


@contextmanager
def told_in_one_line(where: str) -> Iterator[None]:
    """Turn what the kernel or the other end refuses into an error of the environment."""
    try:
        yield
    except _native.RunCancelled as error:
        raise Interrupted(where) from error
    except OSError as error:
        place = error.filename or where
        why = _REMEDIES.get(error.errno or 0) or error.strerror or str(error)
        message = f"{place}: {why}"
        raise EnvironmentFailure(message) from error
