"""Captures as a command reads them: piece by piece, with progress, and what is refused."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for Rich)

import gzip
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.regular_file import NotRegularError, open_regular

if TYPE_CHECKING:
    from lasthop._native import CaptureLedger

_PIECE_BYTES = 1 << 18
_GZIP = b"\x1f\x8b"
_PORTS = 1 << 16


def read_captures(ledger: "CaptureLedger", captures: Sequence[Path]) -> list[str]:
    """Read all files; name those that end early, as far as their compression tells."""
    with _progress(captures) as advance:
        return [str(path) for path in captures if not _feed(ledger, path, advance)]


def protocol_of_port(text: str) -> tuple[int, str]:
    """Read what is spoken at a port.

    Raises
    ------
    UsageError
        It is no port and protocol.
    """
    from lasthop._native import CaptureLedger

    port, _, protocol = text.partition("=")
    known = CaptureLedger.protocols()
    is_port = port.isascii() and port.isdigit() and 0 < int(port[:6]) < _PORTS
    if not (is_port and protocol in known):
        todo = f"write a port and one of {', '.join(known)}, for example 1884=mqtt"
        raise UsageError(f'--as: "{text}" is not PORT=PROTOCOL; {todo}')
    return int(port), protocol


def _feed(ledger: "CaptureLedger", path: Path, advance: Callable[[int], None]) -> bool:
    """Read a file; whether all of it is there, as far as its compression tells."""
    is_all_there = True
    try:
        with open_regular(path) as file:
            read = _reader(file)
            before = 0
            try:
                while piece := read(_PIECE_BYTES):
                    ledger.feed(piece)
                    advance(file.tell() - before)
                    before = file.tell()
            except EOFError:
                is_all_there = False
            ledger.end_of_file()
    except (zlib.error, gzip.BadGzipFile) as error:
        raise UsageError(f"{path}: the compressed file is damaged; decompress it first") from error
    except FileNotFoundError as error:
        raise UsageError(f"{path}: there is no such file; write the name of a capture") from error
    except NotRegularError as error:
        raise UsageError(f"{path}: {error.strerror}; write the name of a capture") from error
    except OSError as error:
        raise EnvironmentFailure(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from error
    return is_all_there


def _reader(file: BinaryIO) -> Callable[[int], bytes]:
    """Give what reads a file that may be compressed, and all that is there of it."""
    is_compressed = file.read(len(_GZIP)) == _GZIP
    file.seek(0)
    return gzip.GzipFile(fileobj=file).read1 if is_compressed else file.read


@contextmanager
def _progress(captures: Iterable[Path]) -> Iterator[Callable[[int], None]]:
    """Draw on a terminal how much of the files is read."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    total_bytes = sum(path.stat().st_size for path in captures if path.is_file())
    columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=total_bytes)
        yield lambda count: bar.advance(task, count)


def refuse_unknown_links(told: dict[str, Any], captures: Iterable[Path]) -> None:
    """Refuse captures of which no frame can be read.

    Raises
    ------
    UsageError
        All their link layers are unknown.
    """
    unknown = told["frames_of_unknown_links"]
    if unknown and sum(unknown.values()) == told["frames"]:
        numbers = ", ".join(sorted(unknown))
        names = ", ".join(map(str, captures))
        todo = "capture on Ethernet, on `any`, on a loopback or on a tunnel"
        raise UsageError(f"{names}: the link layer (LINKTYPE {numbers}) is not supported; {todo}")
