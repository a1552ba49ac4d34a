"""The Rust programs of this benchmark."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class BenchmarkError(Exception):
    """A program that is missing, cannot be built or fails."""


@dataclass(frozen=True, slots=True)
class Programs:
    """Where the programs are."""

    paths: dict[str, Path]

    @classmethod
    def build(cls) -> Programs:
        """Build them, if they are not.

        Raises
        ------
        BenchmarkError
            If they cannot be built.
        """
        cargo = shutil.which("cargo")
        if cargo is None:
            raise BenchmarkError("cargo is missing; install Rust (rustup.rs)")
        command = [cargo, "build", "--release", "--locked", "-p", "tcp_against_linux"]
        command += ["--bins", "--message-format=json-render-diagnostics"]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise BenchmarkError("cargo cannot build tcp_against_linux")
        messages = [json.loads(line) for line in done.stdout.splitlines()]
        built = [message for message in messages if message.get("executable")]
        return cls({one["target"]["name"]: Path(one["executable"]) for one in built})

    def __getitem__(self, name: str) -> Path:
        """Return where a program is."""
        return self.paths[name]
