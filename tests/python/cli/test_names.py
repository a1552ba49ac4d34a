"""Names on the command line: what must not be written over, and what is no name."""

import os
import stat
from pathlib import Path

import pytest

from .conftest import SMALL_STUDY, Lasthop


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Lasthop:
    """Return the command beside a study, its results and a folder of other things."""
    lasthop = Lasthop(tmp_path_factory.mktemp("names"))
    lasthop.write("study.yaml", SMALL_STUDY.replace("repeat: 3", "repeat: 1"))
    done = lasthop("run", "study.yaml", "--quick", "--out", "out", "--no-report", "--quiet")
    assert done.returncode == 0, done.stderr
    (lasthop.folder / "photos").mkdir()
    lasthop.write("photos/holiday.jpg", "sea")
    os.mkfifo(lasthop.folder / "pipe.html")
    return lasthop


REFUSED = {
    "no name": (("run", "study.yaml", "--out", ""), "is empty; write its name"),
    "spaces alone": (("run", "study.yaml", "--out", " "), "is empty; write its name"),
    "no folder of a report": (("report", ""), "is empty; write its name"),
    "no name of a report": (("report", "out", "--out", ""), "is empty; write its name"),
    "nothing to compare with": (("compare", "out", ""), "is empty; write its name"),
    "no folder to explain": (("explain", "1", "1", "--in", ""), "is empty; write its name"),
    "a long name": (("run", "study.yaml", "--out", "x" * 300), "too long; choose a shorter"),
    "a long name of a report": (("report", "out", "--out", "x" * 300), "too long; choose a sho"),
    "a long name of results": (("report", "x" * 300), "too long; choose a shorter"),
    "a file": (("run", "study.yaml", "--out", "study.yaml"), "choose another --out"),
    "below a file": (("run", "study.yaml", "--out", "study.yaml/x"), "choose another --out"),
    "a folder of others": (
        ("run", "study.yaml", "--out", "photos"),
        "photos: it contains holiday.jpg but no manifest.json",
    ),
    "a device": (("report", "out", "--out", "/dev/full"), "ends in .html, or a folder"),
    "a FIFO": (("report", "out", "--out", "pipe.html"), "is a FIFO, not a file; choose"),
    "a table": (("report", "out", "--out", "out/runs.parquet"), "ends in .html, or a folder"),
    "the study": (("report", "out", "--out", "study.yaml"), "ends in .html, or a folder"),
    "bytes": (("run", "study.yaml", "--out", "\udcff"), "cannot be printed; choose another"),
}


@pytest.mark.parametrize(("arguments", "expected"), REFUSED.values(), ids=REFUSED)
def test_a_name_at_fault_is_refused_and_nothing_is_touched(
    there: Lasthop, arguments: tuple[str, ...], expected: str
) -> None:
    before = {path: path.stat().st_mtime_ns for path in there.folder.rglob("*")}
    done = there(*arguments)
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert expected in done.stderr
    assert {path: path.stat().st_mtime_ns for path in there.folder.rglob("*")} == before
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


@pytest.mark.parametrize("name", [".gitkeep", ".gitignore", ".manifest.json.tmp"])
def test_what_belongs_to_nobody_is_in_nobodys_way(
    there: Lasthop, name: str, tmp_path: Path
) -> None:
    (tmp_path / name).touch()
    out = str(tmp_path)
    done = there("run", "study.yaml", "--quick", "--out", out, "--no-report", "--quiet")
    assert done.returncode == 0, done.stderr
