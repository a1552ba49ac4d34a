"""Converts socket errors to one-line errors."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from lasthop import _native
from lasthop.errors import EnvironmentFailure, Interrupted

_REMEDIES = {
    errno.EADDRINUSE: "the port is in use; stop the program that uses it, or choose another port",
    errno.EACCES: "no permission; choose a port of 1024 or above",
    errno.EADDRNOTAVAIL: 'not an address of this machine; choose one that "ip address" shows',
    errno.ECONNREFUSED: "no server listens there; check the address, or start the server",
}


@contextmanager
def one_line_errors(where: str) -> Iterator[None]:
    """Convert errors of the kernel or the peer to `EnvironmentFailure`."""
    try:
        yield
    except _native.RunCancelled as error:
        raise Interrupted(where) from error
    except OSError as error:
        place = error.filename or where
        why = _REMEDIES.get(error.errno or 0) or error.strerror or str(error)
        message = f"{place}: {why}"
        raise EnvironmentFailure(message) from error
