"""Vega, Vega-Lite and Vega-Embed as one script, for a page that needs no network."""

from functools import cache
from pathlib import Path

_SCRIPT = Path(__file__).with_name("vega.js")


@cache
def vega_bundle() -> str:
    """Return the script that defines ``lasthopEmbed``; `scripts/bundle_vega.py` makes it."""
    return _SCRIPT.read_text(encoding="utf-8")
