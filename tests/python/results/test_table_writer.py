"""Tables: the same rows give the same bytes, however they arrive."""

from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lasthop.errors import EnvironmentFailure
from lasthop.results.schema import Column, Schema
from lasthop.results.table_writer import TableWriter

SCHEMA = Schema([Column("run_id", "string"), Column("number", "int64", "ns")])


def rows(first: int, count: int) -> pl.DataFrame:
    numbers = range(first, first + count)
    return pl.DataFrame(
        {"run_id": [f"run-{n // 7}" for n in numbers], "number": numbers}, schema=SCHEMA.types
    )


def written(path: Path, sizes: list[int], *, row_group_rows: int = 10) -> bytes:
    first = 0
    with TableWriter(path, SCHEMA, row_group_rows=row_group_rows) as writer:
        for size in sizes:
            writer.append(rows(first, size))
            first += size
    return path.read_bytes()


@settings(max_examples=30, deadline=None)
@given(sizes=st.lists(st.integers(0, 35), max_size=12))
def test_bytes_do_not_depend_on_how_rows_are_handed_over(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("table")
    assert written(folder / "a", sizes) == written(folder / "b", [1] * sum(sizes))


def test_bytes_do_not_depend_on_when_many_small_tables_are_joined(tmp_path: Path) -> None:
    small = written(tmp_path / "a", [1] * 1_500, row_group_rows=1_000)
    assert small == written(tmp_path / "b", [1_500], row_group_rows=1_000)
    assert small == written(tmp_path / "c", [300, 1, 699, 500], row_group_rows=1_000)


def test_row_groups_have_the_same_number_of_rows_but_the_last(tmp_path: Path) -> None:
    written(tmp_path / "table", [3, 24, 0, 8])
    metadata = pq.ParquetFile(tmp_path / "table").metadata
    groups = [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)]
    assert groups == [10, 10, 10, 5]
    assert pq.read_table(tmp_path / "table").to_pylist() == rows(0, 35).to_dicts()
    assert pl.read_parquet(tmp_path / "table").equals(rows(0, 35))


def test_a_table_without_rows_has_its_columns(tmp_path: Path) -> None:
    written(tmp_path / "table", [])
    schema = pq.read_schema(tmp_path / "table")
    number = pa.field("number", pa.int64(), metadata={"unit": "ns"})
    assert schema.equals(pa.schema([pa.field("run_id", pa.string()), number]), check_metadata=True)


def test_a_folder_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure) as failure:
        written(tmp_path / "nowhere" / "table", [1])
    assert "\n" not in str(failure.value)


def test_a_disk_that_fills_up_while_rows_are_encoded_is_told_in_one_line() -> None:
    with pytest.raises(EnvironmentFailure, match=r"^/dev/full: .*No space left") as failure:
        written(Path("/dev/full"), [25, 25])
    assert "\n" not in str(failure.value)
