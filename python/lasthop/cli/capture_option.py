"""`--capture`, which may be followed by hosts."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from lasthop.cli.shipped import shipped_studies
from lasthop.errors import UsageError

if TYPE_CHECKING:
    from lasthop.running.captured_hosts import CapturedHosts

_OPTION = "--capture"
_THE_FIRST = "the first"

Capture = Annotated[
    str | None,
    typer.Option(
        _OPTION,
        metavar="[HOST,..]",
        help="Writes the packets of hosts to captures/RUN.HOST.pcapng in the result folder. "
        "Without names, it captures every server and the first 10 devices (100 with real "
        "software). Write names to choose hosts, for example device-3,server-0, or in a "
        "fleet meters-3,head_end-0. Default: no captures.",
    ),
]


Keys = Annotated[
    bool,
    typer.Option(
        "--keys",
        help="With --capture, writes the secrets of TLS sessions to captures/RUN.keys, "
        "which tshark reads with -o tls.keylog_file:FILE. For QUIC it also writes a "
        "qlog to captures/RUN.HOST.sqlog.",
    ),
]


class CommandWithCapture(TyperCommand):
    """A command whose `--capture` stands alone or before hosts."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """Parse the arguments, of which `--capture` has a value then."""
        return super().parse_args(ctx, _with_value(args))


def read(value: str | None, *, keys: bool = False) -> "CapturedHosts | None":
    """Return what `--capture` and `--keys` ask for."""
    from lasthop.running.captured_hosts import CapturedHosts

    if value is None:
        if keys:
            raise UsageError("--keys: it needs a capture; write --capture --keys")
        return None
    return (
        CapturedHosts(keys=keys) if value == _THE_FIRST else CapturedHosts.parse(value, keys=keys)
    )


def _with_value(arguments: list[str]) -> list[str]:
    """Join each `--capture` to the hosts behind it, or to the word for the first ones."""
    written: list[str] = []
    hosts_before = False
    for argument, after in pairwise([*arguments, ""]):
        if argument == _OPTION:
            hosts_before = bool(after) and not after.startswith("-") and not _names_a_study(after)
            written.append(f"{_OPTION}={after if hosts_before else _THE_FIRST}")
        elif hosts_before:
            hosts_before = False
        else:
            written.append(argument)
    return written


def _names_a_study(argument: str) -> bool:
    path = Path(argument)
    return (
        path.suffix in {".yaml", ".yml"}
        or path.exists()
        or argument in {study.name for study in shipped_studies()}
    )
