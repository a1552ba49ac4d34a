"""The commands together, and the one place where an error becomes a line and an exit code."""

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Annotated, ParamSpec

import typer

from lasthop.cli import (
    archive,
    columns,
    compare,
    demo,
    doctor,
    explain,
    fit,
    gateway,
    get,
    init,
    ledger,
    link,
    load,
    plan,
    post,
    probe,
    pub,
    put,
    report,
    run,
    serve,
    stacks,
    studies,
    sub,
    ui,
)
from lasthop.cli.output import complain, say
from lasthop.cli.version import say_version
from lasthop.errors import EXIT_BAD_INPUT, EXIT_INTERRUPTED, LasthopError
from lasthop.sockets import require_sockets

_P = ParamSpec("_P")

# Not among the codes that mean something of a study: a bug of lasthop.
_EXIT_BUG = 70


def on_sockets(name: str, command: Callable[_P, int]) -> Callable[_P, int]:
    """Wrap a command that needs sockets, so that a build without sockets refuses it clearly."""

    @wraps(command)
    def checked(*arguments: _P.args, **options: _P.kwargs) -> int:
        require_sockets(f"lasthop {name}")
        return command(*arguments, **options)

    return checked


app = typer.Typer(
    name="lasthop",
    help="Finds the IoT protocol stack and settings for your fleet on your network.",
    epilog="Start with: lasthop demo",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.command(run.NAME, epilog=run.EXAMPLE, cls=run.CLASS)(run.command)
app.command(link.NAME, epilog=link.EXAMPLE, cls=link.CommandOfPrograms)(
    on_sockets(link.NAME, link.command)
)
_STUDIES = (
    demo,
    report,
    compare,
    plan,
    archive,
    studies,
    stacks,
    columns,
    explain,
    ledger,
    fit,
    init,
    doctor,
    ui,
)
_SOCKETS = (load, probe, serve, gateway, pub, sub, get, put, post)
for module in _STUDIES:
    app.command(module.NAME, epilog=module.EXAMPLE)(module.command)
for module in _SOCKETS:
    app.command(module.NAME, epilog=module.EXAMPLE)(on_sockets(module.NAME, module.command))


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", help="Prints the version.")] = False,
) -> None:
    if version:
        raise typer.Exit(say_version())
    if context.invoked_subcommand is None:
        say(context.get_help())


def run_command() -> int:
    """Run the command that the arguments name; return its exit code.

    0 passed, 1 an expectation failed, 2 bad study or usage, 3 a run is invalid, 4 the
    environment failed, 130 interrupted; 70 is a bug of lasthop itself.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        code = app(standalone_mode=False, prog_name="lasthop")
    except LasthopError as error:
        complain(str(error))
        return error.exit_code
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "lasthop"
        complain(f"{error.format_message().rstrip('.')}; see {command} --help")
        return EXIT_BAD_INPUT
    except (typer.Abort, KeyboardInterrupt):
        complain("interrupted")
        return EXIT_INTERRUPTED
    except SystemExit:
        # The help goes through Rich, which leaves this way when its reader has left.
        return 0
    except Exception as error:  # the last line of defence against a traceback
        if "LASTHOP_TRACEBACK" in os.environ:
            raise
        what = f"{type(error).__name__}: {error}"
        complain(f"internal error: {what}; LASTHOP_TRACEBACK=1 shows where, please report it")
        return _EXIT_BUG
    if code == EXIT_INTERRUPTED:
        complain("interrupted")
    return code if isinstance(code, int) else 0
