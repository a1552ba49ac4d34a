"""Results on standard output, whole lines at a time, whoever reads them."""

import io
import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lasthop.errors import EnvironmentFailure, one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

# What a file or a pipe gets, where no terminal says how wide it is.
_WIDTH_WITHOUT_TERMINAL = 160

WIDTH_FOR_VERDICTS = 110
"""Below it a table of stacks has no column of verdicts."""


def say(text: str = "") -> None:
    """Write lines to standard output. A closed pipe, as with `head`, is not an error."""
    _write(text + "\n")


def _write(text: str) -> None:
    if sys.stdout is None:
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout.fileno())
    except OSError as error:
        discard(sys.stdout.fileno())
        message = (
            f"standard output: {error.strerror or error}; free some space, or "
            "write to another place"
        )
        raise EnvironmentFailure(message) from error


def say_json(value: Mapping[str, Any]) -> None:
    """Write one JSON object to standard output."""
    say(json.dumps(value, ensure_ascii=False, allow_nan=False))


def say_json_with_list(value: Mapping[str, Any], key: str, lists: Iterable[str]) -> None:
    """Write a JSON object whose last entry is a long list, in parts."""
    head = json.dumps({**value, key: []}, ensure_ascii=False, allow_nan=False)
    _write(head.removesuffix("]}"))
    separator = ""
    for part in lists:
        _write(separator + part.removeprefix("[").removesuffix("]"))
        separator = ", "
    _write("]}\n")


def output_width() -> int:
    """Return how many characters a line of standard output holds."""
    terminal = _is_terminal()
    return shutil.get_terminal_size().columns if terminal else _WIDTH_WITHOUT_TERMINAL


def show(renderable: "RenderableType") -> None:
    """Write a table or a styled text to standard output."""
    from rich.console import Console  # noqa: PLC0415  (imported when needed: it takes 50 ms)

    drawn = io.StringIO()
    console = Console(
        file=drawn, force_terminal=_is_terminal() or None, width=output_width(), highlight=False
    )
    console.print(renderable)
    lines = (line.rstrip() for line in drawn.getvalue().rstrip("\n").split("\n"))
    say("\n".join(lines))


def complain(message: str) -> None:
    """Write one line to standard error."""
    with suppress(OSError, AttributeError):
        sys.stderr.write(f"lasthop: {one_line(message)}\n")
        sys.stderr.flush()


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def discard(descriptor: int) -> None:
    """Discard buffered output for a closed pipe, so that the exit is silent."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
