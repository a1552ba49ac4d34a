"""The wheel, installed into an environment that has what it requires and nothing else."""

import re
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment with the wheel."""

    wheel: Path
    folder: Path

    def __call__(self, *arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
        """Run a program of the environment, which knows nothing of this checkout."""
        program, *rest = arguments
        return subprocess.run(
            [self.folder / "bin" / program, *rest],
            cwd=cwd,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, with the profile of the tests: that of `make wheel` takes minutes."""
    out = tmp_path_factory.mktemp("wheel")
    command = [str(ROOT / "scripts/wheel"), "--profile", "release", "--out", str(out)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install it beside the packages of `requirements.lock`, which it names as its requirements."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder), "install", "--quiet"]
    options = ["--no-index", "--no-deps", "--disable-pip-version-check"]
    done = subprocess.run([*pip, *options, str(wheel)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    for name in required():
        _link(name, packages)
    return Installed(wheel, folder)


def required() -> list[str]:
    """Give the names of the packages that the product needs, in the lock file of the product."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return re.findall(r"^([\w.-]+)==", text, re.MULTILINE)


def _link(name: str, packages: Path) -> None:
    """Link what a package has installed here, instead of fetching it again."""
    found = distribution(name)
    for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
        (packages / top).symlink_to(Path(str(found.locate_file(top))))
