"""Finds claims that rest on too few repetitions."""

from collections.abc import Mapping
from dataclasses import replace

from lasthop.referee.ruling import FILE, TOO_FEW_REPETITIONS, Finding, Ruling, read_ruling
from lasthop.results.folder import ResultFolder

_FEWEST = 2
"""Minimum number of repetitions. A single one has no spread."""


def rule_on_claims(folder: ResultFolder, repetitions: Mapping[str, int], *, quick: bool) -> Ruling:
    """Add findings on claims with too few repetitions to a folder's ruling.

    Parameters
    ----------
    folder
        The result folder.
    repetitions
        Number of repetitions behind each claim, by claim name. Claims with 0 are not covered and
        ignored here.
    quick
        Whether the run is quick. Quick runs make no claims.
    """
    few = {name: n for name, n in repetitions.items() if 0 < n < _FEWEST and not quick}
    findings = [
        Finding(
            check=TOO_FEW_REPETITIONS,
            invalid=True,
            part=None,
            stacks=(),
            figure=f"{name}: {n} of {_FEWEST} repetitions",
            what=f"the claim {name} rests on {n} repetition{'' if n == 1 else 's'}, "
            f"fewer than {_FEWEST}",
        )
        for name, n in few.items()
    ]
    before = read_ruling(folder.path)
    others = [finding for finding in before.comparisons if finding.check != TOO_FEW_REPETITIONS]
    ruling = replace(before, comparisons=(*others, *findings))
    if ruling != before:
        folder.store(FILE, ruling.as_json())
    return ruling
