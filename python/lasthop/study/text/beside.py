"""Files that a study names, which must be in the folder of the study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from pathlib import Path


def file_beside(folder: Path, name: str) -> Path:
    """Return the path of a file that a study names.

    A study from elsewhere must read nothing else of the machine that runs it.

    Raises
    ------
    Fault
        If it lies outside the folder, also by a link, or cannot be looked for.
    """
    hint = "move it into the folder of the study, and write its name"
    try:
        inside = (folder / name).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        raise Fault(f"the file {show(name)} cannot be read", hint=hint) from None
    if not inside:
        raise Fault(f"the file {show(name)} is outside the folder of the study", hint=hint)
    return folder / name
