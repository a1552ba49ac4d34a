"""Digests of result files: computed on writing, checked on reading."""

import hashlib
import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self

from lasthop.regular_file import open_regular

_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDigest:
    """Digest of a file at the time when it was written."""

    size_bytes: int
    sha256: str

    @classmethod
    def of(cls, content: bytes) -> Self:
        """Return the digest of bytes in memory."""
        return cls(size_bytes=len(content), sha256=hashlib.sha256(content).hexdigest())

    @classmethod
    def of_file(cls, path: Path) -> Self:
        """Return the digest of a regular file."""
        digest, size = hashlib.sha256(), 0
        with open_regular(path) as file:
            while block := file.read(_BLOCK_BYTES):
                digest.update(block)
                size += len(block)
        return cls(size_bytes=size, sha256=digest.hexdigest())

    @classmethod
    def stored(cls, content: Mapping[str, Any]) -> Self:
        """Return the digest that a manifest stores."""
        return cls(size_bytes=int(content["size_bytes"]), sha256=str(content["sha256"]))

    def as_json(self) -> dict[str, Any]:
        """Return the digest as plain values for JSON."""
        return asdict(self)


class DigestingFile(io.RawIOBase):
    """A file that computes its digest while it is written.

    Attributes
    ----------
    failure
        Error of a write, even if the caller ignored it.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file: BinaryIO = path.open("wb")
        self._digest = hashlib.sha256()
        self._bytes = 0
        self.failure: OSError | None = None

    def writable(self) -> bool:
        """Return true, because the file is for writing."""
        return True

    def write(self, block: Any) -> int:  # noqa: ANN401  (any buffer)
        """Append a block."""
        self._digest.update(block)
        self._bytes += len(block)
        try:
            self._file.write(block)
        except OSError as error:
            self.failure = error
            raise
        return len(block)

    def tell(self) -> int:
        """Return the number of bytes written."""
        return self._bytes

    def flush(self) -> None:
        """Flush buffered bytes to the system."""
        if not self._file.closed:
            try:
                self._file.flush()
            except OSError as error:
                self.failure = error
                raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    @property
    def digest(self) -> FileDigest:
        """Return the digest of the bytes written so far."""
        return FileDigest(size_bytes=self._bytes, sha256=self._digest.hexdigest())
