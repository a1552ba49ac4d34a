"""Identifies the build of lasthop, including working copies without a new version."""

import hashlib
import sysconfig
import zipfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from lasthop.extensions import extensions
from lasthop.version import __version__

_MAKERS = (
    "lasthop._native",
    "lasthop.results.finalise",
    "lasthop.results.part",
    "lasthop.results.schema",
    "lasthop.results.table_writer",
    "lasthop.running.engine",
    "lasthop.running.fleet_figures",
    "lasthop.running.finishing",
)
"""Modules whose source decides the rows of a run. A change makes old results stale. Native modules
of extensions count as well, because no run spec contains their version."""


@cache
def working_copy() -> str | None:
    """Return a digest of the source that makes results; None for a plain installed wheel.

    A wheel is known by its version, an extension by its native module. What reads results (the
    answer, the claims, the report) is left out: it works on results of any build.
    """
    files = [_file(name) for name in _MAKERS]
    installed = {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}
    makers = list(zip(_MAKERS, files, strict=True))
    if any(folder in installed for file in files if file for folder in file.parents):
        makers = []
    makers += [(it.native.__name__, _file(it.native.__name__)) for it in extensions()]
    if not makers:
        return None
    digest = hashlib.sha256()
    for name, file in makers:
        content = b"" if file is None else file.read_bytes()
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def this_build() -> str:
    """Return the name of the build. Builds of one name make the same results."""
    copy = working_copy()
    return __version__ if copy is None else f"{__version__} (working copy {copy})"


def differs_from(wheel: Path) -> str | None:
    """Return the file of a wheel that differs from what makes results here; None where none does.

    Raises
    ------
    OSError, zipfile.BadZipFile
        It is no wheel that can be read.
    """
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
        for module in _MAKERS:
            file = _file(module)
            if file is None:
                continue
            name = "/".join((*module.split(".")[:-1], file.name))
            if name not in held or archive.read(name) != file.read_bytes():
                return name
    return None


def _file(module: str) -> Path | None:
    found = find_spec(module)
    return None if found is None or found.origin is None else Path(found.origin).resolve()
