"""A results folder of a released version is read, reported and compared."""

import shutil
from pathlib import Path

import pytest
from tests.python.warm_command import run_warm

import lasthop
from lasthop.errors import EXIT_EXPECTATION_FAILED, EXIT_PASS, LasthopError

from .kept import STUDIES, Kept, versions

VERSIONS = [pytest.param(kept, id=kept.version) for kept in versions()]
CASES = [
    pytest.param(kept, name, id=f"{kept.version}-{name}") for kept in versions() for name in STUDIES
]
TABLES = (
    *("runs", "messages", "ledger", "packets", "latency"),
    *("groups", "bills", "sims", "programs"),
)


def command(folder: Path, *arguments: str, codes: tuple[int, ...] = (0,)) -> str:
    done = run_warm(arguments, folder=folder, timeout=300)
    assert done.returncode in codes, done.stderr
    return done.stdout


@pytest.mark.parametrize(("kept", "name"), CASES)
def test_every_file_is_read_and_held_against_its_digest(kept: Kept, name: str) -> None:
    results = lasthop.Results(kept.results(name))
    assert results.checked
    assert results.runs.height == {"short": 36, "fleet": 4}[name]
    for table in TABLES:
        assert getattr(results, table).columns


@pytest.mark.parametrize("kept", VERSIONS)
def test_the_answer_is_the_one_of_then(kept: Kept) -> None:
    short, fleet = (lasthop.Results(kept.results(name)) for name in STUDIES)
    assert [it.verdict and it.verdict.value for it in short.judgements] == [
        *("holds", "undecided", "not covered"),
        None,
    ]
    for results, stacks in (
        (short, ["four", "acknowledged", "secured"]),
        (fleet, ["coap", "mqtt"]),
    ):
        (point,) = results.decision.points
        assert [arm.stack for arm in point.ranked] == stacks
    assert fleet.by_group is not None


@pytest.mark.parametrize(("kept", "name"), CASES)
def test_it_is_reported_and_compared_with_results_of_today(
    kept: Kept, name: str, tmp_path: Path
) -> None:
    shutil.copytree(kept.results(name), tmp_path / "then")
    command(tmp_path, "report", "then")
    assert "compatibility" in (tmp_path / "then" / "report.html").read_text(encoding="utf-8")
    assert command(tmp_path, "compare", "then", "then").startswith("no change")
    command(tmp_path, "run", str(kept.study(name)), "--out", "now", "--no-report")
    numbers_may_move = (EXIT_PASS, EXIT_EXPECTATION_FAILED)
    assert "detects" in command(tmp_path, "compare", "then", "now", codes=numbers_may_move)


@pytest.mark.parametrize("kept", VERSIONS)
def test_a_table_of_then_that_was_changed_is_refused(kept: Kept, tmp_path: Path) -> None:
    shutil.copytree(kept.results("short"), tmp_path / "then")
    with (tmp_path / "then" / "ledger.parquet").open("ab") as table:
        table.write(b"x")
    with pytest.raises(LasthopError, match=r"ledger\.parquet"):
        lasthop.Results(tmp_path / "then").checked  # noqa: B018  (raises)
