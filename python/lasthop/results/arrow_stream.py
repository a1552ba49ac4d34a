"""Encodes and decodes tables as Arrow IPC streams, the format of the simulator."""

import io
import struct
from collections.abc import Iterator
from typing import IO, cast

import polars as pl

_MESSAGE = struct.Struct("<iI")
"""Message prefix of the IPC format: marker -1 and the size of the metadata."""

_BODY_LENGTH = 4 + 2 * 3
"""Position of the body length in the vtable of a message (Message.fbs)."""


_END = _MESSAGE.pack(-1, 0)
_ROWS = 1 << 14
"""Rows of a batch, equal to those of the simulator."""


def arrow_stream(table: pl.DataFrame) -> bytes:
    """Encode a table as an IPC stream."""
    first, *others = [_one_batch(piece) for piece in table.iter_slices(_ROWS)] or [
        _one_batch(table)
    ]
    if not others:
        return first
    batches = [message for one in others for message in list(_messages(memoryview(one)))[1:]]
    return b"".join([*_messages(memoryview(first)), *batches, _END])


def _one_batch(table: pl.DataFrame) -> bytes:
    sink = io.BytesIO()
    table.write_ipc_stream(sink)
    return sink.getvalue()


def read_stream(stream: bytes | memoryview) -> pl.DataFrame:
    """Read a whole table from an IPC stream."""
    # Of a plain BytesIO Polars 2.1 forgets to release an object of some 40 bytes each time.
    return pl.read_ipc_stream(cast("IO[bytes]", io.BufferedReader(io.BytesIO(stream))))


def pieces(stream: memoryview) -> Iterator[pl.DataFrame]:
    """Yield the batches of an IPC stream as tables."""
    messages = _messages(stream)
    schema = bytes(next(messages))
    for batch in messages:
        yield read_stream(schema + batch)


def _messages(stream: memoryview) -> Iterator[memoryview]:
    """Yield the messages of an IPC stream: the schema, then the batches."""
    start = 0
    while start < len(stream):
        _, described = _MESSAGE.unpack_from(stream, start)
        if described == 0:  # the end
            return
        body = start + _MESSAGE.size + described
        end = body + _body_bytes(stream[start + _MESSAGE.size : body])
        yield stream[start:end]
        start = end


def _body_bytes(description: memoryview) -> int:
    """Return the body size of a message from its FlatBuffers metadata."""
    (table,) = struct.unpack_from("<I", description)
    (fields,) = struct.unpack_from("<i", description, table)
    (size,) = struct.unpack_from("<H", description, table - fields)
    if size <= _BODY_LENGTH:
        return 0
    (place,) = struct.unpack_from("<H", description, table - fields + _BODY_LENGTH)
    (length,) = struct.unpack_from("<q", description, table + place) if place else (0,)
    return int(length)
