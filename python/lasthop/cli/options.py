"""The options that several commands share, each with the words of its help."""

import os
from pathlib import Path
from typing import Annotated

import typer

from lasthop.errors import UsageError

ENGINES = ("virtual", "wall_clock", "live", "both")


def read_path(name: str | Path) -> Path:
    """Read the name of a file or folder. A default is already a path.

    Examples
    --------
    >>> read_path("results/demo").name
    'demo'
    """
    text = str(name)
    if not text.strip():
        raise UsageError("the name of a file or folder is empty; write its name")
    if not text.isprintable():
        raise UsageError(
            f'the name "{text}" has characters that cannot be printed; choose another name'
        )
    return Path(text)


def _read_appendable(name: str | Path) -> Path:
    """Read the name of a file that is written at the end: hours later is too late to find out."""
    path = read_path(name)
    if path.is_dir():
        raise UsageError(f"--summary: {path} is a folder; write the name of a file")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(
            f"--summary: {path} cannot be written; write the name of a file in a writable folder"
        )
    return path


Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        parser=read_path,
        help="Folder for the results. Default: results/NAME, where NAME is the study or demo.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        help="Seed of all random numbers in the study. Same seed, same losses and same "
        "bytes. Default: the seed in the study.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        metavar="N",
        min=1,
        help="Number of runs that are computed at the same time. Default: one for each processor. "
        "The results are the same with any number.",
    ),
]
On = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="ray[://HOST]",
        help="Computes the runs on the workers of a Ray cluster, or on this machine with "
        'ray. Requires pip install "lasthop\\[ray]". Default: this machine, without Ray. '
        "The results are the same.",
    ),
]
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="virtual|wall_clock|live|both",
        help="Engine of the runs. virtual simulates in virtual time, wall_clock in real "
        "time. live runs the real software that stacks name (impl=mosquitto) and needs "
        "root on Linux. both runs virtual and live, then compares them. Default: the "
        "engine in the study.",
    ),
]
Impl = Annotated[
    list[str] | None,
    typer.Option(
        "--impl",
        metavar="NAME=COMMAND",
        help="Command that starts your own build of a server, for stacks with impl=NAME. "
        'Example: --impl mine="./broker {host} {port}". lasthop fills in {host} and '
        "{port}. Repeatable. Default: only software that lasthop knows.",
    ),
]
Shard = Annotated[
    str | None,
    typer.Option(
        "--shard",
        metavar="i/N",
        help="Computes only the i-th of N shares of the runs, for example 1/4. Merge the "
        "shares with lasthop report. Default: all runs.",
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="RUN",
        help="Computes only the run whose id begins with RUN. Repeatable. Default: all runs.",
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help='Replaces a value of the study. Example: --set "path.loss=5 %". Repeatable. '
        "Default: the study as it is written.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Prints the planned runs and an estimate of their time, and computes nothing.",
    ),
]
Quick = Annotated[
    bool,
    typer.Option(
        "--quick",
        help="Uses shorter and fewer runs, to check quickly that a study works. Do not use "
        "the results for a decision.",
    ),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Exits with code 1 unless the runs show that every stack that is not excluded "
        "meets every requirement. Use it in CI, where too few messages must not pass.",
    ),
]
UntilDecided = Annotated[
    bool,
    typer.Option(
        "--until-decided",
        help="Adds repetitions until the decision, its requirements and all claims are "
        "clear. Each round doubles the repetitions. The rounds share an error "
        "probability of 5 % (Bonferroni).",
    ),
]
AtMost = Annotated[
    int | None,
    typer.Option(
        "--at-most",
        metavar="N",
        min=1,
        help="Maximum number of repetitions for --until-decided. Choose it before you see "
        "results. Default: 50.",
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
        help="File to which a summary in Markdown is appended: every expectation, and for "
        "each failed one the message, its packets and the command that shows it again. "
        "Default: no summary.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Prints JSON instead of text.")]
NoReport = Annotated[bool, typer.Option("--no-report", help="Does not write report.html.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Does not show progress.")]


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
            raise UsageError(
                f'--set: "{text}" is not KEY=VALUE; write for example --set "path.loss=5 %"'
            )
        pairs.append((key.strip(), value.strip()))
    return tuple(pairs)


def check_engine(name: str | None) -> str | None:
    """Refuse an unknown engine."""
    if name is not None and name not in ENGINES:
        raise UsageError(f'--engine: there is no engine "{name}"; write {", ".join(ENGINES)}')
    return name


Qos = Annotated[
    int,
    typer.Option(
        "--qos", metavar="0|1|2", min=0, max=2, help="MQTT QoS of the message or the subscription."
    ),
]
MqttVersion = Annotated[str, typer.Option("--version", metavar="3.1.1|5", help="MQTT version.")]
MqttUser = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="NAME:PASSWORD",
        help="User name and password for the server. Other users of this machine can see "
        "both, for example in ps. Default: no user.",
    ),
]
CaFile = Annotated[
    Path | None,
    typer.Option(
        "--cafile",
        metavar="FILE",
        help="PEM file with the certificate authorities that the server is checked against. "
        "Needs mqtts://, wss://, quic://, coaps:// or coaps+tcp://. Default: the "
        "authorities of the system; coaps:// has no default.",
    ),
]
Certificate = Annotated[
    Path | None,
    typer.Option(
        "--cert",
        metavar="FILE",
        help="PEM file with the certificate chain that the client presents. Use it where "
        "the server requires client certificates. Needs --key. Default: none.",
    ),
]
Key = Annotated[
    Path | None,
    typer.Option(
        "--key", metavar="FILE", help="PEM file with the private key for --cert. Default: none."
    ),
]
PreSharedKey = Annotated[
    Path | None,
    typer.Option(
        "--psk",
        metavar="FILE",
        help="File with the pre-shared key for coaps://, one line identity:key, with the "
        "key in hexadecimal digits. Only its owner may read it (chmod 600). Default: "
        "certificates, see --cafile.",
    ),
]
DtlsVersion = Annotated[
    str | None,
    typer.Option(
        "--dtls",
        metavar="1.2|1.3",
        help="DTLS version for coaps:// with certificates. Default: 1.2.",
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout", metavar="SECONDS", min=0.001, help="Seconds until the command gives up."
    ),
]
TimeoutOrNone = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        min=0.001,
        help="Seconds after which the command ends. Default: unlimited.",
    ),
]
NonConfirmable = Annotated[
    bool,
    typer.Option(
        "--non",
        help="Sends a non-confirmable request (NON), which is not acknowledged or retransmitted.",
    ),
]
ContentFormat = Annotated[
    int,
    typer.Option(
        "--content-format",
        metavar="N",
        min=0,
        max=65_535,
        help="CoAP Content-Format number of the body (0 is text/plain).",
    ),
]


def check_mqtt(version: str) -> None:
    """Refuse an MQTT version that our client does not support."""
    if version not in {"3.1.1", "5"}:
        message = f'--version: MQTT "{version}" is not supported; write 3.1.1 or 5'
        raise UsageError(message)
