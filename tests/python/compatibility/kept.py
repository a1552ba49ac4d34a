"""The files that a released version wrote: studies, results, run specs and names."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lasthop.errors import EXIT_MEANINGS
from lasthop.results.meaning import TABLES
from lasthop.study.forms.keys import known_keys
from lasthop.study.stacks import catalogue

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parent / "versions"
STUDIES = ("short", "fleet")
"""The studies of each version: one in the short form, one in the long form."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The files of one version.

    Attributes
    ----------
    folder
        Studies and claims as `NAME.yaml`, results as `NAME-results`, a run spec of each stack in
        `run-specs`, and names in `names.json`.
    """

    folder: Path

    @property
    def version(self) -> str:
        """The version, which names the folder."""
        return self.folder.name

    def study(self, name: str) -> Path:
        """Return the file of a study."""
        return self.folder / f"{name}.yaml"

    def results(self, name: str) -> Path:
        """Return the results folder of a study."""
        return self.folder / f"{name}-results"

    @property
    def run_specs(self) -> Sequence[Path]:
        """Return the run specs."""
        return sorted((self.folder / "run-specs").glob("*.json"))

    @property
    def names(self) -> dict[str, Any]:
        """Return the names that this version knew, as `names_of_today` has them."""
        found: dict[str, Any] = json.loads((self.folder / "names.json").read_text(encoding="utf-8"))
        return found


def versions() -> list[Kept]:
    """Return every version whose files are kept, the oldest first."""
    return [Kept(folder) for folder in sorted(ROOT.iterdir()) if folder.is_dir()]


def names_of_today() -> dict[str, Any]:
    """Return the names that users write or read: keys, stacks, columns and exit codes."""
    stacks = catalogue()
    return {
        "study keys": sorted(known_keys()),
        "applications": sorted(stacks.applications),
        "stack options": sorted(stacks.options()),
        "columns": {
            table: {column.name: f"{column.kind} {column.unit or ''}".strip() for column in schema}
            for table, (_, schema) in sorted(TABLES.items())
        },
        "exit codes": sorted(EXIT_MEANINGS),
    }
