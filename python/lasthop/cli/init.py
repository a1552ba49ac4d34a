"""`lasthop init`: a study from a few answers, or an extension with stacks of one's own."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

import sys
from pathlib import Path
from typing import Annotated

import typer

from lasthop.cli import options
from lasthop.cli.output import say
from lasthop.errors import EnvironmentFailure, UsageError

NAME = "init"
EXAMPLE = 'Example: lasthop init meters.yaml --payload "96 B" --every "15 s" --loss "3 %" --yes'


def command(  # noqa: PLR0913  (an argument is an option)
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            parser=options.read_path,
            help="Study file to write. It must not exist. Default: study.yaml.",
        ),
    ] = None,
    *,
    kind: Annotated[
        str | None,
        typer.Option(help="Kind of traffic: round_trip, report or command. Default: round_trip."),
    ] = None,
    payload: Annotated[
        str | None, typer.Option(help='Size of a message, for example "96 B". Default: 409 B.')
    ] = None,
    every: Annotated[
        str | None,
        typer.Option(
            help='Time between two messages of a device, for example "15 s". Default: 250 ms.'
        ),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(
            help='Share of packets that are lost in each direction, for example "3 %". Default: '
            "10 %."
        ),
    ] = None,
    delay: Annotated[
        str | None,
        typer.Option(help='One-way delay in each direction, for example "50 ms". Default: 100 ms.'),
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option(
            help='Rate of the link in each direction, for example "100 kbit/s". Default: unlimited.'
        ),
    ] = None,
    stack: Annotated[
        list[str] | None,
        typer.Option(
            help='Stack to compare, for example "mqtt qos=1", or with a name of your own, '
            '"NAME: STACK". Repeatable. Default: raw_udp, json_udp and raw_udp ack=on.'
        ),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Asks no questions and takes the defaults.")
    ] = False,
    extension: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Writes a folder NAME with the start of a protocol of your own in Rust, "
            "instead of a study. Default: a study.",
        ),
    ] = None,
) -> None:
    """Write a study file from a few answers. Existing files are never overwritten."""
    if extension is not None:
        if any(answer is not None for answer in (path, kind, payload, every, loss, delay, rate)):
            raise UsageError("--extension writes its own folder; remove the other options")
        return _write_extension(extension)
    path = path or Path("study.yaml")
    if path.exists():
        raise UsageError(f"{path}: the file exists already; choose another name")
    ask = not yes and sys.stdin is not None and sys.stdin.isatty()
    from lasthop.study.init import Answers, compose_study

    usual = Answers()
    answers = Answers(
        name=_name(path),
        kind=_answer(kind, "round_trip, report or command", usual.kind, ask=ask),
        payload=_answer(payload, "Size of a message", usual.payload, ask=ask),
        every=_answer(every, "Time between two messages", usual.every, ask=ask),
        loss=_answer(loss, "Packets lost, each way", usual.loss, ask=ask),
        delay=_answer(delay, "Time a packet takes, each way", usual.delay, ask=ask),
        rate=_answer(rate, "What the link carries, each way", "100 kbit/s", ask=ask),
        stacks=tuple(stack or usual.stacks),
    )
    text = compose_study(answers)
    _write(path, text)
    say(f"wrote {path}")
    say(f"run it with: lasthop run {path}")
    return None


def _write_extension(name: str) -> None:
    from lasthop.extensions.writing import write_extension
    from lasthop.study.stacks.catalogue import catalogue

    known = catalogue()
    folder = Path(name)
    taken = {*known.applications, *known.layers, *known.aliases}
    for path in write_extension(name, folder, stacks=taken):
        say(f"wrote {path}")
    say(f"test it with:    cargo test --release --no-default-features (in {folder})")
    say(f"install it with: pip install ./{folder}")
    say(f"run it with:     lasthop run {folder}/study.yaml")


def _answer(given: str | None, question: str, default: str, *, ask: bool) -> str:
    if given is not None:
        return given
    return str(typer.prompt(question, default=default, err=True)) if ask else default


def _name(path: Path) -> str:
    letters = "".join(letter if letter.isalnum() else "-" for letter in path.stem.lower())
    plain = "".join(letter for letter in letters if letter.isascii())
    return "-".join(word for word in plain.split("-") if word)[:64].strip("-") or "study"


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path}: the file exists already; choose another name") from None
    except OSError as error:
        raise EnvironmentFailure(f"{path}: {error.strerror}; choose another file") from error
