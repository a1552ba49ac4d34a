"""Keys that ``--set`` can replace, and the changes that it made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.errors import StudyError
from lasthop.study.plan.parameters import flow_text
from lasthop.study.text.document import SET, Document, Replacement
from lasthop.study.text.faults import show
from lasthop.study.text.steps import value_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lasthop.study.plan.grid import GridPart

_HOW_OFTEN = ("repeat", "seed")
"""Keys of the number of repetitions and their seed. They do not change the question."""


def changes_to(written: Document, document: Document) -> tuple[str, ...]:
    """Return each setting that differs from the file, such as ``path.loss=5 %``."""
    replaced = {replacement.key: replacement for replacement in document.overrides}
    return tuple(
        f"{key}={flow_text(replacement.value)}"
        for key, replacement in replaced.items()
        if key not in _HOW_OFTEN and value_at(written.value, key) != replacement.value
    )


def check_overrides(replacements: Iterable[Replacement], parts: Sequence[GridPart]) -> None:
    """Check that the sweep does not override `--set`.

    Raises
    ------
    StudyError
        If a part sets or sweeps the same key.
    """
    for replacement in replacements:
        key = replacement.key
        taking = [
            part.name for part in parts if any(_takes(axis.key, replacement) for axis in part.axes)
        ]
        if taking:
            named = ", ".join(map(show, taking))
            say = f"the part {named} sets" if len(taking) == 1 else f"the parts {named} set"
            raise StudyError(
                f"{say} it in the sweep",
                hint="change the sweep in the study, or set a key that is not swept",
                file=f"{SET}{key}",
            )


def _takes(swept: str, replacement: Replacement) -> bool:
    """Return whether a swept key replaces an overridden value or a part of it."""
    key = replacement.key
    if swept == key or key.startswith(f"{swept}."):
        return True
    return (
        swept.startswith(f"{key}.")
        and value_at(replacement.value, swept.removeprefix(f"{key}.")) is not None
    )
