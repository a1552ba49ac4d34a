"""The package of studies has an order: each of its rooms imports from rooms below it alone."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from .conftest import ROOT

STUDY = ROOT / "python" / "lasthop" / "study"

ORDER = (
    "registered_devices",
    "text",
    "fields",
    "stacks",
    "traffic",
    "nbiot",
    "paths",
    "fleet",
    "forms",
    "run_spec",
    "expressions",
    "claims",
    "figures",
    "rules",
    "plan",
    "conditions",
    "load",
    "init",
)
"""From what knows nothing of the others to what knows them all."""

MOST_ROOMS = 30
MOST_FLOORS = 14


def rooms(package: Path) -> dict[str, set[str]]:
    """Give the modules and sub-packages directly in a package, each with those that it imports.

    Imports in functions and for type checkers alone count.
    """
    prefix = f"lasthop.{package.name}."
    found: dict[str, set[str]] = {}
    for file in sorted(package.rglob("*.py")):
        name = file.relative_to(package).with_suffix("").parts[0]
        if name == "__init__":
            continue
        imported = found.setdefault(name, set())
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                continue
            imported |= {one.split(".")[2] for one in modules if one.startswith(prefix)} - {name}
    return found


def floors(graph: dict[str, set[str]]) -> int:
    """Count the rooms of the longest chain of imports."""
    depth: dict[str, int] = {}
    for room in TopologicalSorter(graph).static_order():
        depth[room] = 1 + max((depth[one] for one in graph.get(room, ())), default=0)
    return max(depth.values())


def test_each_room_imports_from_those_below_it() -> None:
    graph = rooms(STUDY)
    assert set(graph) == set(ORDER)
    upwards = [
        f"{room} imports {one}"
        for room, imported in graph.items()
        for one in imported
        if ORDER.index(one) > ORDER.index(room)
    ]
    assert upwards == []


def test_there_are_few_rooms_on_few_floors() -> None:
    graph = rooms(STUDY)
    assert len(graph) <= MOST_ROOMS
    assert floors(graph) <= MOST_FLOORS


@pytest.mark.parametrize(
    "code",
    [
        "from lasthop.study.high import height",
        "import lasthop.study.high",
        "def depth():\n    from lasthop.study import high\n    return high.height",
    ],
)
def test_a_circle_is_seen(tmp_path: Path, code: str) -> None:
    package = tmp_path / "study"
    package.mkdir()
    (package / "high.py").write_text("from lasthop.study.low import depth", encoding="utf-8")
    (package / "low.py").write_text(code, encoding="utf-8")
    with pytest.raises(CycleError):
        floors(rooms(package))


def test_every_rule_has_its_place_in_the_order() -> None:
    order = (STUDY / "rules" / "order.py").read_text(encoding="utf-8")
    rules = [
        node.name
        for file in sorted((STUDY / "rules").glob("*.py"))
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("check_")
        # The others help one of these, or need no point.
        if node.args.args and node.args.args[0].arg == "assembly"
    ]
    assert len(rules) > 10
    called = {node.id for node in ast.walk(ast.parse(order)) if isinstance(node, ast.Name)}
    assert [one for one in rules if one not in called] == []
