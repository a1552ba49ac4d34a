"""Arrow, as commands load it."""

import sys


def load_arrow() -> None:
    """Load Arrow without numpy, which it takes where it finds it.

    No command hands it an array of numpy, and loading numpy takes an eighth of a short run. Who
    needs numpy afterwards loads it as ever.
    """
    if {"numpy", "pyarrow"} & sys.modules.keys():
        return
    sys.modules["numpy"] = None  # type: ignore[assignment]  # whose import fails, as Python defines
    try:
        import pyarrow as pa  # noqa: F401, PLC0415  (imported when needed)
    finally:
        del sys.modules["numpy"]
