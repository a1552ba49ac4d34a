"""The command `lasthop`."""

import gc
import os
import sys

__all__ = ["main"]

_OBJECTS_UNTIL_COLLECTION = 200_000


def main() -> int:
    """Run the command that the arguments name; return its exit code.

    It is the last thing that a process does: nothing that it leaves behind is collected.
    """
    try:
        if sys.argv[1:] == ["--version"]:
            from lasthop.cli.version import say_version  # noqa: PLC0415

            return say_version()
        # Most of what a command makes are classes that stay: looking for rubbish among them takes
        # a twentieth of a short one.
        gc.set_threshold(_OBJECTS_UNTIL_COLLECTION)
        # Imported here, so that Ctrl-C in the first tenths of a second shows no traceback.
        from lasthop.cli.application import run_command  # noqa: PLC0415

        return run_command()
    except KeyboardInterrupt:
        os._exit(130)
    finally:
        # Python looks through all that is left as it ends, a fifth of a short command.
        gc.freeze()
