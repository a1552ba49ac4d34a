"""Canonical JSON of a run spec, and its hash."""

from __future__ import annotations

import hashlib
import json

from lasthop.version import __version__


def canonical_json(value: object) -> str:
    """Return the canonical JSON of a value, which is hashed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def identity(spec_json: str, *, digits: int, version: str = __version__) -> str:
    """Return the hash of a run spec and the version of lasthop."""
    text = f"{spec_json}\n{version}"
    return hashlib.sha256(text.encode()).hexdigest()[:digits]
