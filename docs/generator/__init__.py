"""Writes parts of pages from code: `python -m docs.generator --write`, or `--check`.

A part stands between `<!-- generated: study_keys -->` and `<!-- end of study_keys -->`. It is kept
in the page, so that it can be read without building the site; a test checks that no part has fallen
behind the code.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from docs.generator import (
    command_line,
    device_profiles,
    exit_codes,
    hints,
    invariants,
    ledger_words,
    link_profiles,
    nbiot_presets,
    notebook,
    power_profiles,
    python_names,
    result_tables,
    serve_limits,
    stacks,
    study_keys,
    tariffs,
    validity,
)

if TYPE_CHECKING:
    from collections.abc import Callable

PARTS: dict[str, Callable[[], str]] = {
    "claims_keys": study_keys.claims,
    "figures_keys": study_keys.figures,
    "clouds": tariffs.clouds,
    "command_line": command_line.commands,
    "device_profiles": device_profiles.profiles,
    "exit_codes": exit_codes.table,
    "fleet_rules": result_tables.fleet_rules,
    "hints": hints.hints,
    "invariants": invariants.held,
    "ledger_words": ledger_words.tables,
    "link_profiles": link_profiles.profiles,
    "measured_names": result_tables.measured_names,
    "nbiot_presets": nbiot_presets.table,
    "notebook": notebook.cells,
    "power_profiles": power_profiles.profiles,
    "python_names": python_names.sections,
    "result_tables": result_tables.tables,
    "serve_limits": serve_limits.limits,
    "stack_catalogue": stacks.catalogue,
    "study_keys": study_keys.sections,
    "tariffs": tariffs.tariffs,
    "units": study_keys.units,
    "validity": validity.tables,
    "validity_summary": validity.summary,
}
"""What can be generated, as Markdown, by the name that pages use."""

DOCS = Path(__file__).parents[1]

_PLACE = re.compile(
    r"^<!-- generated: (?P<name>\w+) -->$.*?^<!-- end of (?P=name) -->$", re.MULTILINE | re.DOTALL
)
_BEGINNING = re.compile(r"^<!-- generated: (\w+) -->$", re.MULTILINE)


def pages() -> list[Path]:
    """Give the pages that have a generated part."""
    return [page for page in sorted(DOCS.rglob("*.md")) if parts_of(page.read_text("utf-8"))]


def parts_of(page: str) -> list[str]:
    """Give the names of the generated parts of a page.

    Examples
    --------
    >>> parts_of("<!-- generated: units -->")
    ['units']
    """
    return _BEGINNING.findall(page)


def fill(page: str) -> str:
    """Replace the generated parts in the Markdown of a page by what the code makes now.

    Examples
    --------
    >>> fill("# Exit codes")
    '# Exit codes'

    Raises
    ------
    KeyError
        If nothing of that name can be generated.
    ValueError
        If a part has no end.
    """
    filled, count = _PLACE.subn(_part, page)
    if count != len(parts_of(page)):
        message = "a generated part ends with <!-- end of NAME -->"
        raise ValueError(message)
    return filled


def _part(place: re.Match[str]) -> str:
    name = place["name"]
    return f"<!-- generated: {name} -->\n\n{PARTS[name]().strip()}\n\n<!-- end of {name} -->"
