"""`lasthop ledger`: what the bytes of a capture are for, whoever captured it."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for Rich)

import gzip
import json
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from lasthop.cli import options
from lasthop.cli.output import say_json_with_list
from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.regular_file import NotRegularError, open_regular

if TYPE_CHECKING:
    from lasthop._native import CaptureLedger

NAME = "ledger"
EXAMPLE = "Example: lasthop ledger capture.pcapng"
_PIECE_BYTES = 1 << 18
_GZIP = b"\x1f\x8b"
_SHOWN = 10
_PORTS = 1 << 16
_LISTED_AT_ONCE = 4096


def command(
    captures: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            parser=options.read_path,
            help="Capture files in pcapng or pcap format, plain or .gz. Give the files of a "
            "ring buffer in their order.",
        ),
    ],
    *,
    conversations: Annotated[
        int,
        typer.Option(
            "--conversations",
            metavar="N",
            min=0,
            help="Number of conversations to list, largest first.",
        ),
    ] = _SHOWN,
    spoken: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            metavar="PORT=PROTOCOL",
            help="Protocol at a port that is not the usual one, for example 8884=tls: mqtt, "
            "coap, http, tls, dtls or websocket. Repeatable. Default: the registered ports.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Count the bytes of a capture by cause: payload, headers, acknowledgements, retransmissions.

    It reads files of Wireshark, dumpcap, tcpdump and `lasthop run --capture`. It recognises IP,
    UDP, TCP, MQTT, CoAP, RTPS and TLS records; bytes that it cannot read count as `opaque`. Each
    byte of each IP packet counts once, where it was captured.
    """
    from lasthop._native import CaptureLedger
    from lasthop.cli.ledger_tables import show_ledger

    ledger = CaptureLedger([_port(text) for text in spoken or ()])
    with _progress(captures) as advance:
        unfinished = [str(path) for path in captures if not _feed(ledger, path, advance)]
    told: dict[str, Any] = json.loads(ledger.finish())
    told["unfinished_files"] = unfinished
    _refuse_unknown_links(told, captures)
    if as_json:
        starts = range(0, told["conversation_count"], _LISTED_AT_ONCE)
        lists = (ledger.conversations(first, _LISTED_AT_ONCE) for first in starts)
        files = [str(path) for path in captures]
        say_json_with_list({"files": files, **told}, "conversations", lists)
        return
    told["conversations"] = json.loads(ledger.conversations(0, conversations))
    show_ledger(told, name=", ".join(map(str, captures)))


def _port(text: str) -> tuple[int, str]:
    """Read what is spoken at a port."""
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


def _refuse_unknown_links(told: dict[str, Any], captures: Iterable[Path]) -> None:
    unknown = told["frames_of_unknown_links"]
    if unknown and sum(unknown.values()) == told["frames"]:
        numbers = ", ".join(sorted(unknown))
        names = ", ".join(map(str, captures))
        todo = "capture on Ethernet, on `any`, on a loopback or on a tunnel"
        raise UsageError(f"{names}: the link layer (LINKTYPE {numbers}) is not supported; {todo}")
