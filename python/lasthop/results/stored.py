"""JSON files of a result folder, and errors for damaged folders."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lasthop.errors import EnvironmentFailure
from lasthop.regular_file import NotRegularError, TooLargeError, read_regular
from lasthop.results.atomic import environment

MAXIMUM_BYTES = 64 * 1024 * 1024
MAXIMUM_DEPTH = 64
"""Maximum nesting. Lasthop's own files use a quarter; Python's stack ends at 1,000."""


class DamagedResultsError(EnvironmentFailure):
    """Error: a file of a result folder is not as lasthop wrote it.

    Parameters
    ----------
    path
        The file.
    what
        What is wrong with it.
    """

    def __init__(self, path: Path, what: str) -> None:
        remedy = "run the study again with another --out, or restore the folder from a copy"
        super().__init__(f"{path}: {what}; {remedy}")


def read_stored(path: Path) -> Any:  # noqa: ANN401  (JSON, whose shape the caller knows)
    """Read a JSON file of a result folder; None if it does not exist.

    Raises
    ------
    DamagedResultsError
        It is no regular file of a sane size, no JSON, or nested too deep.
    """
    with _reading(path):
        if not path.exists():
            return None  # also where a link leads nowhere
        text = read_regular(path, maximum_bytes=MAXIMUM_BYTES).decode("utf-8")
        content = json.loads(text)
        _check_depth(content)
        if "\\ud" in text.lower():  # half a character, which cannot be written again
            json.dumps(content, ensure_ascii=False).encode("utf-8")
        return content


@contextmanager
def understanding(path: Path, what: str) -> Iterator[None]:
    """Report unexpected content of a file as damage of the file."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        raise DamagedResultsError(path, what) from error


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        with environment(path):
            try:
                yield
            except (NotRegularError, TooLargeError) as error:
                raise DamagedResultsError(path, str(error.strerror)) from error
    except (ValueError, RecursionError) as error:
        raise DamagedResultsError(path, "the file is not valid JSON") from error


def _check_depth(content: object) -> None:
    level = [content]
    for _ in range(MAXIMUM_DEPTH):
        level = [
            inner
            for value in level
            if isinstance(value, dict | list)
            for inner in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return
    raise RecursionError
