"""One Parquet file, written row group by row group with the same bytes every time."""

import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq

from lasthop.results.atomic import environment
from lasthop.results.digest import DigestingFile, FileDigest

ROW_GROUP = 4_096
"""Rows in a row group: so few that those of a thousand short runs fill one."""

RUNS_ROW_GROUP = 1_024
"""The same of `runs.parquet`, whose rows are much longer than those of other tables."""


_ENCODER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lasthop-tables")
"""One thread for all tables: each thread more would keep memory of its own."""


def release_memory() -> None:
    """Give the system back what Arrow has freed: row groups leave tens of megabytes behind."""
    pa.default_memory_pool().release_unused()


class TableWriter:
    """Cuts what it is given into row groups of a fixed number of rows, however it arrives.

    Row groups therefore depend on the rows and their order alone. A thread encodes one of them
    while the next one is gathered, and no more than these two and a few runs are in memory.
    """

    _FEW = 256
    """A table of a few rows costs as much memory as hundreds of rows, so that many are joined."""

    def __init__(self, path: Path, schema: pa.Schema, *, row_group_rows: int = ROW_GROUP) -> None:
        self._path = path
        self._schema = schema
        self._rows = row_group_rows
        self._waiting: list[pa.Table] = []
        self._fresh: list[pa.Table] = []
        self._waiting_rows = 0
        self._encoding: Future[None] | None = None
        with environment(path):
            self._file = DigestingFile(path)
            self._writer = pq.ParquetWriter(
                self._file,
                schema,
                version="2.6",
                compression="zstd",
                compression_level=3,
                data_page_version="1.0",
                write_statistics=True,
            )

    def __enter__(self) -> Self:
        """Return the writer."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write what waits and the footer; after an error only let go of the file."""
        if kind is None:
            with environment(self._path):
                if self._waiting_rows:
                    self._write(pa.concat_tables([*self._waiting, *self._fresh]))
                self._wait()
                self._writer.close()
                self._file.close()
                self._synchronise()
            return
        # The error that brought us here is the one to report.
        with suppress(OSError, pa.ArrowException):
            self._wait()
        with suppress(OSError):
            self._writer.close()
        with suppress(OSError):
            self._file.close()

    @property
    def digest(self) -> FileDigest:
        """Of the file, once it is written."""
        return self._file.digest

    def append(self, table: pa.Table) -> None:
        """Take rows, in the order in which they are to be stored."""
        if table.num_rows == 0:
            return
        self._fresh.append(table)
        self._waiting_rows += table.num_rows
        if self._waiting_rows < self._rows:
            if len(self._fresh) >= self._FEW:
                self._waiting.append(pa.concat_tables(self._fresh).combine_chunks())
                self._fresh = []
            return
        waiting = pa.concat_tables([*self._waiting, *self._fresh])
        whole = self._waiting_rows - self._waiting_rows % self._rows
        with environment(self._path):
            for start in range(0, whole, self._rows):
                self._write(waiting.slice(start, self._rows))
        rest = waiting.slice(whole)
        self._waiting = [rest] if rest.num_rows else []
        self._fresh = []
        self._waiting_rows = rest.num_rows

    def _write(self, group: pa.Table) -> None:
        self._wait()
        self._encoding = _ENCODER.submit(self._encode, group)

    def _encode(self, group: pa.Table) -> None:
        # Page boundaries follow chunk boundaries, so a row group must be one chunk.
        self._writer.write_table(group.combine_chunks(), row_group_size=self._rows)

    def _wait(self) -> None:
        """Wait for the row group that is being encoded; raise what went wrong with it."""
        if self._encoding is not None:
            self._encoding.result()
            self._encoding = None

    def _synchronise(self) -> None:
        with self._path.open("rb") as file:
            os.fsync(file.fileno())
