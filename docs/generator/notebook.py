"""The notebook as a page."""

from __future__ import annotations

import json
from pathlib import Path

NOTEBOOK = Path(__file__).parents[1] / "notebooks/chen-kunz-figures.ipynb"


def cells() -> str:
    """Write its texts and its code, one after the other."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return "\n\n".join(
        source if kind == "markdown" else f"```python\n{source}\n```"
        for kind, source in (
            (cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]
        )
    )
