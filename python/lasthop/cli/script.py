"""Helpers for scripts beside studies: errors are printed as by the command."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from lasthop.cli.output import complain, discard
from lasthop.errors import EXIT_INTERRUPTED, LasthopError, UsageError


def run_script(main: Callable[[], None]) -> None:
    """Run a script. An error of lasthop, or Ctrl-C, becomes one line and an exit code.

    Raises
    ------
    SystemExit
        With the exit code, where it failed.
    """
    try:
        main()
        sys.stdout.flush()
    except LasthopError as error:
        complain(str(error))
        raise SystemExit(error.exit_code) from None
    except KeyboardInterrupt:
        complain("interrupted")
        os._exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        discard(sys.stdout.fileno())  # Who reads has enough, as `head`.


def named_folders(*usual: str) -> tuple[Path, ...]:
    """Give the result folders of the script's arguments.

    Raises
    ------
    UsageError
        With the usual call, where there are more or fewer.
    """
    given = sys.argv[1:]
    if len(given) != len(usual):
        called = " ".join((f"python {sys.argv[0]}", *(f"results/{name}" for name in usual)))
        message = f"one result folder is needed, and {len(given)} are given; write: {called}"
        raise UsageError(message)
    return tuple(map(Path, given))
