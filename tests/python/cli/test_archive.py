"""`lasthop archive`: a folder that gives the same bytes again."""

import hashlib
import re
import shlex
import shutil
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from lasthop.results.build import _MAKERS

from .conftest import SMALL_STUDY, Lasthop

STUDY = SMALL_STUDY.replace("repeat: 3", "repeat: 5") + "claims: published/claims.yaml\n"
CLAIMS = """\
paper: a paper
claims:
  - id: C1
    kind: threshold
    what: most arrives
    rules: [{column: delivery_ratio, stacks: [raw_udp], part: base, above: 50 %}]
"""
OPTIONS = ("--set", "path.delay.around=80 ms", "--seed", "7")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Lasthop:
    """Return a folder in which a study with claims was run, and archived."""
    lasthop = Lasthop(tmp_path_factory.mktemp("archived"))
    (lasthop.folder / "published").mkdir()
    lasthop.write("published/claims.yaml", CLAIMS)
    lasthop.write("study.yaml", STUDY)
    lasthop.write("private.txt", "no part of the study")
    done = lasthop("run", "study.yaml", "--out", "out", "--quiet", *OPTIONS)
    assert done.returncode == 0, done.stderr
    done = lasthop("archive", "out", "study.yaml", *OPTIONS)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "out-archive\n"
    return lasthop


def test_the_command_of_its_readme_gives_the_same_bytes(ran: Lasthop, tmp_path: Path) -> None:
    archive = tmp_path / "elsewhere"
    shutil.copytree(ran.folder / "out-archive", archive)
    readme = (archive / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^lasthop (run .*)$", readme, re.MULTILINE)
    done = ran(*shlex.split(command), cwd=archive)
    assert done.returncode == 0, done.stderr
    sums = (archive / "tables.sha256").read_text(encoding="utf-8").splitlines()
    told = {name: digest for digest, name in (line.split("  ") for line in sums)}
    assert {"runs.parquet", "messages.parquet", "ledger.parquet", "claims.json"} <= set(told)
    for folder in ("results", "rerun"):
        assert told == {
            name: hashlib.sha256((archive / folder / name).read_bytes()).hexdigest()
            for name in told
        }


def test_it_holds_what_the_study_names_and_nothing_beside_it(ran: Lasthop) -> None:
    archive = ran.folder / "out-archive"
    study = {
        path.relative_to(archive).as_posix()
        for path in (archive / "study").rglob("*")
        if path.is_file()
    }
    assert study == {"study/study.yaml", "study/published/claims.yaml"}
    assert {"CITATION-lasthop.cff", "Cargo.lock", "README.md", "requirements.lock", "results"} <= {
        path.name for path in archive.iterdir()
    }
    pins = (archive / "requirements.txt").read_text(encoding="utf-8")
    assert re.search(r"^lasthop==\d", pins, re.MULTILINE)
    assert re.search(r"^polars==\d", pins, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "clue"),
    [
        (
            ("out", "study.yaml", "--seed", "8", "--out", "new"),
            "not the results of study.yaml as it is now",
        ),
        (("out", "study.yaml", *OPTIONS), "out-archive: the folder exists already"),
        (("published", "study.yaml", "--out", "new"), "the result folder is missing or incomplete"),
        (("out", "other.yaml", "--out", "new"), "other.yaml"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_would_not_give_the_results_again_is_refused(
    ran: Lasthop, arguments: tuple[str, ...], clue: str
) -> None:
    done = ran("archive", *arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert clue in done.stderr
    assert not (ran.folder / "new").exists()


def wheel(folder: Path, *, changed: str | None = None) -> Path:
    """Write what makes results into a wheel, one file of it changed."""
    made = folder / "lasthop-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(made, "w") as archive:
        for module in _MAKERS:
            found = find_spec(module)
            assert found is not None
            assert found.origin is not None
            file = Path(found.origin)
            name = "/".join((*module.split(".")[:-1], file.name))
            content = b"changed" if module == changed else file.read_bytes()
            archive.writestr(name, content)
    return made


def test_scripts_authors_repository_and_wheel_are_in_it_and_in_its_readme(
    ran: Lasthop, tmp_path: Path
) -> None:
    (ran.folder / "plots" / "__pycache__").mkdir(parents=True, exist_ok=True)
    ran.write("plots/figure.py", "print('figure')\n")
    ran.write("plots/__pycache__/figure.pyc", "compiled")
    ran.write("count.sh", "wc -l\n")
    repository = "https://example.org/ada/study"
    names = ("--author", "Ada Lovelace", "--author", 'The "measuring" group')
    scripts = ("--script", "plots", "--script", "count.sh")
    made = ("--wheel", str(wheel(tmp_path)), "--out", "published-archive")
    done = ran(
        *("archive", "out", "study.yaml", *OPTIONS, *scripts, *names, *made),
        *("--repository", repository),
    )
    assert (done.returncode, done.stderr) == (0, "")
    archive = ran.folder / "published-archive"
    inside = {it.relative_to(archive).as_posix() for it in archive.rglob("*") if it.is_file()}
    assert {it for it in inside if it.startswith(("scripts", "wheels"))} == {
        "scripts/plots/figure.py",
        "scripts/count.sh",
        "wheels/lasthop-0.1.0-py3-none-any.whl",
    }
    readme = (archive / "README.md").read_text()
    assert 'Authors: Ada Lovelace, The "measuring" group.' in readme
    assert f"Repository: <{repository}>." in readme
    assert "pip install --no-deps wheels/lasthop-0.1.0-py3-none-any.whl" in readme
    told = {name.rstrip("/") for name in re.findall(r"^\| `([^`]+)`", readme, re.MULTILINE)}
    told |= set(re.findall(r"`(Cargo.lock)`", readme))
    assert told == {it.name for it in archive.iterdir()} - {"README.md"}
    assert "lasthop==" not in (archive / "requirements.txt").read_text()
    citation = YAML(typ="safe").load((archive / "CITATION.cff").read_text())
    assert [it["name"] for it in citation["authors"]] == ["Ada Lovelace", 'The "measuring" group']
    assert (citation["repository"], citation["references"][0]["title"]) == (repository, "lasthop")


def test_without_a_wheel_a_working_copy_is_said_not_to_be_installable(ran: Lasthop) -> None:
    readme = (ran.folder / "out-archive" / "README.md").read_text()
    assert "This working copy was not released, so it cannot be installed from here." in readme
    assert "pip install" not in readme
    assert "`CITATION.cff`" not in readme
    done = ran("archive", "out", "study.yaml", *OPTIONS, "--out", "again")
    assert done.stderr.startswith("lasthop: note: a working copy of lasthop made these results")


@pytest.mark.parametrize(
    ("arguments", "clue"),
    [
        (("--script", "none.py"), "--script none.py: there is no such file"),
        (("--script", "study.yaml", "--script", "./study.yaml"), "two scripts are called study.y"),
        (("--repository", "here"), "--repository: here is not an address; write for example http"),
        (("--author", " "), "--author: a name is empty"),
        (("--wheel", "study.yaml"), "--wheel study.yaml: it is not a wheel; write the .whl"),
        (("--wheel", "none.whl"), "--wheel none.whl: No such file"),
    ],
)
def test_what_cannot_be_added_is_one_line(
    ran: Lasthop, arguments: tuple[str, ...], clue: str
) -> None:
    done = ran("archive", "out", "study.yaml", *OPTIONS, "--out", "new", *arguments)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert clue in line
    assert not (ran.folder / "new").exists()


def test_a_wheel_that_did_not_make_the_results_is_refused(ran: Lasthop, tmp_path: Path) -> None:
    other = wheel(tmp_path, changed="lasthop.results.part")
    arguments = ("--out", "new", "--wheel", str(other))
    done = ran("archive", "out", "study.yaml", *OPTIONS, *arguments)
    assert done.returncode == 2
    assert "lasthop/results/part.py differs from the one that made these results" in done.stderr
    assert not (ran.folder / "new").exists()
