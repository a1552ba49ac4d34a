"""The options that several commands share, each with the words of its help."""

import os
from pathlib import Path
from typing import Annotated

import typer

from lasthop.errors import UsageError

ENGINES = ("virtual", "wall_clock", "live", "both")


def read_path(name: str | Path) -> Path:
    """Read the name of a file or folder; a default comes as a path.

    Examples
    --------
    >>> read_path("results/demo").name
    'demo'
    """
    text = str(name)
    if not text.strip():
        raise UsageError("the name of a file or folder is empty; write one")
    if not text.isprintable():
        raise UsageError(f'the name "{text}" holds what cannot be printed; choose another one')
    return Path(text)


def _read_appendable(name: str | Path) -> Path:
    """Read the name of a file that is written at the end: hours later is too late to find out."""
    path = read_path(name)
    if path.is_dir():
        raise UsageError(f"--summary: {path}: is a folder; name a file")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"--summary: {path}: cannot be written; name a file in a folder that is")
    return path


Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", parser=read_path, help="Folder of the results."),
]
Seed = Annotated[
    int | None, typer.Option("--seed", metavar="N", help="Replaces the seed of the study.")
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        metavar="N",
        min=1,
        help="Runs at a time; every processor without it. Changes no result.",
    ),
]
On = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="ray[://HOST]",
        help="Runs on the workers of a Ray cluster, or of Ray on this machine; needs "
        'pip install "lasthop[ray]". Changes no result.',
    ),
]
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="virtual|wall_clock|live|both",
        help="Replaces the engine of the study. `live` runs the real software that stacks name "
        "(impl=mosquitto) behind the paths of the study; it needs root on Linux. "
        "`both` also runs our model of it, and holds the two against each other.",
    ),
]
Impl = Annotated[
    list[str] | None,
    typer.Option(
        "--impl",
        metavar="NAME=COMMAND",
        help="Your own build as the software NAME of a stack: --impl mine=./broker; {host} and "
        "{port} in it are replaced; repeatable.",
    ),
]
Shard = Annotated[
    str | None,
    typer.Option(
        "--shard", metavar="i/N", help="The i-th of N shares of the runs; `report` merges them."
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="RUN", help="This run, by the beginning of its id; repeatable."),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help='Replaces a setting: --set "path.loss=5 %"; repeatable.'
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what would run and how long, and run nothing.")
]
Quick = Annotated[
    bool, typer.Option("--quick", help="Shorter and fewer runs, to see whether a study works.")
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Exit with code 1 unless the runs show that each stack that is not excluded meets "
        "every requirement. Use it where a gate must not pass by too few messages.",
    ),
]
UntilDecided = Annotated[
    bool,
    typer.Option(
        "--until-decided",
        help="Add repetitions until the decision, its requirements and every claim are clear: "
        "twice as many each time, the error of 5 % divided among these looks (Bonferroni).",
    ),
]
AtMost = Annotated[
    int | None,
    typer.Option(
        "--at-most",
        metavar="N",
        min=1,
        help="Most repetitions of --until-decided, chosen beforehand; 50 without it.",
    ),
]
Summary = Annotated[
    Path | None,
    typer.Option(
        "--summary",
        metavar="FILE",
        parser=_read_appendable,
        envvar="GITHUB_STEP_SUMMARY",
        show_envvar=True,
        help="Append a page in Markdown: each expectation and, of what failed, the message, its "
        "packets and the command that shows it again.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")]
NoReport = Annotated[bool, typer.Option("--no-report", help="Write no report.html.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress.")]


def read_overrides(written: list[str] | None) -> tuple[tuple[str, str], ...]:
    """Split each `KEY=VALUE`.

    Examples
    --------
    >>> read_overrides(["path.loss=5 %"])
    (('path.loss', '5 %'),)
    """
    pairs = []
    for text in written or ():
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f'--set: "{text}" is not KEY=VALUE; write, say, --set "path.loss=5 %"')
        pairs.append((key.strip(), value.strip()))
    return tuple(pairs)


def check_engine(name: str | None) -> str | None:
    """Refuse an engine that there is not."""
    if name is not None and name not in ENGINES:
        raise UsageError(f'--engine: there is no engine "{name}"; write {", ".join(ENGINES)}')
    return name


Qos = Annotated[int, typer.Option("--qos", metavar="0|1|2", min=0, max=2, help="MQTT's QoS.")]
MqttVersion = Annotated[str, typer.Option("--version", metavar="3.1.1|5", help="MQTT's version.")]
MqttUser = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="NAME:PASSWORD",
        help="Who is asking. Others of this machine can see it.",
    ),
]
CaFile = Annotated[
    Path | None,
    typer.Option(
        "--cafile",
        metavar="FILE",
        help="Of mqtts://, wss://, coaps:// and coaps+tcp://: the certificates of whom to believe, "
        "PEM; the system's without it, but for coaps://.",
    ),
]
Certificate = Annotated[
    Path | None,
    typer.Option(
        "--cert",
        metavar="FILE",
        help="What to show a server that wants to know its clients: a chain of certificates, PEM.",
    ),
]
Key = Annotated[
    Path | None, typer.Option("--key", metavar="FILE", help="The key of the first of them, PEM.")
]
PreSharedKey = Annotated[
    Path | None,
    typer.Option(
        "--psk",
        metavar="FILE",
        help="Of coaps://: the key that the server knows, a line identity:key in hexadecimal "
        "digits.",
    ),
]
DtlsVersion = Annotated[
    str | None,
    typer.Option(
        "--dtls",
        metavar="1.2|1.3",
        help="Of coaps:// with certificates: the version of DTLS; 1.2 without it.",
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", min=0.001, help="How long it may take."),
]
NonConfirmable = Annotated[
    bool, typer.Option("--non", help="By a message that nobody acknowledges.")
]
ContentFormat = Annotated[
    int,
    typer.Option("--content-format", metavar="N", min=0, max=65_535, help="The body's format."),
]


def check_mqtt(version: str) -> None:
    """Refuse a version of MQTT that our client does not speak."""
    if version not in {"3.1.1", "5"}:
        message = f'--version: there is no MQTT "{version}" here; write 3.1.1 or 5'
        raise UsageError(message)
