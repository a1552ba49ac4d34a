"""Tables taken apart and gathered again are the same tables."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lasthop.results.folder import TABLES, open_folder
from lasthop.results.manifest import Manifest
from lasthop.results.part import Part
from lasthop.results.stored import DamagedResultsError
from lasthop.results.unpacking import unpack

from .synthetic import SyntheticEngine, SyntheticStudy
from .test_campaign import execute, hashes, manifest_of, plan_of


def unpacked(out: Path) -> None:
    """Make parts of what is in the tables, and remove the tables."""
    study = SyntheticStudy()
    with open_folder(out, manifest_of(plan_of(study), study)) as folder:
        unpack(folder)
        folder.manifest.ended("running", {}).write(out)
        for table in TABLES:
            folder.table(table).unlink()


@pytest.mark.parametrize("messages", [0, 3, 9_000])
def test_gathering_again_gives_the_same_bytes_and_simulates_nothing(
    tmp_path: Path, messages: int
) -> None:
    out = tmp_path / "out"
    counts = execute(out, SyntheticEngine(messages=messages))
    before = hashes(out)
    timings = pq.read_table(out / "timings.parquet")
    unpacked(out)
    engine = SyntheticEngine()
    assert execute(out, engine) == counts
    assert engine.simulated == []
    assert hashes(out) == before
    assert pq.read_table(out / "timings.parquet").equals(timings)


def test_a_run_that_has_nothing_to_show_stays_what_it_is(tmp_path: Path) -> None:
    out = tmp_path / "out"
    engine = SyntheticEngine()
    run_id = next(plan_of(SyntheticStudy()).unique()).run_id
    engine.fails = {run_id: RuntimeError("it broke")}
    counts = execute(out, engine)
    assert counts["invalid"] == 1
    before = hashes(out)
    unpacked(out)
    part = Part.open(out / "parts" / f"{run_id}.part")
    assert part.header.status == "invalid"
    assert not any(piece.height for piece in part.pieces("messages"))
    assert execute(out, SyntheticEngine()) == counts
    assert hashes(out) == before


def test_tables_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    execute(out, SyntheticEngine())
    timings = pq.read_table(out / "timings.parquet")
    shuffled = pa.concat_tables([timings.slice(1), timings.slice(0, 1)])
    pq.write_table(shuffled, out / "timings.parquet")
    with pytest.raises(DamagedResultsError, match=r"timings\.parquet: the file was changed"):
        unpacked(out)
    manifest = Manifest.read(out)
    assert manifest is not None
    replace(manifest, digests={}).write(out)
    with pytest.raises(
        DamagedResultsError, match=r"timings\.parquet: the file does not have the runs of"
    ):
        unpacked(out)
