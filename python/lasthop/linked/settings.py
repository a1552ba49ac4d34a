"""The keys of a path as arguments of a function."""

from __future__ import annotations

import numbers
import os
from typing import TYPE_CHECKING, Any

from lasthop.emulator.settings import LinkSettings
from lasthop.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def read_settings(written: Mapping[str, Any], *, seed: int) -> LinkSettings:
    """Read the settings of a link.

    Parameters
    ----------
    written
        By the keys of a path, as a study has them. A mapping stands for the keys below its own.

    Raises
    ------
    StudyError
        If a value is wrong.
    UsageError
        If one is of a type that no key has.
    """
    given = {key: value for key, value in written.items() if value is not None}
    jitter = given.pop("jitter", None)
    if jitter is not None and not isinstance(jitter, str):
        raise UsageError(f'jitter: {jitter!r} is not a text; write for example jitter="20 ms"')
    return LinkSettings.read(_options(given), seed=seed, jitter=jitter)


def _options(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str, str]]:
    for name, value in values.items():
        key = f"{above}{name}"
        if isinstance(value, dict):
            yield from _options(value, f"{key}.")
        else:
            yield key, key, _text(key, value)


def _text(key: str, value: object) -> str:
    """Write a value as a study has it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_text(key, each) for each in value)}]"
    if isinstance(value, os.PathLike):
        quoted = os.fspath(value).replace("'", "''")
        return f"'{quoted}'"
    if isinstance(value, str | numbers.Real):
        return str(value)
    raise UsageError(f'{key}: {value!r} is not a value of a path; write for example loss="10 %"')
