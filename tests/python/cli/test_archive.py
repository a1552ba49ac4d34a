"""`lasthop archive`: a folder that gives the same bytes again."""

import hashlib
import re
import shlex
import shutil
from pathlib import Path

import pytest

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
    assert {"CITATION.cff", "Cargo.lock", "README.md", "requirements.lock", "results"} <= {
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
