"""An example in the docs of a crate is compiled and run."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MANIFESTS = sorted(
    manifest
    for folder in ("crates/*", "benchmarks/*", "fuzz")
    for manifest in ROOT.glob(f"{folder}/Cargo.toml")
    if (manifest.parent / "src/lib.rs").exists()
)
EXAMPLE = re.compile(r"^\s*//[/!] ```", re.MULTILINE)


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest.parent.name)
def test_rustdoc_looks_at_a_crate_that_has_examples_and_at_no_other(manifest: Path) -> None:
    source = manifest.parent / "src"
    has_one = any(EXAMPLE.search(file.read_text(encoding="utf-8")) for file in source.rglob("*.rs"))
    library = tomllib.loads(manifest.read_text(encoding="utf-8")).get("lib", {})
    assert library.get("doctest", True) == has_one


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest.parent.name)
def test_a_library_that_is_not_built_for_its_tests_has_none(manifest: Path) -> None:
    library = tomllib.loads(manifest.read_text(encoding="utf-8")).get("lib", {})
    if not library.get("test", True):
        files = (manifest.parent / "src").rglob("*.rs")
        assert not any("#[cfg(test)]" in file.read_text(encoding="utf-8") for file in files)
