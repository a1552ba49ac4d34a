"""What was acknowledged, and what of it is there after something went wrong."""

import sys
from collections.abc import Collection


def lost(when: str, acknowledged: Collection[object], found: Collection[object]) -> set[object]:
    """Return what was acknowledged and not found; `pytest -rP` prints what it counts."""
    missing = set(acknowledged) - set(found)
    counts = f"acknowledged {len(acknowledged)}, found {len(found)}, lost {len(missing)}"
    sys.stdout.write(f"{when}: {counts}\n")
    return missing
