"""Each crate in third_party is the published crate with its lasthop.patch applied."""

import hashlib
import os
import shutil
import subprocess
import tarfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from .conftest import ROOT

THIRD_PARTY = ROOT / "third_party"

OURS = {
    "dimpl": {"Cargo.toml", "README.md", "lasthop.patch", "published.sha256"},
    "dust_dds": {
        *("Cargo.toml", "README.md", "lasthop.patch", "published.sha256"),
        "LICENSE-APACHE",  # The published crate has none.
    },
    "quinn-proto": {
        *("Cargo.toml", "README.md", "lasthop.patch", "published.sha256"),
        "rustfmt.toml",  # Its one setting keeps the style of the published sources.
    },
}
"""Files that lasthop wrote or added. They are not compared byte for byte."""

LEFT_OUT = {
    "dimpl": {
        *(".cargo", ".cargo_vcs_info.json", ".github", ".gitignore", ".taplo.toml", ".vscode"),
        *("AGENTS.md", "CHANGELOG.md", "CLAUDE.md", "Cargo.lock", "Cargo.toml.orig"),
        *("cargo_deny.sh", "clippy.toml", "deny.toml", "tests"),
        *("src/certificate.rs", "src/crypto/aws_lc_rs", "src/crypto/ccm_cipher.rs"),
        "src/crypto/rust_crypto",
    },
    "dust_dds": {
        *(".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml.orig"),
        *("benches", "docs", "examples", "tests"),
        *("src/dds", "src/rtps_udp_transport", "src/std_runtime"),
    },
    "quinn-proto": {".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml.orig"},
}
"""Published files and folders that lasthop does not vendor."""

EXCHANGED = {"dust_dds": {("regex-lite", "0.1.9")}}
"""Dependencies in place of published ones: the README of the crate says why."""

COPIED_KEYS = ("name", "version", "edition", "rust-version", "license", "repository")
"""Keys of ``[package]`` that must equal the published ones."""

_KEPT = ("lib", "extra")
"""Sources that the test of changed files needs itself."""

NAMES = sorted(folder.name for folder in THIRD_PARTY.iterdir() if folder.is_dir())


def manifest(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "Cargo.toml").read_text(encoding="utf-8"))


def cached(file_name: str) -> Path | None:
    """Find a crate among those that cargo has downloaded."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    return next(iter(sorted(home.glob(f"registry/cache/*/{file_name}"))), None)


def download(name: str, version: str, folder: Path) -> None:
    """Let cargo download a crate, as the dependency of a project made for this alone."""
    (folder / "src").mkdir(parents=True)
    (folder / "src/lib.rs").touch()
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "scratch"\nversion = "0.0.0"\nedition = "2021"\n\n[workspace]\n\n'
        f'[dependencies]\n{name} = {{ version = "={version}", default-features = false }}\n',
        encoding="utf-8",
    )
    done = subprocess.run(
        ["cargo", "fetch"], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"cargo cannot download {name} {version}: {done.stderr}")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Unpack each published crate, after a check of its SHA-256; the folders by crate name."""
    folders = {}
    for name in NAMES:
        version = manifest(THIRD_PARTY / name)["package"]["version"]
        file_name = f"{name}-{version}.crate"
        folder = tmp_path_factory.mktemp(name)
        crate = cached(file_name)
        if crate is None:
            download(name, version, folder / "scratch")
            crate = cached(file_name)
        assert crate is not None, f"cargo has not stored {file_name} in its cache"
        checksum = hashlib.sha256(crate.read_bytes()).hexdigest()
        committed = (THIRD_PARTY / name / "published.sha256").read_text(encoding="utf-8")
        assert committed == f"{checksum}  {file_name}\n", crate
        with tarfile.open(crate) as archive:
            archive.extractall(folder, filter="data")
        folders[name] = folder / f"{name}-{version}"
    return folders


def patched(published_crate: Path, patch: Path, folder: Path) -> Path:
    """Copy a published crate into a folder and apply a patch to it."""
    copy = folder / "patched"
    shutil.copytree(published_crate, copy)
    command = ["patch", "-p1", "--batch", "--fuzz=0", "--no-backup-if-mismatch", "-i", str(patch)]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{patch} does not apply: {done.stdout}{done.stderr}"
    return copy


def contents(folder: Path, without: set[str]) -> dict[str, bytes]:
    """Read each file of a folder by its path, without some files and folders."""
    files = {}
    for path in folder.rglob("*"):
        inner = path.relative_to(folder)
        is_excluded = any(str(part) in without for part in (inner, *inner.parents))
        if not is_excluded and not path.is_dir():
            files[inner.as_posix()] = path.read_bytes()
    return files


def differences(name: str, expected: Path, vendored: Path) -> list[str]:
    """Name the files that are not the same in a patched crate and in the vendored one."""
    ours = contents(vendored, OURS[name])
    theirs = contents(expected, LEFT_OUT[name] | OURS[name])
    return sorted(path for path in ours.keys() | theirs if ours.get(path) != theirs.get(path))


def requirements(cargo_toml: Mapping[str, Any]) -> dict[str, str]:
    """Give the version requirement of each dependency."""
    return {
        name: (value if isinstance(value, str) else value["version"]).removeprefix("^")
        for name, value in cargo_toml["dependencies"].items()
    }


def test_each_folder_has_its_lists() -> None:
    assert set(NAMES) == set(OURS) == set(LEFT_OUT)


@pytest.mark.parametrize("name", NAMES)
def test_the_lists_name_files_that_exist(name: str, published: dict[str, Path]) -> None:
    for path in OURS[name]:
        assert (THIRD_PARTY / name / path).is_file(), path
    for path in LEFT_OUT[name]:
        assert (published[name] / path).exists(), path


@pytest.mark.parametrize("name", NAMES)
def test_the_vendored_crate_is_the_published_one_with_the_patch(
    name: str, published: dict[str, Path], tmp_path: Path
) -> None:
    vendored = THIRD_PARTY / name
    expected = patched(published[name], vendored / "lasthop.patch", tmp_path)
    assert differences(name, expected, vendored) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_added_or_missing_file_is_found(
    name: str, published: dict[str, Path], tmp_path: Path
) -> None:
    vendored = tmp_path / "vendored"
    shutil.copytree(THIRD_PARTY / name, vendored)
    expected = patched(published[name], vendored / "lasthop.patch", tmp_path)
    code = bytearray((vendored / "src/lib.rs").read_bytes())
    code[-2] ^= 1
    (vendored / "src/lib.rs").write_bytes(code)
    (vendored / "src/extra.rs").touch()
    missing = next(path for path in sorted(vendored.rglob("*.rs")) if path.stem not in _KEPT)
    missing.unlink()
    assert differences(name, expected, vendored) == sorted(
        [missing.relative_to(vendored).as_posix(), "src/extra.rs", "src/lib.rs"]
    )


@pytest.mark.parametrize("name", NAMES)
def test_our_manifest_takes_its_facts_from_the_published_one(
    name: str, published: dict[str, Path]
) -> None:
    ours, theirs = manifest(THIRD_PARTY / name), manifest(published[name])
    for key in COPIED_KEYS:
        assert ours["package"].get(key) == theirs["package"].get(key), key
    assert ours["package"]["name"] == name
    added = requirements(ours).items() - requirements(theirs).items()
    assert added == EXCHANGED.get(name, set())
