"""Writes a Parquet file by row groups, with the same bytes every time."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty, Full, Queue
from threading import Thread
from types import TracebackType
from typing import IO, Self, cast

import polars as pl
from polars.io.plugins import register_io_source

from lasthop.results.atomic import environment
from lasthop.results.digest import DigestingFile, FileDigest
from lasthop.results.schema import Schema

ROW_GROUP = 4_096
"""Rows of a row group. A thousand short runs fill one."""

RUNS_ROW_GROUP = 1_024
"""Rows of a row group of `runs.parquet`, whose rows are much longer."""


class TableWriter:
    """Writes row groups of a fixed number of rows, whatever the size of the input tables.

    Row groups therefore depend on the rows and their order alone. A thread encodes one of them
    while the next one is gathered, and no more than these two and a few runs are in memory.
    """

    _FEW = 256
    """Number of small tables that are joined, because each has a high fixed memory cost."""

    def __init__(self, path: Path, schema: Schema, *, row_group_rows: int = ROW_GROUP) -> None:
        self._path = path
        self._rows = row_group_rows
        self._waiting: list[pl.DataFrame] = []
        self._fresh: list[pl.DataFrame] = []
        self._waiting_rows = 0
        with environment(path):
            self._file = DigestingFile(path)
        self._encoder = _Encoder(self._file, schema, row_group_rows)

    def __enter__(self) -> Self:
        """Return the writer."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write the remaining rows and the footer; after an error only close the file."""
        if kind is None:
            with environment(self._path):
                if self._waiting_rows:
                    self._encoder.put(pl.concat([*self._waiting, *self._fresh]))
                self._encoder.close()
                self._file.close()
                self._synchronise()
            return
        # The error that brought us here is the one to report.
        with suppress(OSError, pl.exceptions.PolarsError):
            self._encoder.close()
        with suppress(OSError):
            self._file.close()

    @property
    def digest(self) -> FileDigest:
        """Return the digest of the written file."""
        return self._file.digest

    def append(self, table: pl.DataFrame) -> None:
        """Append rows in the order in which they are stored."""
        if table.is_empty():
            return
        self._fresh.append(table)
        self._waiting_rows += table.height
        if self._waiting_rows < self._rows:
            if len(self._fresh) >= self._FEW:
                self._waiting.append(pl.concat(self._fresh, rechunk=True))
                self._fresh = []
            return
        waiting = pl.concat([*self._waiting, *self._fresh])
        whole = self._waiting_rows - self._waiting_rows % self._rows
        with environment(self._path):
            for start in range(0, whole, self._rows):
                self._encoder.put(waiting.slice(start, self._rows))
        rest = waiting.slice(whole)
        self._waiting = [] if rest.is_empty() else [rest.rechunk()]
        self._fresh = []
        self._waiting_rows = rest.height

    def _synchronise(self) -> None:
        with self._path.open("rb") as file:
            os.fsync(file.fileno())


class _Encoder:
    """A thread that encodes row groups with Polars and writes them to a file."""

    _PATIENCE_S = 0.1
    """Interval in seconds for checking that the encoder thread is alive."""

    def __init__(self, file: DigestingFile, schema: Schema, rows: int) -> None:
        self._file, self._schema, self._rows = file, schema, rows
        self._groups: Queue[pl.DataFrame | None] = Queue(maxsize=1)
        self._failure: Exception | None = None
        self._thread = Thread(target=self._encode, name="lasthop-table", daemon=True)
        self._thread.start()

    def put(self, group: pl.DataFrame | None) -> None:
        """Queue a row group, or None at the end; raise an earlier failure of the thread."""
        while True:
            if self._failure is not None:
                raise self._failure
            with suppress(Full):
                self._groups.put(group, timeout=self._PATIENCE_S)
                return

    def close(self) -> None:
        """Finish the file with its footer."""
        self.put(None)
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def _encode(self) -> None:
        try:
            register_io_source(self._source, schema=self._schema.types).sink_parquet(
                cast("IO[bytes]", self._file),
                compression="zstd",
                compression_level=3,
                statistics=True,
                row_group_size=self._rows,
                metadata=dict(self._schema.metadata),
                engine="streaming",
            )
        except Exception as error:  # noqa: BLE001  (raised again by whoever hands over rows)
            self._failure = self._file.failure or error
            self._let_go()

    def _source(self, *_: object) -> Iterator[pl.DataFrame]:
        # Pages follow the pieces of a table, so a row group must be one piece.
        while (group := self._groups.get()) is not None:
            yield group.rechunk()

    def _let_go(self) -> None:
        """Stop the row group source after the reader has ended."""
        with suppress(Empty):
            while True:
                self._groups.get_nowait()
        with suppress(Full):
            self._groups.put_nowait(None)
