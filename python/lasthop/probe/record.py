"""The folder of a probe: raw results line by line, and the path that follows from them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.probe.path_text import path_text

if TYPE_CHECKING:
    from pathlib import Path

_RAW, _PATH = "raw.jsonl", "path.yaml"


@dataclass(slots=True)
class Record:
    """Results of a probe, kept as soon as they are there.

    Attributes
    ----------
    results
        By the names of the tests.
    used_bytes
        What the tests have sent and received.
    """

    folder: Path
    server: str
    results: dict[str, Any] = field(default_factory=dict)
    used_bytes: int = 0

    @classmethod
    def open(cls, folder: Path, server: str) -> Record:
        """Make a folder, or go on with the one of a probe that was interrupted.

        Raises
        ------
        UsageError
            If it is that of another server, or of something else.
        """
        record = cls(folder, server)
        raw = folder / _RAW
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lines = raw.read_text("utf-8").splitlines() if raw.exists() else []
        except OSError as error:
            raise EnvironmentFailure(
                f"--out {folder}: {error.strerror}; choose another folder"
            ) from error
        for number, line in enumerate(lines, start=1):
            record.take(line, number)
        return record

    def take(self, line: str, number: int) -> None:
        """Read a line of the raw results."""
        place = f"{self.folder / _RAW}:{number}"
        try:
            entry = json.loads(line)
            server, test, result = entry["server"], entry["test"], entry["result"]
        except (ValueError, KeyError, TypeError):
            raise UsageError(f"{place}: this is no result of a probe; remove the line") from None
        if server != self.server:
            raise UsageError(
                f"{place}: the folder has results of the server {server}; choose another folder "
                "with --out"
            )
        self.results[test] = result
        self.used_bytes += int(entry.get("used_bytes", 0))

    def keep(self, test: str, result: Any, *, used_bytes: int) -> None:  # noqa: ANN401  JSON
        """Add a result, and write the path anew."""
        self.results[test] = result
        self.used_bytes += used_bytes
        entry = {
            "server": self.server,
            "test": test,
            "used_bytes": used_bytes,
            "result": result,
        }
        try:
            with (self.folder / _RAW).open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
            (self.folder / _PATH).write_text(path_text(self.results, self.server), "utf-8")
        except OSError as error:
            raise EnvironmentFailure(f"{self.folder}: {error.strerror}; free space") from error

    @property
    def path_file(self) -> Path:
        """The file with the path."""
        return self.folder / _PATH
