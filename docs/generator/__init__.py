"""The Sphinx extension that writes parts of pages from code.

A page says `<!-- generated: study_keys -->` where the part belongs. The parts are made at each
build, so that none can fall behind the code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docs.generator import (
    command_line,
    exit_codes,
    ledger_words,
    nbiot_presets,
    notebook,
    result_tables,
    stacks,
    study_keys,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

PARTS: dict[str, Callable[[], str]] = {
    "claims_keys": study_keys.claims,
    "command_line": command_line.commands,
    "exit_codes": exit_codes.table,
    "ledger_words": ledger_words.tables,
    "measured_names": result_tables.measured_names,
    "nbiot_presets": nbiot_presets.table,
    "notebook": notebook.cells,
    "result_tables": result_tables.tables,
    "stack_catalogue": stacks.catalogue,
    "study_keys": study_keys.sections,
    "units": study_keys.units,
}
"""What can be generated, as Markdown, by the name that pages use."""

_PLACE = re.compile(r"^<!-- generated: (\w+) -->$", re.MULTILINE)


def fill(page: str) -> str:
    """Put the generated parts into the Markdown of a page.

    Examples
    --------
    >>> fill("# Exit codes")
    '# Exit codes'

    Raises
    ------
    KeyError
        If nothing of that name can be generated.
    """
    return _PLACE.sub(lambda place: PARTS[place[1]](), page)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("source-read", lambda _, __, source: source.__setitem__(0, fill(source[0])))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
