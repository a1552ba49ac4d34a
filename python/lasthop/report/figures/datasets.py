"""The rows behind a chart, kept beside it: a chart that holds its rows copies them all the time."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any


class Datasets:
    """Rows by the name under which a chart refers to them."""

    def __init__(self) -> None:
        self.named: dict[str, list[dict[str, Any]]] = {}

    def add(self, rows: Sequence[Mapping[str, Any]]) -> str:
        """Keep some rows; equal ones are kept once."""
        kept = [dict(row) for row in rows]
        digest = sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()
        name = f"rows-{digest[:16]}"
        self.named[name] = kept
        return name
