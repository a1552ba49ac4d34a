"""manifest.json: what the folder answers, how far it is, and where and when it was made."""

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Self

from lasthop.errors import UsageError
from lasthop.results.atomic import environment, replacement
from lasthop.results.description import check_description
from lasthop.results.digest import FileDigest
from lasthop.results.stored import DamagedResultsError, read_stored, understanding
from lasthop.version import __version__

State = Literal["running", "interrupted", "complete"]

FILE = "manifest.json"
CHANGED = "was changed after lasthop wrote it"

_FORMAT = 1
_TYPES: Mapping[str, type | UnionType] = {
    "study_hash": str,
    "plan_hash": str,
    "selection": str | None,
    "planned_runs": int,
    "seeds": dict,
    "command": str,
    "state": str,
    "lasthop": str,
    "counts": dict,
    "digests": dict,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The folder's identity and state; with `timings.parquet` all that differs between machines.

    Attributes
    ----------
    digests
        Size and SHA-256 of the tables and judgements beside it, by file name.
    digest
        SHA-256 of all of the manifest but this; folders of before have none.
    """

    study: Mapping[str, Any]
    study_hash: str
    plan_hash: str
    selection: str | None
    planned_runs: int
    seeds: Mapping[str, int]
    command: str
    state: State = "running"
    format: int = _FORMAT
    lasthop: str = __version__
    working_copy: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    started: str = ""
    finished: str | None = None
    host: Mapping[str, Any] = field(default_factory=dict)
    digests: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    digest: str | None = field(default=None, compare=False)

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Read a folder's manifest; None if there is none.

        Raises
        ------
        DamagedResultsError
            It is not as lasthop wrote it.
        UsageError
            A newer lasthop wrote it.
        """
        path = folder / FILE
        content = read_stored(path)
        if content is None:
            return None
        with understanding(path, "is not a manifest of lasthop"):
            if (found := content["format"]) != _FORMAT:
                message = f"{path}: format {found} is not known to this lasthop"
                raise UsageError(f"{message}; update lasthop, or choose another --out")
            manifest = cls(**content)
            check_description(manifest.study)
            manifest._check_types()
        if manifest.digest is not None and manifest.digest != manifest._own_digest():
            raise DamagedResultsError(path, CHANGED)
        return manifest

    def write(self, folder: Path) -> None:
        """Replace the folder's manifest, atomically."""
        path = folder / FILE
        content = asdict(self) | {"digest": self._own_digest()}
        text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False)
        with environment(path), replacement(path) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8")

    def _own_digest(self) -> str:
        content = asdict(self)
        del content["digest"]
        text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return FileDigest.of(text.encode("utf-8")).sha256

    def _check_types(self) -> None:
        for name, kind in _TYPES.items():
            if not isinstance(getattr(self, name), kind):
                raise TypeError(name)
        for entry in self.digests.values():
            FileDigest.stored(entry)

    def begun(self) -> Self:
        """Return it with this host and the present moment as its start."""
        return replace(self, started=_now(), host=describe_host())

    def ended(self, state: State, counts: Mapping[str, int]) -> Self:
        """Return it with its outcome and the present moment as its end."""
        return replace(self, state=state, counts=dict(counts), finished=_now())

    @property
    def whole(self) -> bool:
        """Whether every run of the study is there, and not a share or a part of them."""
        return self.state == "complete" and self.selection is None

    def answers_the_same(self, other: "Manifest") -> bool:
        """Tell whether two folders would hold the same rows, if one build made both."""
        return (self.plan_hash, self.selection) == (other.plan_hash, other.selection)

    def made_alike(self, other: "Manifest") -> bool:
        """Tell whether one build of lasthop makes both; versions stand in the plan hash."""
        return self.working_copy == other.working_copy


def describe_host() -> dict[str, Any]:
    """Return what of this machine may matter to a reader of wall times."""
    return {
        "platform": platform.platform(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "cpu_count": os.cpu_count(),
        "packages": {"polars": version("polars")},
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
