"""The notebook is kept without outputs, and its cells make the figures that it promises."""

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import altair as alt
import pytest

from .conftest import DOCS

NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


def cells_of(notebook: Path) -> list[dict[str, Any]]:
    """Return the cells that hold code."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def execute(source: str, names: dict[str, Any]) -> object:
    """Run a cell and return what its last expression gives, as Jupyter shows it."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)  # noqa: S102  it is our own
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(notebook: Path) -> None:
    for cell in cells_of(notebook):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None


def test_both_figures_have_a_point_for_each_stack_and_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *others = cells_of(DOCS / "notebooks/chen-kunz-figures.ipynb")
    names: dict[str, Any] = {}
    execute("".join(first["source"]), names)
    folder = Path(names["FOLDER"])
    command = [
        sys.executable,
        "-m",
        "lasthop",
        "run",
        folder.name,
        "--quick",
        "--out",
        str(folder),
        "--no-report",
    ]
    subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)

    monkeypatch.chdir(tmp_path)
    shown = [execute("".join(cell["source"]), names) for cell in others]
    figures = [figure.to_dict() for figure in shown if isinstance(figure, alt.TopLevelMixin)]
    titles = [figure["layer"][0]["encoding"]["y"]["title"] for figure in figures]
    assert titles == ["mean latency (ms)", "bandwidth (kB/s)"]
    runs = names["runs"]
    expected = set(runs.select("stack", "path_loss").unique().iter_rows())
    assert len(expected) > runs["stack"].n_unique() > 1
    for figure in figures:
        (points,) = figure["datasets"].values()
        assert {(point["stack"], point["path_loss"]) for point in points} == expected
        for point in points:  # a mean of equal numbers may differ in the last digit
            assert 0 < point["low"] <= point["mean"] * (1 + 1e-9), point
            assert point["mean"] <= point["high"] * (1 + 1e-9), point
