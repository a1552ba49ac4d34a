"""The Python packages: each has its line on the map, and the lower ones know no higher one."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from .conftest import ROOT

PACKAGES = ROOT / "python" / "lasthop"

MAY_KNOW = {
    "measures": {"measures"},
    "statistics": {"statistics"},
    "extensions": {"extensions", "_native", "compiled", "errors", "version"},
    "study": {
        *("study", "_native", "compiled", "errors", "extensions", "measures"),
        *("regular_file", "version"),
    },
}
"""What the packages that all others rest on may import."""


def names() -> list[str]:
    return sorted(folder.parent.name for folder in PACKAGES.glob("*/__init__.py"))


def imported(file: Path) -> set[str]:
    """Name the parts of lasthop that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        within = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        modules = [within + alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in modules if name.startswith("lasthop.")}
    return found


def graph(packages: Path) -> dict[str, set[str]]:
    """Give the packages below a folder, each with those that its files import, in functions too."""
    folders = [path.parent for path in packages.glob("*/__init__.py")]
    known = {folder.name for folder in folders}
    return {
        folder.name: set().union(*map(imported, folder.rglob("*.py"))) & known - {folder.name}
        for folder in folders
    }


def test_no_package_imports_one_that_imports_it() -> None:
    TopologicalSorter(graph(PACKAGES)).prepare()


def test_a_circle_through_a_function_is_seen(tmp_path: Path) -> None:
    for name, code in (
        ("high", "from lasthop.low import depth"),
        ("low", "def height():\n    from lasthop import high\n    return high.height"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(code)
    with pytest.raises(CycleError):
        TopologicalSorter(graph(tmp_path)).prepare()


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
