"""The referee's findings, as stored in `referee.json`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

from lasthop.results.stored import read_stored, understanding

FILE = "referee.json"

Check = Literal[
    "overload",
    "repeated_run",
    "identical_arms",
    "different_credentials",
    "believes_anybody",
    "too_few_repetitions",
]

DIFFERENT_CREDENTIALS: Final = "different_credentials"
"""Check for arms that authenticate differently. A study may intend that."""

TOO_FEW_REPETITIONS: Final = "too_few_repetitions"
"""Check for claims with too few repetitions. Its findings come from claims, not runs."""

_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of one check on runs or on a comparison.

    Attributes
    ----------
    check
        Name of the check.
    invalid
        Whether the finding invalidates results. It does not for an allowed overload, for arms that
        are equal in one part only, or for different authentication.
    part
        Part of the study; None for the whole study.
    stacks
        Affected arms.
    figure
        The figure that shows it.
    what
        The finding as a sentence.
    """

    check: Check
    invalid: bool
    part: str | None
    stacks: tuple[str, ...]
    figure: str
    what: str

    def __str__(self) -> str:
        """Return the finding as one line."""
        where = "" if self.part is None else f", part {self.part}"
        return f"{self.check}: {', '.join(self.stacks)}{where}: {self.what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """All findings of the referee in a folder: on runs and on comparisons of arms."""

    runs: tuple[Finding, ...] = ()
    comparisons: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return all findings, those on runs first."""
        return (*self.runs, *self.comparisons)

    @property
    def valid(self) -> bool:
        """Return whether no finding invalidates a result."""
        return not any(finding.invalid for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        """Return the ruling as plain values for JSON."""
        return {
            "format": _FORMAT,
            "runs": [asdict(finding) for finding in self.runs],
            "comparisons": [asdict(finding) for finding in self.comparisons],
        }


def read_ruling(folder: Path) -> Ruling:
    """Read the ruling of a folder; it is empty if the folder has none.

    Raises
    ------
    DamagedResultsError
        It is not as lasthop wrote it.
    """
    path = folder / FILE
    content = read_stored(path)
    if content is None:
        return Ruling()
    with understanding(path, "is not a ruling of this lasthop"):
        known = {_FORMAT: ("runs", "comparisons")}[content["format"]]
        return Ruling(**{scope: tuple(map(_finding, content[scope])) for scope in known})


def _finding(content: Mapping[str, Any]) -> Finding:
    return Finding(**{**content, "stacks": tuple(content["stacks"])})
