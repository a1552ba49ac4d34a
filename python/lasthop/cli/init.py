"""`lasthop init`: a study from a few answers, the rerun of a paper, or an extension."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

import sys
from collections.abc import Mapping, Sequence
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
    network: Annotated[
        str | None,
        typer.Option(
            help="Network of a fleet: nb_iot, which is simulated as a radio network, or a link "
            'profile, for example "lte". Writes the study of a fleet. Default: one link of your '
            "own."
        ),
    ] = None,
    devices: Annotated[
        str | None,
        typer.Option(
            help="Number of devices of the fleet; at most 30 are simulated and stand for all. "
            "Default: 1000."
        ),
    ] = None,
    nat: Annotated[
        str | None,
        typer.Option(
            help='Time after which the NAT forgets a silent UDP mapping, for example "30 s", or '
            "none without a NAT. Default: that of the network."
        ),
    ] = None,
    battery: Annotated[
        str | None,
        typer.Option(
            help='Energy of a new battery, for example "10 Wh", or none. It needs --network '
            "nb_iot. Default: none."
        ),
    ] = None,
    tariff: Annotated[
        str | None,
        typer.Option(
            help='Tariff of the SIM cards, for example "hologram", or none if the bill is not '
            "asked for. Default: none."
        ),
    ] = None,
    command: Annotated[
        str | None,
        typer.Option(
            help='Mean time between two commands to a device, for example "6 h", or none. '
            "Default: none."
        ),
    ] = None,
    example: Annotated[
        str | None,
        typer.Option(
            help="Writes a shipped question instead: meters (NB-IoT, battery, tariff, valves), "
            "trackers (a lossy radio, stacks and their settings) or gateway (sensors behind a "
            "gateway). Default: a study from your answers."
        ),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Asks no questions and takes the defaults.")
    ] = False,
    paper: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            parser=options.read_path,
            help="Writes a folder with the rerun of a paper to start from: study.yaml, "
            "published.yaml, figures.yaml and deviations.md. Default: a study.",
        ),
    ] = None,
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
        others = (path, kind, payload, every, loss, delay, rate, paper)
        if any(answer is not None for answer in others):
            raise UsageError("--extension writes its own folder; remove the other options")
        return _write_extension(extension)
    if paper is not None:
        of_study = (path, kind, payload, every, loss, delay, rate, network, example)
        if any(answer is not None for answer in of_study):
            raise UsageError("--paper writes its own folder; remove the other options")
        return _write_paper(paper)
    of_fleet = {
        "devices": devices,
        "nat": nat,
        "battery": battery,
        "tariff": tariff,
        "command": command,
    }
    of_link = {"kind": kind, "loss": loss, "delay": delay, "rate": rate}
    if example is not None:
        _refuse({**of_fleet, **of_link, "network": network}, "--example writes a whole study")
        return _write_example(path, example)
    path = path or Path("study.yaml")
    if path.exists():
        raise UsageError(f"{path}: the file exists already; choose another name")
    ask = not yes and sys.stdin is not None and sys.stdin.isatty()
    if network is None and not any(of_link.values()):
        network = _network(any(of_fleet.values()), ask=ask)
    if network is not None:
        _refuse(of_link, f"--network {network} has its own link")
        fleet = {"payload": payload, "every": every, **of_fleet}
        return _write_fleet(path, network, fleet, stack or (), ask=ask)
    _refuse(of_fleet, "a link of your own has no fleet")
    from lasthop.study.init.link import Answers, compose_study

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


def _refuse(options_given: Mapping[str, str | None], why: str) -> None:
    given = [f"--{name}" for name, value in options_given.items() if value is not None]
    if given:
        remedy = "write --network too" if "fleet" in why else f"remove {' and '.join(given)}"
        raise UsageError(f"{' and '.join(given)} cannot be used here: {why}; {remedy}")


def _network(wanted: bool, *, ask: bool) -> str | None:  # noqa: FBT001
    """Ask for the network; nothing means a link of one's own."""
    from lasthop.study.init.fleet import NB_IOT

    if not ask:
        return NB_IOT if wanted else None
    question = "Network (nb_iot, lte, lte_m, ... or link for loss and delay of your own)"
    answer = str(typer.prompt(question, default=NB_IOT if wanted else "link", err=True)).strip()
    return None if answer == "link" else answer


_FLEET_QUESTIONS = {
    "devices": "Number of devices",
    "payload": "Size of a report",
    "every": "Time between two reports of a device",
    "nat": "Time after which the NAT forgets a silent UDP mapping (usual: that of the network)",
    "battery": "Energy of a new battery, for example 10 Wh",
    "tariff": "Tariff of the SIM cards",
    "command": "Time between two commands to a device",
}


def _write_fleet(
    path: Path,
    network: str,
    given: Mapping[str, str | None],
    stacks: Sequence[str],
    *,
    ask: bool,
) -> None:
    from lasthop.study.init.fleet import NB_IOT, FleetAnswers, compose_fleet

    usual = FleetAnswers(name=_name(path), network=network)
    answers: dict[str, str] = {}
    for name, question in _FLEET_QUESTIONS.items():
        default = getattr(usual, name) or "usual"
        there = ask and (name != "battery" or network == NB_IOT)
        answers[name] = _answer(given[name], question, default, ask=there)
    nat = answers.pop("nat")
    text = compose_fleet(
        FleetAnswers(
            name=usual.name,
            network=network,
            nat=None if nat == "usual" else nat,
            stacks=tuple(stacks),
            **answers,
        )
    )
    _write(path, text)
    _say_written(path)


def _write_example(path: Path | None, name: str) -> None:
    from lasthop.study.init.examples import example

    text = example(name)
    path = path or Path(f"{name}.yaml")
    _write(path, text)
    _say_written(path)


def _say_written(path: Path) -> None:
    """Say what to do with a study, and put the schema beside it by which editors complete it."""
    from lasthop.study.forms.schema import schema_text
    from lasthop.study.init.fleet import SCHEMA

    schema = path.parent / SCHEMA
    try:
        schema.write_text(schema_text(), encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailure(f"{schema}: {error.strerror}; choose another folder") from error
    say(f"wrote {path}")
    say(f"wrote {schema}, by which editors complete keys")
    say(f"run it with: lasthop run {path}")


def _write_paper(folder: Path) -> None:
    from lasthop.study.init.paper import write_paper

    for path in write_paper(folder):
        say(f"wrote {path}")
    say(f"run it with: lasthop run {folder}/study.yaml --quick")


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
