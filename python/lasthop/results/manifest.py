"""manifest.json: what the folder answers, how far it is, and where and when it was made."""

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, Self

from lasthop.errors import UsageError
from lasthop.results.atomic import environment, replacement
from lasthop.version import __version__

State = Literal["running", "interrupted", "complete"]

_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The folder's identity and state; with `timings.parquet` all that differs between machines."""

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

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Read a folder's manifest; None if there is none."""
        path = folder / "manifest.json"
        try:
            with environment(path):
                if not path.exists():
                    return None
                content = json.loads(path.read_text(encoding="utf-8"))
            if content.get("format") != _FORMAT:
                message = f"{path}: format {content.get('format')} is not known to this lasthop"
                raise UsageError(f"{message}; choose another --out")
            return cls(**content)
        except (ValueError, TypeError, AttributeError) as error:
            message = f"{path}: not a manifest of lasthop; choose another --out"
            raise UsageError(message) from error

    def write(self, folder: Path) -> None:
        """Replace the folder's manifest, atomically."""
        path = folder / "manifest.json"
        text = json.dumps(asdict(self), indent=2, sort_keys=True, ensure_ascii=False)
        with environment(path), replacement(path) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8")

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
    packages = ("pyarrow", "polars")
    return {
        "platform": platform.platform(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "cpu_count": os.cpu_count(),
        "packages": {name: version(name) for name in packages},
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
