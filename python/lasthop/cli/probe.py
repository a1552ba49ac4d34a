"""`lasthop probe`: the network of this machine, as the path of a study."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for the network)

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lasthop.cli import options
from lasthop.cli.output import complain, say, say_json
from lasthop.errors import EXIT_PASS, UsageError

if TYPE_CHECKING:
    from lasthop.probe.asking import Server
    from lasthop.probe.plan import ProbePlan
    from lasthop.probe.record import Record
    from lasthop.study.fleet.tariff import TariffForm

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
            help="Measures only this: round_trip, idle, loss, mtu, rate, mapping, quic, nat or "
            "nat_tcp. Repeatable. Default: all.",
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
            help="Longest time without traffic that is tried, for example 10min for the timeouts "
            "of a NAT.",
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
            help="Refuses to begin where the tests could take more than this, for example 2000kB. "
            "The bytes of an interrupted probe count. Default: no bound.",
        ),
    ] = None,
    read: Annotated[
        Path | None,
        typer.Option(
            "--read",
            metavar="FILE",
            parser=options.read_path,
            help="Measures nothing, and reads what the client in C printed on a device "
            "(lasthop_probe.c). Default: measure from this machine.",
        ),
    ] = None,
    tariff: Annotated[
        str | None,
        typer.Option(
            "--tariff",
            metavar="TARIFF",
            help="Also prints what the tests cost at most, by a shipped tariff such as hologram, "
            'or by one in the words of a study: "{price: 0.50 EUR/MB}". Default: no price.',
        ),
    ] = None,
    as_json: options.Json = False,
) -> int:
    """Measure the network of this machine against `lasthop serve probe`.

    It says beforehand how many bytes it takes at most. The folder has the results as
    `path.yaml`, with the interval of each value, and as raw data.
    """
    from lasthop.emulator.settings import read_time
    from lasthop.probe.asking import Server
    from lasthop.probe.client_lines import read_lines
    from lasthop.probe.measuring import measure_all
    from lasthop.probe.plan import TESTS, ProbePlan
    from lasthop.probe.record import Record
    from lasthop.study.fleet.tariff_text import read_tariff

    if read is not None:
        record = Record.open(out, server)
        found, used = read_lines(read)
        for place, (name, result) in enumerate(found.items()):
            record.keep(name, result, used_bytes=used if place == 0 else 0)
        _tell(record, as_json=as_json)
        return EXIT_PASS
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
    form = None if tariff is None else read_tariff(tariff, option="--tariff")
    found_server = Server.find(host, port, written=server)
    record = Record.open(out, server)
    left = tuple(name for name in plan.tests if name not in record.results)
    _announce(replace(plan, tests=left), found_server, record, most=most, tariff=form)
    measure_all(found_server, plan, record, complain)
    _tell(record, as_json=as_json)
    return EXIT_PASS


def _tell(record: "Record", *, as_json: bool) -> None:
    """Print what was found."""
    from lasthop.probe.words import words

    if as_json:
        say_json({"server": record.server, **record.results})
    else:
        for line in words(record.results):
            say(line)
        say(f"path        {record.path_file}")


def _announce(
    rest: "ProbePlan",
    server: "Server",
    record: "Record",
    *,
    most: str | None,
    tariff: "TariffForm | None",
) -> None:
    """Tell what it takes, before anything is sent."""
    from lasthop.probe.price import cost_words
    from lasthop.study.fields.quantity import SIZE, format_quantity, parse
    from lasthop.study.text.faults import Fault

    size = rest.most_bytes(server.overhead)
    server.meter.most_bytes = size
    used = record.used_bytes
    if most is not None:
        try:
            bound = int(parse(most, SIZE))
        except Fault as fault:
            raise UsageError(f"--most: {fault.what}; {fault.hint}") from None
        if size + used > bound:
            before = f" after the {format_quantity(used, SIZE)} of before" if used else ""
            raise UsageError(
                f"--most: the tests can take {format_quantity(size, SIZE)}{before}; write a larger "
                "bound, fewer --datagrams, or --test for one of them"
            )
    if rest.tests:
        complain(
            f"{', '.join(rest.tests)}: at most {format_quantity(size, SIZE)} in both directions "
            f"together and about {math.ceil(rest.most_seconds() / 60)} min"
        )
        if tariff is not None:
            complain(f"cost: {cost_words(rest, server.overhead, tariff)}")


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
