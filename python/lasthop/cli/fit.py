"""`lasthop fit`: a study from a capture, held against the part that was not used."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

import json
from pathlib import Path
from typing import Annotated

import typer

from lasthop.cli import options
from lasthop.cli.capture_files import protocol_of_port, read_captures, refuse_unknown_links
from lasthop.cli.output import say
from lasthop.errors import EnvironmentFailure, UsageError

NAME = "fit"
EXAMPLE = "Example: lasthop fit capture.pcapng --out study.yaml"
_SUFFIXES = (".yaml", ".yml")


def command(
    captures: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            parser=options.read_path,
            help="Capture files in pcapng or pcap format, plain or .gz, in their order. Capture at "
            "the device, or where its packets enter the network.",
        ),
    ],
    *,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="STUDY.yaml",
            help="Study to write. Beside it, a file of claims holds what was measured in the last "
            "third of the capture.",
        ),
    ],
    spoken: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            metavar="PORT=PROTOCOL",
            help="Protocol at a port that is not the usual one, for example 8884=tls. Repeatable. "
            "Default: the registered ports.",
        ),
    ] = None,
) -> None:
    """Write a study with the traffic, the stack and the path of a capture.

    The first two thirds of the capture are fitted. The last third is held out: `lasthop run` of the
    study shows what was measured there beside what the runs predict. Encrypted traffic is read by
    sizes and times. What a capture does not tell stands in the study as a comment.
    """
    from lasthop._native import CaptureLedger
    from lasthop.fitting import compose, fit_capture
    from lasthop.fitting.packets import captured

    if out.suffix not in _SUFFIXES:
        raise UsageError(f"--out: {out} is not a study; write a name that ends with .yaml")
    claims = out.with_name(f"{out.stem}.measured.yaml")
    for file in (out, claims):
        if file.exists():
            raise UsageError(f"--out: {file} is there already; write another name, or remove it")
    ledger = CaptureLedger([protocol_of_port(text) for text in spoken or ()], keeps_packets=True)
    read_captures(ledger, captures)
    refuse_unknown_links(json.loads(ledger.finish()), captures)
    more = len(captures) - 1
    files = captures[0].name + (f" and {more} more" if more else "")
    fit = fit_capture(captured(ledger))
    study, measured = compose(fit, name=study_name(out), claims=claims.name, files=files)
    try:
        out.write_text(study, encoding="utf-8")
        claims.write_text(measured, encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailure(f"{out}: {error.strerror or error}") from error
    say(f"{out}: {fit.stack}, fitted to {fit.fitted_s:.3f} s of {files}")
    for one in fit.unknown:
        say(f"not known: {one}")
    say(f"next: lasthop run {out}")


def study_name(out: Path) -> str:
    """Make a name of a study from that of its file.

    Examples
    --------
    >>> study_name(Path("My_meter 2.yaml"))
    'my-meter-2'
    """
    letters = (letter if letter.isalnum() and letter.isascii() else "-" for letter in out.stem)
    return "-".join(filter(None, "".join(letters).lower().split("-"))) or "fitted"
