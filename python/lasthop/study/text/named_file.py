"""Reads a file beside a study that the study names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.errors import EnvironmentFailure, StudyError, UsageError
from lasthop.study.text.document import Document
from lasthop.study.text.faults import Fault, show
from lasthop.study.text.source import parse, read_file

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path


def read_named_file(path: Path, *, of: str, keys: Collection[str], sketch: str) -> Document:
    """Read a file that must have one of `keys` at its top.

    Parameters
    ----------
    path
        The file.
    of
        What it holds, in the plural; an error says it.
    keys
        The keys by which the file is known as one of its kind.
    sketch
        How such a file begins; an error shows it.

    Raises
    ------
    Fault
        If there is no such file.
    StudyError
        If it is not YAML, or has none of the keys.
    """
    try:
        text = read_file(path)
    except (UsageError, EnvironmentFailure):
        what = f"the file {show(path.name or path)} cannot be read"
        raise Fault(
            what, hint=f"write the name of a {of} file in the folder of the study"
        ) from None
    source = parse(text, name=str(path))
    if not isinstance(source.value, dict) or source.value.keys().isdisjoint(keys):
        raise StudyError(
            f"this file has no list of {of}", hint=sketch, file=str(path), line=1, column=1
        )
    return Document(source, source.value)
