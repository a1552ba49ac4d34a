"""claims.json: what became of each claim of the study."""

import json
from collections.abc import Sequence
from pathlib import Path

from lasthop.claims.judgement import Judgement
from lasthop.results.atomic import environment, replacement


def write_judgements(path: Path, judgements: Sequence[Judgement]) -> None:
    """Write the file whole or not at all."""
    content = [judgement.as_json() for judgement in judgements]
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    with environment(path), replacement(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")
