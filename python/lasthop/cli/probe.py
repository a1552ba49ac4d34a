"""`lasthop probe`: the network of this machine, as the path of a study."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for the network)

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lasthop.cli import options
from lasthop.cli.output import complain, say, say_json
from lasthop.errors import EXIT_PASS, EnvironmentFailure, UsageError

if TYPE_CHECKING:
    from lasthop.probe.asking import Server
    from lasthop.probe.plan import ProbePlan

NAME = "probe"
EXAMPLE = """\
Example: lasthop probe probe.example.net:7777 --out my-network

On the server: lasthop serve probe --listen 0.0.0.0:7777"""
_PORT = 7777
_LARGEST_PORT = 2**16 - 1
_SMALLEST_COUNT = 20


def command(  # noqa: PLR0913  each is an option
    server: Annotated[
        str,
        typer.Argument(
            metavar="HOST[:PORT]",
            help="Host of lasthop serve probe, outside of the network to be measured. Port: 7777 "
            "unless another one is written.",
            show_default=False,
        ),
    ],
    *,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="FOLDER",
            parser=options.read_path,
            help="Folder for the path and the raw results. A probe that was interrupted goes on "
            "where it stopped when the folder is given again.",
        ),
    ] = Path("probe"),
    test: Annotated[
        list[str] | None,
        typer.Option(
            "--test",
            metavar="NAME",
            help="Measures only this: round_trip, loss, mtu or nat. Repeatable. Default: all.",
        ),
    ] = None,
    datagrams: Annotated[
        int,
        typer.Option(
            "--datagrams",
            metavar="N",
            min=_SMALLEST_COUNT,
            max=100_000,
            help="Datagrams of 60 B that measure the loss, 50 in each second.",
        ),
    ] = 500,
    longest_idle: Annotated[
        str,
        typer.Option(
            "--longest-idle",
            metavar="TIME",
            help="Longest time without traffic after which a NAT is tried, for example 10min.",
        ),
    ] = "3min",
    patience: Annotated[
        str,
        typer.Option(
            "--patience",
            metavar="TIME",
            help="Longest wait for an answer, for example 10s for NB-IoT. Default: 2s.",
        ),
    ] = "2s",
    most: Annotated[
        str | None,
        typer.Option(
            "--most",
            metavar="SIZE",
            help="Refuses to begin where the tests could take more than this, for example 500kB. "
            "Default: no bound.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> int:
    """Measure the network of this machine against `lasthop serve probe`, by UDP.

    It says beforehand how many bytes it takes at most. The folder has the results as
    `path.yaml`, with the interval of each value, and as raw data.
    """
    from lasthop.emulator.settings import read_time
    from lasthop.probe.asking import Server
    from lasthop.probe.plan import TESTS, ProbePlan
    from lasthop.probe.record import Record

    chosen = tuple(test or TESTS)
    for name in chosen:
        if name not in TESTS:
            raise UsageError(f'--test: "{name}" is not a test; write one of {", ".join(TESTS)}')
    plan = ProbePlan(
        tests=tuple(name for name in TESTS if name in chosen),
        datagrams=datagrams,
        longest_idle_s=read_time("--longest-idle", longest_idle) / 1e9,
        patience_s=read_time("--patience", patience) / 1e9,
    )
    host, port = _read_server(server)
    found = Server.find(host, port)
    record = Record.open(out, server)
    left = [name for name in plan.tests if name not in record.results]
    _announce(plan, left, found, most)
    if left:
        _greet(found, server, plan.patience_s)
    for name in left:
        complain(f"measuring {name}")
        record.keep(name, _MEASURES[name](found, plan))
    if as_json:
        say_json({"server": server, **record.results})
    else:
        for line in record.words():
            say(line)
        say(f"path        {record.path_file}")
    return EXIT_PASS


def _announce(plan: "ProbePlan", left: list[str], server: "Server", most: str | None) -> None:
    """Tell what it takes, before anything is sent."""
    from dataclasses import replace

    from lasthop.study.fields.quantity import SIZE, format_quantity, parse
    from lasthop.study.text.faults import Fault

    rest = replace(plan, tests=tuple(left))
    size = rest.most_bytes(server.overhead)
    if most is not None:
        try:
            bound = int(parse(most, SIZE))
        except Fault as fault:
            raise UsageError(f"--most: {fault.what}; {fault.hint}") from None
        if size > bound:
            raise UsageError(
                f"--most: the tests can take {format_quantity(size, SIZE)}; write a larger bound, "
                "fewer --datagrams, or --test for one of them"
            )
    if left:
        complain(
            f"{', '.join(left)}: at most {format_quantity(size, SIZE)} in both directions together "
            f"and about {rest.most_seconds() / 60:.0f} min"
        )


def _greet(server: "Server", written: str, patience_s: float) -> None:
    """See whether the server answers."""
    from lasthop.probe.datagram import ECHO, Datagram

    with server.ask() as asking:
        hello = Datagram(kind=ECHO, session=0, test=_GREETING)
        if asking.exchange(hello, tries=3, patience_s=patience_s) is None:
            raise EnvironmentFailure(
                f"{written}: no answer by UDP; start lasthop serve probe there, or look for a "
                "firewall that blocks UDP"
            )


_GREETING, _LOSS, _MTU, _NAT = 100, 101, 102, 103
"""The numbers of the tests; those of round trips are below."""


def _round_trip(server: "Server", plan: "ProbePlan") -> Any:  # noqa: ANN401  JSON
    from lasthop.probe.plan import SIZES
    from lasthop.probe.tests import round_trips

    return round_trips(server, SIZES, patience_s=plan.patience_s)


def _loss(server: "Server", plan: "ProbePlan") -> Any:  # noqa: ANN401  JSON
    from lasthop.probe.tests import losses

    return losses(server, plan.datagrams, test=_LOSS, patience_s=plan.patience_s)


def _mtu(server: "Server", plan: "ProbePlan") -> Any:  # noqa: ANN401  JSON
    from lasthop.probe.tests import path_mtu

    return path_mtu(server, test=_MTU, patience_s=plan.patience_s)


def _nat(server: "Server", plan: "ProbePlan") -> Any:  # noqa: ANN401  JSON
    from lasthop.probe.tests import nat_timeout

    longest = plan.longest_idle_s
    return nat_timeout(server, longest_s=longest, test=_NAT, patience_s=plan.patience_s)


_MEASURES: dict[str, Callable[["Server", "ProbePlan"], Any]] = {
    "round_trip": _round_trip,
    "loss": _loss,
    "mtu": _mtu,
    "nat": _nat,
}


def _read_server(written: str) -> tuple[str, int]:
    host, port = written, str(_PORT)
    if written.startswith("["):
        host, _, after = written.removeprefix("[").partition("]")
        port = after.removeprefix(":") or port
    elif written.count(":") == 1:
        host, _, port = written.partition(":")
    if not host or not port.isdecimal() or not 0 < int(port) <= _LARGEST_PORT:
        raise UsageError(
            f'"{written}" is not a host and a port; write for example probe.example.net:{_PORT}'
        )
    return host, int(port)
