"""Claims on the command line: in words, in JSON, in the folder, and when they cannot be read."""

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import SMALL_STUDY, Lasthop

STUDY = SMALL_STUDY.replace("repeat: 3", "repeat: 5") + "claims: published.yaml\n"
CLAIMS = """\
paper: a paper
claims:
  - id: C1
    kind: threshold
    what: most arrives
    rules: [{column: delivery_ratio, stacks: [raw_udp, mqtt_sn], part: base, above: 50 %}]
  - {id: C2, kind: note, what: for the record}
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Lasthop:
    """Return a folder in which a study with claims was run."""
    lasthop = Lasthop(tmp_path_factory.mktemp("claims"))
    lasthop.write("study.yaml", STUDY)
    lasthop.write("published.yaml", CLAIMS)
    done = lasthop("run", "study.yaml")
    assert done.returncode == 0, done.stderr
    assert "claims: 1 predicted" in done.stdout
    return lasthop


def judged(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    return found


def test_the_folder_holds_what_became_of_each_claim(finished: Lasthop) -> None:
    first, note = judged(finished.folder / "results/small")
    names = {"id", "what", "published", "ours", "interval", "n", "verdict", "reason"}
    assert names | {"kind", "source"} <= set(first)
    assert (first["id"], first["verdict"], first["n"]) == ("C1", "predicted", 5)
    assert first["interval"][0] < first["ours"] < first["interval"][1]
    assert "without mqtt_sn (mqtt_sn is not built yet)" in first["reason"]
    assert note["verdict"] is None


def test_every_command_that_concludes_tells_the_same(finished: Lasthop) -> None:
    written = judged(finished.folder / "results/small")
    for command in (("run", "study.yaml", "--no-report"), ("report", "results/small")):
        assert "claims: 1 predicted" in finished(*command).stdout
        assert json.loads(finished(*command, "--json").stdout)["claims"] == written
    page = (finished.folder / "results/small/report.html").read_text(encoding="utf-8")
    assert 'id="claims"' in page
    assert "Most arrives" in page


def test_changed_claims_are_judged_anew_without_a_run(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", STUDY)
    lasthop.write("published.yaml", CLAIMS)
    lasthop("run", "study.yaml", "--no-report")
    lasthop.write("published.yaml", CLAIMS.replace("above: 50 %", "below: 50 %"))
    done = lasthop("run", "study.yaml", "--no-report")
    assert "nothing was run" in done.stdout
    assert judged(lasthop.folder / "results/small")[0]["verdict"] == "not reproduced"
    lasthop.write("study.yaml", STUDY.replace("claims: published.yaml\n", ""))
    lasthop("run", "study.yaml", "--no-report")
    assert not (lasthop.folder / "results/small/claims.json").exists()


def test_a_shard_judges_nothing_and_the_merged_shards_do(
    lasthop: Lasthop, finished: Lasthop
) -> None:
    lasthop.write("study.yaml", STUDY)
    lasthop.write("published.yaml", CLAIMS)
    for shard in ("1/2", "2/2"):
        done = lasthop("run", "study.yaml", "--shard", shard)
        assert "claims:" not in done.stdout
    shards = [f"results/small-shard-{number}-of-2" for number in (1, 2)]
    assert not (lasthop.folder / shards[0] / "claims.json").exists()
    done = lasthop("report", *shards, "--out", "whole")
    assert "claims: 1 predicted" in done.stdout
    assert judged(lasthop.folder / "whole") == judged(finished.folder / "results/small")


@pytest.mark.parametrize(
    ("claims", "clue"),
    [
        (None, "study.yaml:13:9: claims: "),
        (CLAIMS.replace("raw_udp", "raw_upd"), "published.yaml:6:47: claims.rules.stacks: "),
        (CLAIMS.replace("50 %", "50"), 'write "50 %"'),
        ("x" * 2_000_000, "larger than 1024 KiB"),
    ],
    ids=["missing", "an unknown stack", "no unit", "huge"],
)
def test_bad_claims_are_refused_in_one_line(
    lasthop: Lasthop, claims: str | None, clue: str
) -> None:
    lasthop.write("study.yaml", STUDY)
    if claims is not None:
        lasthop.write("published.yaml", claims)
    done = lasthop("run", "study.yaml")
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert clue in done.stderr, done.stderr
    assert not (lasthop.folder / "results").exists()


def test_claims_of_a_changed_study_say_what_was_changed(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", STUDY)
    lasthop.write("published.yaml", CLAIMS)
    done = lasthop("run", "study.yaml", "--set", "path.rate=7 kB/s", "--out", "changed")
    assert done.returncode == 0, done.stderr
    assert "small, changed: path.rate=7 kB/s" in done.stdout
    assert "of a changed study, not of the published one; changed: path.rate" in done.stdout
    assert [one["study_changes"] for one in judged(lasthop.folder / "changed")] == [
        ["path.rate=7 kB/s"],
        ["path.rate=7 kB/s"],
    ]
    page = (lasthop.folder / "changed/report.html").read_text(encoding="utf-8")
    assert "<h1>Two stacks, three losses, changed: path.rate=7 kB/s</h1>" in page
    assert "Of a changed study, not of the published one." in page
