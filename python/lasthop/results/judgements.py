"""Verdicts on published claims in claims.json and multiverse.json."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lasthop.results.stored import DamagedResultsError, read_stored

CLAIMS = "claims.json"
MULTIVERSE = "multiverse.json"


def read_claims(folder: Path) -> Sequence[Mapping[str, Any]]:
    """Read the judged claims of a folder; empty if its study has none.

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
    return [claim | {"verdict": _today(claim)} for claim in found]


def _today(claim: Mapping[str, Any]) -> str | None:
    """Return a verdict in the current term. Older versions wrote "reproduced"."""
    if claim.get("verdict") != "reproduced":
        return claim.get("verdict")
    return "holds" if claim.get("kind") == "order" else "predicted"


def read_multiverse(folder: Path) -> Mapping[str, Any] | None:
    """Read the judged multiverse of a folder; None if it has none.

    Raises
    ------
    DamagedResultsError
        The file is not as it was written.
    """
    found = read_stored(folder / MULTIVERSE)
    if found is None:
        return None
    if isinstance(found, dict):
        return _renamed(found)
    raise DamagedResultsError(folder / MULTIVERSE, "the file is not a multiverse")


def _renamed(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a multiverse in the current terms. Older versions wrote "reproduced"."""
    found = {("holding" if key == "reproduced" else key): document[key] for key in document}
    for key, value in found.items():
        if isinstance(value, dict):
            found[key] = _renamed(value)
        elif isinstance(value, list):
            found[key] = [_renamed(one) if isinstance(one, dict) else one for one in value]
    if found.get("verdict") == "reproduced":
        found["verdict"] = "predicted"
    return found
