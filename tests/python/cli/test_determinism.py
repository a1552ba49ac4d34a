"""Same study, seed and version: the same bytes, whatever the machine is doing."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from .conftest import SMALL_STUDY, Lasthop

STUDY = SMALL_STUDY.replace("repeat: 3", "repeat: 9") + "claims: published.yaml\n"
CLAIMS = """\
paper: a paper
claims:
  - id: C1
    kind: order
    what: bytes rise with loss, less for one than for the other
    rules:
      - column: wire_bytes_offered
        stacks: [raw_udp ack=on]
        part: loss
        change_over: path.loss
        above: 1 %
      - {column: latency_mean, part: loss, lowest_first: [raw_udp, json_udp]}
  - id: C2
    kind: value
    what: what is lost
    rules:
      - {column: loss_ratio, stacks: [json_udp, mqtt_sn], part: loss, equals: path.loss}
"""
FILES = (
    "runs.parquet",
    "messages.parquet",
    "ledger.parquet",
    "packets.parquet",
    "latency.parquet",
    "claims.json",
    "junit.xml",
)


def hashes(folder: Path) -> dict[str, str]:
    found = [name for name in FILES if (folder / name).exists()]
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in found}


def write(lasthop: Lasthop, name: str = "study.yaml") -> Path:
    """Write the study with its claims."""
    lasthop.write("published.yaml", CLAIMS)
    return lasthop.write(name, STUDY)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the hashes of what an undisturbed campaign with one job writes."""
    lasthop = Lasthop(tmp_path_factory.mktemp("reference"))
    write(lasthop)
    done = lasthop("run", "study.yaml", "--out", "out", "--jobs", "1", "--no-report")
    assert done.returncode == 0, done.stderr
    found = hashes(lasthop.folder / "out")
    assert "claims.json" in found
    return found


@pytest.mark.parametrize(
    ("jobs", "environment"),
    [
        (2, {}),
        (3, {"TZ": "Pacific/Kiritimati"}),
        (1, {"LC_ALL": "C", "LANG": "C"}),
        (2, {"LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR.UTF-8"}),
        (2, {"PYTHONHASHSEED": "1"}),
        (2, {"PYTHONHASHSEED": "4294967295", "PYTHONUTF8": "0"}),
    ],
    ids=str,
)
def test_tables_do_not_depend_on_jobs_zone_locale_or_hash_seed(
    lasthop: Lasthop, reference: dict[str, str], jobs: int, environment: Mapping[str, str]
) -> None:
    write(lasthop)
    done = lasthop(
        "run",
        "study.yaml",
        "--out",
        "out",
        "--jobs",
        str(jobs),
        "--no-report",
        environment=environment,
    )
    assert done.returncode == 0, done.stderr
    assert hashes(lasthop.folder / "out") == reference


def test_tables_do_not_depend_on_the_working_directory_or_the_name_of_the_folder(
    lasthop: Lasthop, reference: dict[str, str]
) -> None:
    study = write(lasthop, "another.yaml")
    elsewhere = lasthop.folder / "else" / "where"
    elsewhere.mkdir(parents=True)
    done = lasthop("run", str(study), "--no-report", cwd=elsewhere)
    assert done.returncode == 0, done.stderr
    assert hashes(elsewhere / "results" / "small") == reference


def test_another_seed_gives_other_tables(lasthop: Lasthop, reference: dict[str, str]) -> None:
    write(lasthop)
    done = lasthop("run", "study.yaml", "--out", "out", "--seed", "2", "--no-report")
    assert done.returncode == 0, done.stderr
    assert hashes(lasthop.folder / "out")["messages.parquet"] != reference["messages.parquet"]


def test_no_table_holds_a_path_or_a_time_of_this_machine(
    lasthop: Lasthop, reference: dict[str, str]
) -> None:
    write(lasthop)
    lasthop("run", "study.yaml", "--out", "out", "--no-report")
    for name in reference:
        content = (lasthop.folder / "out" / name).read_bytes()
        assert str(lasthop.folder).encode() not in content
    assert hashes(lasthop.folder / "out") == reference
