"""`lasthop ui`: a local page on which a study is asked and answered."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

import signal
from pathlib import Path
from typing import Annotated

import typer

from lasthop.cli import options
from lasthop.cli.output import say

NAME = "ui"
EXAMPLE = "Example: lasthop ui meters.yaml"
_MOST_PORT = 65_535


def command(
    study: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            parser=options.read_path,
            help="Study file to open. A file that does not exist is written when the page saves "
            "it. Default: study.yaml.",
        ),
    ] = None,
    *,
    port: Annotated[
        int,
        typer.Option(
            min=0,
            max=_MOST_PORT,
            help="TCP port of the page on 127.0.0.1. Default: 0, which takes a free port.",
        ),
    ] = 0,
    results: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            parser=options.read_path,
            help="Folder in which each study gets its result folder. Default: results.",
        ),
    ] = None,
) -> int:
    """Open a local page: edit a study as a form and as YAML, run it and explore its answer.

    The page is served on 127.0.0.1 to browsers that have the printed address with its token.
    It ends with Ctrl-C.
    """
    from lasthop.ui import Session, UiServer

    session = Session(study or Path("study.yaml"), results=results or Path("results"))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with UiServer(session, port=port) as server:
        try:
            say(f"page     {server.url}")
            say("         Ctrl-C ends it")
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            session.close()
    return 0
