"""What a short command does not wait for."""

import subprocess
import sys
from pathlib import Path

import pytest

LOADED = """\
import sys
sys.argv = ["lasthop", *sys.argv[1:]]
from lasthop.cli import main
code = main()
print(code, *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""
TABLES = {"altair", "numpy", "polars", "pyarrow", "scipy", "vl_convert"}


def loaded(folder: Path, *arguments: str) -> tuple[int, set[str]]:
    """Run the command; give its exit code and the packages that it has loaded."""
    command = [sys.executable, "-c", LOADED, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    code, *packages = done.stderr.splitlines()[-1].split()
    return int(code), set(packages)


def test_the_version_loads_nothing_but_lasthop(tmp_path: Path) -> None:
    code, packages = loaded(tmp_path, "--version")
    assert code == 0
    assert packages.isdisjoint(TABLES | {"pydantic", "rich", "ruamel", "typer"})


@pytest.mark.parametrize("arguments", [("--help",), ("run", "--help"), ("run", "nowhere")])
def test_help_and_wrong_usage_load_no_tables(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    _, packages = loaded(tmp_path, *arguments)
    assert "typer" in packages
    assert packages.isdisjoint(TABLES)


def test_a_study_that_is_refused_loads_no_tables(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("study: small\nduration: 10\n", encoding="utf-8")
    code, packages = loaded(tmp_path, "run", "study.yaml")
    assert code == 2
    assert packages.isdisjoint(TABLES)
