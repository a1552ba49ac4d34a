"""Which build of lasthop makes results: a working copy changes while its version stays."""

import hashlib
import sysconfig
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from lasthop.version import __version__

_MAKERS = (
    "lasthop._native",
    "lasthop.results.finalise",
    "lasthop.results.part",
    "lasthop.results.schema",
    "lasthop.results.table_writer",
    "lasthop.running.engine",
    "lasthop.running.finishing",
)
"""The modules by which a run spec becomes rows; what a spec says is part of the run's id."""


@cache
def working_copy() -> str | None:
    """Return a digest of what makes results in this working copy; None for an installed wheel.

    A wheel is known by its version. What reads results (the answer, the claims, the report) is
    left out: it works on results of any build.
    """
    files = [_file(name) for name in _MAKERS]
    installed = {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}
    if any(folder in installed for file in files if file for folder in file.parents):
        return None
    digest = hashlib.sha256()
    for name, file in zip(_MAKERS, files, strict=True):
        content = b"" if file is None else file.read_bytes()
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def this_build() -> str:
    """Name the build in words; two that are named alike make the same results."""
    copy = working_copy()
    return __version__ if copy is None else f"{__version__} (working copy {copy})"


def _file(module: str) -> Path | None:
    found = find_spec(module)
    return None if found is None or found.origin is None else Path(found.origin).resolve()
