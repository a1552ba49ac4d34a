"""The repository holds nothing of the machine that it was made on."""

import re
import subprocess
from pathlib import Path

import pytest

from .conftest import ROOT

# A folder that only some machine has. Written in pieces, so that this file holds none of them.
MACHINE_PATH = re.compile(rb"(?<![\w.~*)])/(?:wor" + rb"k|roo" + rb"t|hom" + rb"e|User" + rb"s)/")

REGISTRY_SETTING = re.compile(rb"(?m)^\s*(?:--)?(?:extra-)?(?:index-url|find-links|trusted-host)\b")

PUBLIC_HOSTS = {"github.com"}
"""What lock files may name: the index of crates.io lies there."""


@pytest.fixture(scope="module")
def files() -> list[Path]:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git repository")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, check=True, capture_output=True, cwd=ROOT, text=True)
    paths = [ROOT / name for name in done.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def test_no_file_holds_a_path_of_a_machine(files: list[Path]) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group().decode()}"
        for path in files
        for match in MACHINE_PATH.finditer(path.read_bytes())
    ]
    assert found == []


def test_lock_files_name_the_public_registries_alone(files: list[Path]) -> None:
    locks = [path for path in files if path.name.endswith(".lock")]
    assert {"Cargo.lock", "requirements.lock", "requirements-dev.lock"} <= {
        path.name for path in locks
    }
    for path in locks:
        content = path.read_bytes()
        hosts = {host.decode() for host in re.findall(rb"https?://([^/\s\"]+)", content)}
        assert hosts <= PUBLIC_HOSTS, path.name
        assert REGISTRY_SETTING.search(content) is None, path.name


def test_no_file_chooses_a_registry(files: list[Path]) -> None:
    names = {"pip.conf", ".npmrc", ".pypirc"}
    assert not [path for path in files if path.name in names]
    for path in files:
        if path.parent.name == ".cargo" and path.name.startswith("config"):
            assert b"[source" not in path.read_bytes(), path


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        (b"see /roo" + b"t/x", True),
        (b'"/hom' + b'e/me/a.py"', True),
        (b"https://example.org/hom" + b"e/", False),
        (b"frame/wor" + b"k/", False),
    ],
)
def test_the_pattern_knows_a_machine_path(text: bytes, *, holds: bool) -> None:
    assert (MACHINE_PATH.search(text) is not None) == holds
