"""What a short command does not wait for."""

import subprocess
import sys
from pathlib import Path

import pytest

LOADED = """\
import sys

class WithoutPandas:
    # As where lasthop alone is installed: Arrow loads pandas where it finds it.
    def find_spec(self, name, path=None, target=None):
        if name == "pandas":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, WithoutPandas())
sys.argv = ["lasthop", *sys.argv[1:]]
from lasthop.cli import main
code = main()
print(code, *sys.modules, file=sys.stderr)
"""
TABLES = {"altair", "numpy", "polars", "pyarrow", "scipy", "vl_convert"}


def loaded(folder: Path, *arguments: str) -> tuple[int, set[str]]:
    """Run the command; give its exit code and the packages and modules that it has loaded."""
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


SMALL = """\
study: small
duration: 2 s
measure: {drain: 1 s}
traffic: {round_trip: 100 B, every: 250 ms}
path: {loss: 10 %, delay: {around: 100 ms, spread: 20 %}}
stacks: [raw_udp, mqtt qos=1]
repeat: 5
decide: {minimise: latency_p50}
"""


def test_a_run_with_its_report_loads_no_library_that_it_can_do_without(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(SMALL, encoding="utf-8")
    code, packages = loaded(tmp_path, "run", "study.yaml")
    assert code == 0
    assert (tmp_path / "results/small/report.html").exists()
    assert packages >= {"jinja2", "polars"}
    assert packages.isdisjoint(
        {"altair", "numpy", "pyarrow", "ray", "rich.progress", "scipy", "vl_convert"}
    )


AT_THE_END = """\
import atexit, gc, sys
from lasthop.cli import main
atexit.register(lambda: print(len(gc.get_objects()), gc.get_freeze_count(), file=sys.stderr))
sys.argv = ["lasthop", *sys.argv[1:]]
sys.exit(main())
"""


def test_what_a_command_leaves_is_not_looked_through_as_python_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-c", AT_THE_END, "run", "nowhere"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    looked_through, passed_over = map(int, done.stderr.splitlines()[-1].split())
    assert looked_through < passed_over / 100


READ_IN_PART = """\
import sys
from pathlib import Path
from lasthop.study import load_study
from lasthop.study.forms.long_form import LongForm
from lasthop.study.forms.short_form import ShortForm
load_study(Path(sys.argv[1]))
print(ShortForm.__pydantic_complete__, LongForm.__pydantic_complete__)
"""


def test_a_short_form_is_read_without_building_what_reads_the_long_one(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(SMALL, encoding="utf-8")
    command = [sys.executable, "-c", READ_IN_PART, str(tmp_path / "study.yaml")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "False"]


def test_a_study_that_is_refused_loads_no_tables(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("study: small\nduration: 10\n", encoding="utf-8")
    code, packages = loaded(tmp_path, "run", "study.yaml")
    assert code == 2
    assert packages.isdisjoint(TABLES)


WITHOUT_RAY = "import sys; sys.modules['ray'] = None  # as where it is not installed\n"


def test_runs_on_ray_are_refused_by_the_name_of_the_package_where_it_is_missing(
    tmp_path: Path,
) -> None:
    (tmp_path / "study.yaml").write_text(SMALL, encoding="utf-8")
    command = [sys.executable, "-c", WITHOUT_RAY + LOADED, "run", "study.yaml", "--on", "ray"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
    complaint, loaded_modules = done.stderr.splitlines()
    assert loaded_modules.startswith("4 ")
    assert complaint.startswith("lasthop: --on ray: the package ray cannot be imported (")
    assert complaint.endswith('; run pip install "lasthop[ray]"')
    assert not (tmp_path / "results/small").exists()


WITHOUT_VL_CONVERT = "import sys; sys.modules['vl_convert'] = None  # as where it is missing\n"


def test_a_figure_for_paper_names_the_extra_that_it_needs(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(SMALL, encoding="utf-8")
    loaded(tmp_path, "run", "study.yaml", "--quiet")
    ask = ["report", "results/small", "--figure", "latency-base", "--out"]
    command = [sys.executable, "-c", WITHOUT_VL_CONVERT + LOADED, *ask]
    page = [*command, "figure.html"]
    done = subprocess.run(page, check=True, capture_output=True, text=True, cwd=tmp_path)
    assert done.stderr.splitlines()[-1].startswith("0 ")
    paper = [*command, "figure.pdf"]
    done = subprocess.run(paper, check=True, capture_output=True, text=True, cwd=tmp_path)
    complaint, loaded_modules = done.stderr.splitlines()
    assert loaded_modules.startswith("4 ")
    assert "a figure as .pdf needs the package vl-convert-python" in complaint
    assert 'pip install "lasthop[figures]"' in complaint
    assert not (tmp_path / "figure.pdf").exists()
