"""The one form in which a run spec is hashed, and its hash."""

from __future__ import annotations

import hashlib
import json

from lasthop.version import __version__


def canonical_json(value: object) -> str:
    """Write JSON in the one form that is hashed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def identity(spec_json: str, *, digits: int, version: str = __version__) -> str:
    """Hash a run spec with the version of lasthop."""
    text = f"{spec_json}\n{version}"
    return hashlib.sha256(text.encode()).hexdigest()[:digits]
