"""`lasthop init`: a study from a few answers."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for pyarrow)

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from lasthop.cli.output import say
from lasthop.errors import EnvironmentFailure, StudyError, UsageError

NAME = "init"
EXAMPLE = 'Example: lasthop init meters.yaml --payload "96 B" --every "15 s" --loss "3 %" --yes'

_DEFAULT_STACKS = ("raw_udp", "raw_udp ack=on", "json_udp")


def command(  # noqa: PLR0913  (an argument is an option)
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The study to write.")] = Path(
        "study.yaml"
    ),
    *,
    payload: Annotated[str | None, typer.Option(help="Size of a message.")] = None,
    every: Annotated[str | None, typer.Option(help="Time between two messages.")] = None,
    loss: Annotated[str | None, typer.Option(help="Share of packets lost, each way.")] = None,
    delay: Annotated[str | None, typer.Option(help="Time a packet takes, each way.")] = None,
    rate: Annotated[str | None, typer.Option(help="What the link carries, each way.")] = None,
    stack: Annotated[list[str] | None, typer.Option(help="A stack to compare; repeatable.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing, take the defaults.")] = False,
) -> None:
    """Write a study that runs, from a few answers; nothing is overwritten."""
    if path.exists():
        raise UsageError(f"{path}: exists already; name another file")
    ask = not yes and sys.stdin is not None and sys.stdin.isatty()
    text = _study(
        name=_name(path),
        traffic={
            "report": _answer(payload, "Size of a message", "100 B", ask=ask),
            "every": _answer(every, "Time between two messages", "1 s", ask=ask),
        },
        path={
            "loss": _answer(loss, "Packets lost, each way", "5 %", ask=ask),
            "delay": _answer(delay, "Time a packet takes, each way", "50 ms", ask=ask),
            "rate": _answer(rate, "What the link carries, each way", "100 kbit/s", ask=ask),
        },
        stacks="".join(f"  - {_plain(name)}\n" for name in stack or _DEFAULT_STACKS),
    )
    _write(path, text)
    say(f"wrote {path}")
    say(f"run it with: lasthop run {path}")


def _answer(given: str | None, question: str, default: str, *, ask: bool) -> str:
    if given is not None:
        return given
    return str(typer.prompt(question, default=default, err=True)) if ask else default


def _name(path: Path) -> str:
    letters = "".join(letter if letter.isalnum() else "-" for letter in path.stem.lower())
    plain = "".join(letter for letter in letters if letter.isascii())
    return "-".join(word for word in plain.split("-") if word)[:64].strip("-") or "study"


def _study(*, name: str, traffic: Mapping[str, str], path: Mapping[str, str], stacks: str) -> str:
    return (
        f"study: {name}\n"
        "duration: 5 min\n"
        f"traffic: {{{', '.join(_entries(traffic))}}}\n"
        "path:                                   # both ways; or up: and down: apart\n"
        + "".join(f"  {entry}\n" for entry in _entries(path))
        + "stacks:                                 # `lasthop stacks` lists them\n"
        f"{stacks}"
        "repeat: 5\n"
        'decide: {require: ["delivery_ratio >= 99 %"], minimise: latency_p95}\n'
    )


def _entries(answers: Mapping[str, str]) -> list[str]:
    return [f"{key}: {_plain(value)}" for key, value in answers.items()]


def _plain(text: str) -> str:
    """Write an answer as a YAML scalar, in quotes where it might be read as something else."""
    usual = all(letter.isalnum() or letter in " ._%/=-" for letter in text)
    if usual and text.isascii() and text.strip() and text[0].isalnum():
        return text
    return json.dumps(text)


def _write(path: Path, text: str) -> None:
    from lasthop.study import load_study

    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path}: exists already; name another file") from None
    except OSError as error:
        raise EnvironmentFailure(f"{path}: {error.strerror}; name another file") from error
    try:
        load_study(path)
    except StudyError as error:
        path.unlink()
        words = f"{error.what}; {error.hint}" if error.hint else error.what
        raise UsageError(f"{error.key}: {words}" if error.key else words) from error
