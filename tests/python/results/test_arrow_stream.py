"""Tables as streams: read in pieces, and by a reader that is not ours."""

import json
from pathlib import Path

import polars as pl
import pyarrow as pa

from lasthop import _native, load_study
from lasthop.results.arrow_stream import arrow_stream, pieces, read_stream
from lasthop.results.schema import MESSAGES, SUMMARY

STUDY = """\
study: long
duration: 70 s
traffic: {report: 40 B, every: 3 ms}
path: {loss: 5 %, delay: 20 ms}
stacks: [raw_udp]
decide: {minimise: latency_p50}
"""


def test_an_independent_reader_reads_what_a_run_gives(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    run, *_ = load_study(tmp_path / "study.yaml").planned_runs()
    file = tmp_path / "messages.arrows"
    tables = _native.simulate(run.spec_json, run_id="x", messages=str(file))
    stream = tables.messages or file.read_bytes()
    ours = read_stream(stream)
    assert ours.height > 16_384
    assert ours["receiver"].null_count() == ours.height
    assert 0 < ours["latency_ms"].null_count() < ours.height
    assert pa.ipc.open_stream(stream).read_all().to_pylist() == ours.rows(named=True)
    summary = pa.ipc.open_stream(tables.summary).read_all()
    assert summary.schema.names == SUMMARY.names
    assert json.dumps(summary.to_pylist()) == json.dumps(read_stream(tables.summary).to_dicts())


def test_a_table_is_read_in_the_batches_in_which_it_was_written() -> None:
    table = pl.concat(MESSAGES.table([{"run_id": "x", "device": n}] * 10_000) for n in range(4))
    stream = arrow_stream(table)
    found = list(pieces(memoryview(stream)))
    assert [piece.height for piece in found] == [16_384, 16_384, 40_000 - 2 * 16_384]
    assert pl.concat(found).equals(table)
    assert read_stream(stream).equals(table)
    assert pa.ipc.open_stream(stream).read_all().to_pylist() == table.rows(named=True)
    assert sum(piece.height for piece in pieces(memoryview(arrow_stream(MESSAGES.empty())))) == 0
