"""`lasthop --version`, which loads next to nothing: scripts ask for it, and often."""

from lasthop.cli.output import complain, say
from lasthop.errors import EXIT_PASS, LasthopError
from lasthop.version import __version__


def say_version() -> int:
    """Print the version and return the exit code."""
    try:
        say(f"lasthop {__version__}")
    except LasthopError as error:
        complain(str(error))
        return error.exit_code
    return EXIT_PASS
