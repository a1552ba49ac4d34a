"""Rust tests that `make test` leaves out: each says why, and `make soak` runs it."""

import re
import subprocess
from pathlib import Path

import pytest

from .conftest import ROOT

IGNORED = re.compile(r"^#\[ignore(?P<reason>.*)\]\n(?:#\[.*\n)*fn (?P<name>\w+)", re.MULTILINE)
FOUND = {
    f"{path.relative_to(ROOT).parts[1]}::{ignored['name']}": ignored["reason"]
    for folder in ("crates", "benchmarks")
    for path in sorted((ROOT / folder).rglob("*.rs"))
    for ignored in IGNORED.finditer(path.read_text(encoding="utf-8"))
}


def test_every_ignored_test_of_rust_is_left_to_soak_and_says_why() -> None:
    attributes = [
        line
        for folder in ("crates", "benchmarks")
        for path in (ROOT / folder).rglob("*.rs")
        for line in Path(path).read_text(encoding="utf-8").splitlines()
        if line.strip().startswith("#[ignore")
    ]
    assert len(attributes) == len(FOUND)
    assert all(reason.startswith(' = "soak: ') for reason in FOUND.values()), FOUND


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("ignored", FOUND)
def test_an_ignored_test_of_rust_holds(ignored: str) -> None:
    crate, _, name = ignored.partition("::")
    command = ["cargo", "test", "--release", "--locked", "-p", crate, "--", "--ignored", name]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
