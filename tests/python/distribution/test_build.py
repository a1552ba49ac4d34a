"""What `scripts/build` says where it cannot go on, and that it goes on after what was cut off."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
NEEDED = ("scripts", "requirements.lock", "requirements-build.lock", "pyproject.toml")


def _copy(folder: Path) -> Path:
    for name in NEEDED:
        source = ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / name)
    return folder


def _build(folder: Path, path: Path | None = None, **extra: str) -> tuple[int, list[str]]:
    """Run it; give its exit code and what it said."""
    environment = {**os.environ, "PIP_RETRIES": "0", "PIP_NO_CACHE_DIR": "1", **extra}
    if path is not None:
        environment["PATH"] = f"{path}:{environment['PATH']}"
    ended = subprocess.run(
        ["bash", "scripts/build", "--demo"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return ended.returncode, ended.stderr.splitlines()


def _program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MB."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"a small file system cannot be mounted: {mounted.stderr.strip()}")
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)


def test_an_old_python_is_named(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    for name in ("python3.11", "python3"):
        _program(programs, name, "exit 1")
    code, said = _build(_copy(tmp_path), programs)
    assert (code, said) == (4, [f"build: {programs}/python3.11 is older than 3.11"])


def test_a_missing_cargo_says_what_to_install(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    for name in ("bash", "dirname"):
        _program(programs, name, f'exec {shutil.which(name)} "$@"')
    code, said = _build(_copy(tmp_path), PATH=str(programs))
    assert (code, said) == (4, ["build: cargo is missing; install Rust 1.95 (rustup.rs)"])


def test_no_network_is_asked_about(tmp_path: Path) -> None:
    code, said = _build(_copy(tmp_path), PIP_INDEX_URL="http://127.0.0.1:9/simple")
    assert code == 4
    assert said[-1] == (
        "build: uv and maturin cannot be installed; is the package index reachable? "
        "Then run the same command again"
    )


def test_a_full_disk_is_named(small_disk: Path) -> None:
    code, said = _build(_copy(small_disk))
    assert code == 4
    assert "is full" in said[-1], said
    assert said[-1].endswith("make room, then run the same command again")


def test_an_environment_that_was_cut_off_is_made_anew(tmp_path: Path) -> None:
    folder = _copy(tmp_path)
    subprocess.run(["python3", "-m", "venv", "--without-pip", folder / ".venv"], check=True)
    code, said = _build(folder, PIP_INDEX_URL="http://127.0.0.1:9/simple")
    assert code == 4
    assert any("making .venv" in line for line in said), said
    assert (folder / ".venv/bin/pip").exists()
