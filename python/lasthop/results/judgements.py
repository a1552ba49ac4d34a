"""claims.json and multiverse.json: what the runs of a folder say of published claims."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lasthop.errors import UsageError
from lasthop.results.atomic import environment, replacement

if TYPE_CHECKING:
    from lasthop.claims.judgement import Judgement

CLAIMS = "claims.json"
MULTIVERSE = "multiverse.json"


def claims_document(
    judgements: "Iterable[Judgement]", study: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the claims as plain values, each with what `--set` has changed in the study."""
    changes = list(study.get("changes") or ())
    return [{**judgement.as_json(), "study_changes": changes} for judgement in judgements]


def store_judgements(folder: Path, name: str, content: object) -> None:
    """Write one of the files whole or not at all; without content there is none."""
    path = folder / name
    with environment(path):
        if content is None:
            path.unlink(missing_ok=True)
            return
        text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
        with replacement(path) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8")


def read_multiverse(folder: Path) -> Mapping[str, Any] | None:
    """Read what a folder's runs say of another study's claims; None if they say nothing.

    Raises
    ------
    UsageError
        The file is not as it was written.
    """
    path = folder / MULTIVERSE
    try:
        with environment(path):
            if not path.exists():
                return None
            document: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        message = f"{path}: cannot be read; run the study again"
        raise UsageError(message) from error
    return document
