"""claims.json and multiverse.json: what the runs of a folder say of published claims."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lasthop.results.stored import DamagedResultsError, read_stored

CLAIMS = "claims.json"
MULTIVERSE = "multiverse.json"


def read_claims(folder: Path) -> Sequence[Mapping[str, Any]]:
    """Read how the runs of a folder stand to its study's claims; nothing if it has none.

    Raises
    ------
    DamagedResultsError
        The file is not as it was written.
    """
    found = read_stored(folder / CLAIMS)
    if found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(claim, dict) for claim in found):
        raise DamagedResultsError(folder / CLAIMS, "the file is not a list of claims")
    return found


def read_multiverse(folder: Path) -> Mapping[str, Any] | None:
    """Read what a folder's runs say of another study's claims; None if they say nothing.

    Raises
    ------
    DamagedResultsError
        The file is not as it was written.
    """
    found = read_stored(folder / MULTIVERSE)
    if found is None or isinstance(found, dict):
        return found
    raise DamagedResultsError(folder / MULTIVERSE, "the file is not a multiverse")
