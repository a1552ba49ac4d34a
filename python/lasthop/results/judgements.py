"""claims.json and multiverse.json: what the runs of a folder say of published claims."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from lasthop.claims import claims_of, judge
from lasthop.errors import UsageError
from lasthop.results.atomic import environment, replacement
from lasthop.results.manifest import Manifest

CLAIMS = "claims.json"
MULTIVERSE = "multiverse.json"


def judge_folder(folder: Path, manifest: Manifest) -> None:
    """Write what the study asks for, and remove what was written for other runs.

    Only a whole study can be held against claims. The referee learns on how much each rests.
    """
    from lasthop.referee.claims import rule_on_claims  # noqa: PLC0415  (it reads result folders)

    claims = claims_of(manifest.study) if manifest.whole else ()
    multiverse = manifest.study.get("multiverse") if manifest.whole else None
    contents: dict[str, object] = {CLAIMS: None, MULTIVERSE: None}
    if claims or multiverse:
        with environment(folder):
            runs = pl.read_parquet(folder / "runs.parquet")
        if claims:
            judgements = judge(claims, runs, seed=manifest.study["seed"])
            contents[CLAIMS] = [judgement.as_json() for judgement in judgements]
            repetitions = {judgement.id: judgement.n for judgement in judgements}
            rule_on_claims(folder, repetitions, quick=manifest.study["quick"])
        if multiverse:
            from lasthop.multiverse import analyse  # noqa: PLC0415  (few studies are one)

            contents[MULTIVERSE] = analyse(runs, manifest.study).as_json()
    for name, content in contents.items():
        _store(folder / name, content)


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


def _store(path: Path, content: object) -> None:
    """Write a file whole or not at all; without content there is none."""
    with environment(path):
        if content is None:
            path.unlink(missing_ok=True)
            return
        text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
        with replacement(path) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8")
