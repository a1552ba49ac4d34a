"""The Python packages: each has its line on the map, and the lower ones know no higher one."""

import ast
from pathlib import Path

import pytest

from .conftest import ROOT

PACKAGES = ROOT / "python" / "lasthop"

MAY_KNOW = {
    "measures": {"measures"},
    "statistics": {"statistics"},
    "study": {"study", "errors", "measures", "version"},
}
"""What the packages that all others rest on may import."""


def names() -> list[str]:
    return sorted(folder.parent.name for folder in PACKAGES.glob("*/__init__.py"))


def imported(file: Path) -> set[str]:
    """Name the parts of lasthop that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        found |= {name.split(".")[1] for name in modules if name.startswith("lasthop.")}
    return found


def test_the_map_has_one_line_for_each_package() -> None:
    lines = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()
    for name in names():
        assert sum(line.startswith(f"| `lasthop.{name}` |") for line in lines) == 1, name


@pytest.mark.parametrize("name", MAY_KNOW)
def test_what_all_rests_on_knows_nothing_above_it(name: str) -> None:
    files = sorted((PACKAGES / name).rglob("*.py"))
    assert files
    for file in files:
        assert imported(file) <= MAY_KNOW[name], file
