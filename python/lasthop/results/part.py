"""Part file of a finished run: its tables, its times and a digest over both."""

import hashlib
import json
import mmap
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Self

import polars as pl

from lasthop.results.arrow_stream import arrow_stream, pieces, read_stream
from lasthop.results.atomic import checked_replacement, environment
from lasthop.results.schema import RUN_TABLES, SUMMARY, conform

_MAGIC = b"lasthop part 1\n"
_DIGEST_BYTES = hashlib.sha256().digest_size
_STREAMS = ("summary", *RUN_TABLES)
_BLOCK_BYTES = 1 << 20

Stream = bytes | Path
"""An Arrow IPC stream, or the file that holds one."""


class DamagedPartError(Exception):
    """Error: a part is truncated, altered or of another format. Its run must be repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartHeader:
    """Header of a finished run, readable without decoding its tables."""

    run_id: str
    status: str
    wall_s: float
    cpu_s: float
    captured: bool


class Part:
    """A part file whose digest has been verified."""

    def __init__(self, header: PartHeader, streams: Mapping[str, memoryview]) -> None:
        self.header = header
        self._streams = streams

    @classmethod
    def open(cls, path: Path) -> Self:
        """Map a part file into memory; raise `DamagedPartError` if its digest differs."""
        with environment(path):
            status = path.stat()
            # Only files can be mapped, and an empty one cannot.
            if not stat.S_ISREG(status.st_mode) or status.st_size == 0:
                raise DamagedPartError(path)
            with path.open("rb") as file:
                content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return cls.decode(content, origin=str(path))

    @classmethod
    def decode(cls, stored: bytes | mmap.mmap, *, origin: str) -> Self:
        """Decode a part in memory; raise `DamagedPartError` if its digest differs."""
        content = memoryview(stored)
        if not _is_intact(content):
            raise DamagedPartError(origin)
        body = content[:-_DIGEST_BYTES]
        start = len(_MAGIC) + 8
        size = int.from_bytes(body[len(_MAGIC) : start], "big")
        offset = start + size
        streams = {}
        try:
            head = json.loads(bytes(body[start:offset]))
            for name in _STREAMS:
                size = head["sizes"][name]
                streams[name] = body[offset : offset + size]
                offset += size
            return cls(PartHeader(**head["header"]), streams)
        except (ValueError, KeyError, TypeError, RecursionError, IndexError) as error:
            raise DamagedPartError(origin) from error

    def summary(self) -> pl.DataFrame:
        """Return the measured columns of the run as a table of one row."""
        return conform(read_stream(self._streams["summary"]), SUMMARY, name="summary")

    def pieces(self, name: str) -> Iterator[pl.DataFrame]:
        """Yield one of the run's tables in pieces."""
        for piece in pieces(self._streams[name]):
            yield conform(piece, RUN_TABLES[name], name=name)


def is_whole(path: Path, run_id: str) -> bool:
    """Return whether the part of a run is complete and unchanged."""
    with environment(path):
        if not path.exists():
            return False
    try:
        return Part.open(path).header.run_id == run_id
    except DamagedPartError:
        return False


def write_part(path: Path, header: PartHeader, streams: Mapping[str, Stream]) -> None:
    """Write a finished run. After a crash the file is complete, absent or detectably damaged."""
    _write(path, _blocks(header, streams))


def encode_part(header: PartHeader, streams: Mapping[str, Stream]) -> bytes:
    """Return a part as bytes, to be stored elsewhere."""
    return b"".join(_blocks(header, streams))


def store_part(path: Path, content: bytes, run_id: str) -> PartHeader:
    """Write an encoded part if it is intact and belongs to the run.

    Raises
    ------
    DamagedPartError
        It is not.
    """
    header = Part.decode(content, origin=run_id).header
    if header.run_id != run_id:
        raise DamagedPartError(run_id)
    _write(path, [content])
    return header


def _blocks(header: PartHeader, streams: Mapping[str, Stream]) -> Iterator[bytes]:
    sizes = {name: _size(streams[name]) for name in _STREAMS}
    head = json.dumps({"header": asdict(header), "sizes": sizes}, sort_keys=True).encode()
    digest = hashlib.sha256()
    contents = (block for name in _STREAMS for block in _content(streams[name]))
    for block in chain((_MAGIC, len(head).to_bytes(8, "big"), head), contents):
        digest.update(block)
        yield block
    yield digest.digest()


def _size(stream: Stream) -> int:
    return stream.stat().st_size if isinstance(stream, Path) else len(stream)


def _content(stream: Stream) -> Iterator[bytes]:
    if isinstance(stream, bytes):
        yield stream
        return
    with environment(stream), stream.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            yield block


def _write(path: Path, blocks: Iterable[bytes]) -> None:
    with (
        environment(path),
        checked_replacement(path) as temporary,
        temporary.open("wb") as file,
    ):
        file.writelines(blocks)


def read_status(streams: Mapping[str, Stream]) -> str:
    """Return the status of a run that was just simulated."""
    return str(read_summary(streams)["status"])


def read_summary(streams: Mapping[str, Stream]) -> Mapping[str, Any]:
    """Return the measured values of a run that was just simulated."""
    summary = read_stream(b"".join(_content(streams["summary"])))
    return conform(summary, SUMMARY, name="summary").row(0, named=True)


def failed_streams(*, status: str, reason: str) -> dict[str, Stream]:
    """Return the tables of a failed run: only a status and a reason."""
    row = dict.fromkeys(SUMMARY.names) | {"status": status, "reason": reason}
    streams: dict[str, Stream] = {"summary": arrow_stream(SUMMARY.table([row]))}
    return streams | {name: arrow_stream(schema.empty()) for name, schema in RUN_TABLES.items()}


def amended_streams(streams: Mapping[str, Stream], **told: object) -> dict[str, Stream]:
    """Return the tables of a run with externally measured columns."""
    row = {**read_summary(streams), **told}
    return {**streams, "summary": arrow_stream(SUMMARY.table([row]))}


def _is_intact(content: memoryview) -> bool:
    body, digest = content[:-_DIGEST_BYTES], content[-_DIGEST_BYTES:]
    return bytes(body[: len(_MAGIC)]) == _MAGIC and _digest(body) == bytes(digest)


def _digest(body: memoryview) -> bytes:
    digest = hashlib.sha256()
    for start in range(0, len(body), _BLOCK_BYTES):
        digest.update(body[start : start + _BLOCK_BYTES])
    return digest.digest()
