"""The workspace as cargo sees it."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class Crate:
    """A crate of the workspace."""

    name: str
    folder: Path
    dependencies: frozenset[str]
    """Those to build it."""
    dev_dependencies: frozenset[str]
    """Those to test it."""

    @property
    def is_benchmark(self) -> bool:
        """Whether it is no part of the product."""
        return self.folder.is_relative_to(ROOT / "benchmarks")


@pytest.fixture(scope="session")
def crates() -> dict[str, Crate]:
    """Every crate by its name, but the one of the fuzz targets."""
    command = ["cargo", "metadata", "--no-deps", "--offline", "--locked", "--format-version=1"]
    done = subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    found = [
        Crate(
            package["name"],
            Path(package["manifest_path"]).parent,
            *(
                frozenset(
                    dependency["name"]
                    for dependency in package["dependencies"]
                    if (dependency["kind"] == "dev") == is_dev
                )
                for is_dev in (False, True)
            ),
        )
        for package in json.loads(done.stdout)["packages"]
        if Path(package["manifest_path"]).parent != ROOT / "fuzz"
    ]
    return {crate.name: crate for crate in found}
