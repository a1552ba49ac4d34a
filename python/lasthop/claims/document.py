"""Judged claims as claims.json holds them."""

from collections.abc import Iterable, Mapping
from typing import Any

from lasthop.claims.judgement import Judgement


def claims_document(
    judgements: Iterable[Judgement], study: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the claims as plain values, with the changes that `--set` made."""
    changes = list(study.get("changes") or ())
    return [{**judgement.as_json(), "study_changes": changes} for judgement in judgements]
