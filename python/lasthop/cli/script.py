"""Scripts beside studies: what a user can meet is told as by the command."""

import os
from collections.abc import Callable

from lasthop.cli.output import complain
from lasthop.errors import EXIT_INTERRUPTED, LasthopError


def run_script(main: Callable[[], None]) -> None:
    """Run a script; an error of lasthop is one line and its exit code, and so is Ctrl-C.

    Raises
    ------
    SystemExit
        With the exit code, where it failed.
    """
    try:
        main()
    except LasthopError as error:
        complain(str(error))
        raise SystemExit(error.exit_code) from None
    except KeyboardInterrupt:
        complain("interrupted")
        os._exit(EXIT_INTERRUPTED)
