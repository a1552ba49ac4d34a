"""`lasthop link`: any command behind an emulated link."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for the network)

import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from lasthop.cli import options
from lasthop.cli.output import complain
from lasthop.errors import EXIT_INVALID_RUN, EXIT_PASS, UsageError

if TYPE_CHECKING:
    from lasthop.emulator import LinkSettings, Summary

NAME = "link"
EXAMPLE = """\
Example: lasthop link --delay 100ms --far "lasthop serve mqtt --listen {host}" -- mosquitto_pub -h {host} -t x -m y

lasthop link --loss 10% --far "python3 -m http.server 8000" -- curl -s http://{host}:8000/

lasthop link --rate 50kbit/s --far "coap-server-notls -A {host}" -- coap-client-notls coap://{host}/

lasthop link --profile lte --far "iperf3 -s" -- iperf3 -c {host}

lasthop link --nbiot coupling_loss=154dB --summary -- ping -c 3 {host}"""  # noqa: E501  as pasted
_SUMMARY = "--summary"
_FLAGS = ("--help",)


class CommandOfPrograms(TyperCommand):
    """A command whose options end where the program begins. `--summary` needs no value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """Parse the options. The program and what follows it are not parsed."""
        ctx.allow_interspersed_args = False
        return super().parse_args(ctx, _with_value(args))


def _with_value(arguments: list[str]) -> list[str]:
    """Write `--summary` alone as `--summary=text`."""
    written = list(arguments)
    place = 0
    while place < len(written) and written[place].startswith("--") and written[place] != "--":
        option = written[place]
        if option == _SUMMARY:
            written[place] = f"{_SUMMARY}=text"
        place += 1 if "=" in option or option in (_SUMMARY, *_FLAGS) else 2
    return written


def _setting(name: str, metavar: str, text: str) -> Any:  # noqa: ANN401  what typer reads
    return typer.Option(f"--{name}", metavar=metavar, help=text, rich_help_panel="The link")


def command(  # noqa: PLR0913  each is an option
    program: Annotated[
        list[str],
        typer.Argument(
            metavar="COMMAND...",
            help="Command that runs behind the link. {host} stands for the address of the far "
            "end and {host6} for its IPv6 address; the environment has them as "
            "LASTHOP_HOST and LASTHOP_HOST6. The command can reach no other address.",
            show_default=False,
        ),
    ],
    *,
    delay: Annotated[
        str | None, _setting("delay", "TIME", "One-way delay, for example 100ms. Default: 0 ms.")
    ] = None,
    jitter: Annotated[
        str | None,
        _setting(
            "jitter",
            "TIME",
            "Largest deviation from --delay in both directions, uniformly distributed, for "
            "example 20ms. Default: 0 ms.",
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        _setting(
            "trace",
            "FILE",
            "CSV file of recorded delays to replay, with the header time_s,delay_ms. Use "
            "it instead of --delay. Default: none.",
        ),
    ] = None,
    loss: Annotated[
        str | None,
        _setting("loss", "SHARE", "Share of packets that are lost, for example 10%. Default: 0 %."),
    ] = None,
    rate: Annotated[
        str | None,
        _setting(
            "rate",
            "RATE",
            "Rate in IP bytes or bits per second, for example 50kbit/s. Default: unlimited.",
        ),
    ] = None,
    queue: Annotated[
        str | None,
        _setting(
            "queue",
            "SIZE",
            'Size of the queue in front of --rate, for example 16kB or "20 packets". '
            "Packets that do not fit are dropped. Default: 64 kB.",
        ),
    ] = None,
    reordering: Annotated[
        str | None,
        _setting(
            "reordering",
            "on|off",
            "Whether a packet may overtake another one when the delay varies. Default: on.",
        ),
    ] = None,
    duplicate: Annotated[
        str | None,
        _setting(
            "duplicate",
            "SHARE",
            "Share of packets that arrive twice, for example 1%. Default: 0 %.",
        ),
    ] = None,
    corrupt: Annotated[
        str | None,
        _setting(
            "corrupt",
            "SHARE",
            "Share of packets that arrive with one changed bit, for example 1%. Default: 0 %.",
        ),
    ] = None,
    block: Annotated[
        str | None,
        _setting(
            "block",
            "udp|tcp",
            "Drops all UDP or all TCP packets, as a firewall would. Default: drops neither.",
        ),
    ] = None,
    mtu: Annotated[
        str | None,
        _setting(
            "mtu", "SIZE", "Size of the largest IP packet, for example 1280B. Default: 1500 B."
        ),
    ] = None,
    profile: Annotated[
        str | None,
        _setting(
            "profile",
            "NAME",
            "Named link with published values, for example lte. Other options replace its "
            "values. Default: none.",
        ),
    ] = None,
    nbiot: Annotated[
        list[str] | None,
        _setting(
            "nbiot",
            "KEY=VALUE",
            "Adds an NB-IoT cell with one device, for example coupling_loss=154dB. "
            "Repeatable. Default: no cell.",
        ),
    ] = None,
    nat: Annotated[
        list[str] | None,
        _setting(
            "nat",
            "KEY=VALUE",
            "Adds a NAT behind the link, for example udp=30s for its UDP timeout. "
            "Repeatable. Default: no NAT.",
        ),
    ] = None,
    up: Annotated[
        list[str] | None,
        _setting(
            "up",
            "KEY=VALUE",
            "Value for the direction to the far end only, for example loss=5%. Repeatable. "
            "Default: the same value in both directions.",
        ),
    ] = None,
    down: Annotated[
        list[str] | None,
        _setting(
            "down",
            "KEY=VALUE",
            "Value for the direction from the far end only, for example rate=1Mbit/s. "
            "Repeatable. Default: the same value in both directions.",
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        _setting(
            "set",
            "KEY=VALUE",
            "Any other key of the path of a study, for example path.rate_kind=serial. "
            "Repeatable. Default: none.",
        ),
    ] = None,
    path: Annotated[
        str | None,
        _setting(
            "path",
            "STUDY",
            "Study whose path is used, with all hops, at the first point of its sweep. "
            "Change its values with --set. Default: the link of the options above.",
        ),
    ] = None,
    group: Annotated[
        str | None,
        _setting(
            "group",
            "NAME",
            "With --path: the group of devices whose path is used. Default: the first group.",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            metavar="N",
            min=0,
            max=2**63 - 1,
            help="Seed of the link's random numbers. Same seed, same losses.",
        ),
    ] = 1,
    far: Annotated[
        str | None,
        typer.Option(
            "--far",
            metavar="COMMAND",
            help="Command of a server at the far end. It is started first, and COMMAND waits "
            'until it listens. Example: --far "lasthop serve mqtt --listen {host}". '
            "Default: no server.",
        ),
    ] = None,
    far_timeout: Annotated[
        float,
        typer.Option(
            "--far-timeout",
            metavar="SECONDS",
            min=0.1,
            help="Seconds to wait until the --far server listens.",
        ),
    ] = 30.0,
    congestion: Annotated[
        str | None,
        typer.Option(
            "--congestion",
            metavar="NAME",
            help="TCP congestion control at both ends, for example cubic. Default: the kernel's.",
        ),
    ] = None,
    port: Annotated[
        str | None,
        typer.Option(
            "--port",
            metavar="IFACE",
            help="Ethernet interface with a real device behind its cable. The device becomes "
            "the near end, and COMMAND is the server at the far end. Needs root. Default: "
            "COMMAND is the near end.",
        ),
    ] = None,
    capture: Annotated[
        Path | None,
        typer.Option(
            "--capture",
            metavar="DIR",
            parser=options.read_path,
            help="Folder for the packets at both ends: near.pcapng and far.pcapng. Default: no "
            "captures.",
        ),
    ] = None,
    summary: Annotated[
        str | None,
        typer.Option(
            _SUMMARY,
            metavar="[=json]",
            help="Prints a summary of the link on standard error at the end, as text or with "
            "=json as JSON. Default: no summary.",
        ),
    ] = None,
    late_limit: Annotated[
        str,
        typer.Option(
            "--late-limit",
            metavar="TIME",
            help="Lateness that 99 % of packets must stay below, for example 20ms. No packet "
            "may be later than ten times this. Otherwise the machine was too busy, and the "
            "exit code is 3.",
        ),
    ] = "20ms",
) -> int:
    """Run a command behind an emulated link, without root where the system allows it.

    The options have the names and units of the path of a study. The exit code is that of COMMAND:
    126 if it cannot be run, 127 if it does not exist, 128 + N if signal N ended it. Exit code 3
    means that COMMAND succeeded, but the machine was too busy to keep the link's times.
    """
    from lasthop.emulator import FarServer, Laboratory, LinkSettings, Program
    from lasthop.emulator.laboratory import Wishes
    from lasthop.emulator.settings import pairs, read_time
    from lasthop.testbed import postponed_signals

    if summary not in (None, "text", "json"):
        raise UsageError(
            f'--summary: "{summary}" is not a known format; write --summary or --summary=json'
        )
    if port is not None and far is not None:
        raise UsageError(
            "--far: with --port, COMMAND is the server; write the "
            "server as COMMAND and remove --far"
        )
    single = {
        "delay": delay,
        "loss": loss,
        "rate": rate,
        "queue": queue,
        "reordering": reordering,
        "duplicate": duplicate,
        "corrupt": corrupt,
        "block": block,
        "mtu": mtu,
        "profile": profile,
    }
    written = [(f"--{key}", key, text) for key, text in single.items() if text is not None]
    if trace is not None:
        written.append(_replayed(trace, delay))
    for option, texts in (
        ("nbiot", nbiot),
        ("nat", nat),
        ("up", up),
        ("down", down),
        ("set", set_ if path is None else None),
    ):
        written += pairs(f"--{option}", texts or ())
    if path is None:
        if group is not None:
            raise UsageError(f"--group {group}: it works only with a study; add --path STUDY")
        settings = LinkSettings.read(written, seed=seed, jitter=jitter)
    else:
        if jitter is not None:
            written.append(("--jitter", "jitter", jitter))
        settings = _of_study(path, group, set_, seed=seed, beside=written)
    wishes = Wishes(
        captures=capture,
        congestion=congestion,
        port=port,
        late_limit_ns=read_time("--late-limit", late_limit),
    )
    found = Program.find(program)
    with _ended_in_good_order(), ExitStack() as stack:
        laboratory = Laboratory(settings, wishes)
        # Half made, nobody would remove it.
        with postponed_signals():
            stack.enter_context(laboratory)
        server = None
        if far is not None:
            server = stack.enter_context(FarServer(laboratory, far, patience_s=far_timeout))
        status = found.run(laboratory)
        laboratory.drain()
        trouble = None if server is None else server.failure_text()
    if trouble is not None:
        complain(trouble)
    return _conclude(laboratory.summary, status, form=summary)


def _replayed(trace: Path, delay: str | None) -> tuple[str, str, str]:
    """Give the setting of delays that were recorded."""
    if delay is not None:
        raise UsageError("--trace: --delay is given, too; remove one of them")
    quoted = str(trace).replace("'", "''")
    return "--trace", "delay.trace", f"'{quoted}'"


def _of_study(
    study: str,
    group: str | None,
    changes: list[str] | None,
    *,
    seed: int,
    beside: list[tuple[str, str, str]],
) -> "LinkSettings":
    """Read the path of a study, beside which there is no other link."""
    from lasthop.cli.shipped import find_study
    from lasthop.emulator import LinkSettings

    for option, *_ in beside:
        raise UsageError(f"{option}: --path already sets the link; change it with --set KEY=VALUE")
    overrides = options.read_overrides(changes)
    return LinkSettings.of_study(find_study(study), overrides=overrides, group=group, seed=seed)


def _conclude(summary: "Summary | None", status: int, *, form: str | None) -> int:
    import json

    if summary is None:
        return status
    if form == "json":
        sys.stderr.write(json.dumps(summary.as_json(), ensure_ascii=False) + "\n")
    elif form == "text":
        sys.stderr.writelines(f"{line}\n" for line in summary.lines())
    for fault in summary.faults:
        complain(f"the link cannot be believed: {fault}")
    return EXIT_INVALID_RUN if summary.faults and status == EXIT_PASS else status


@contextmanager
def _ended_in_good_order() -> Iterator[None]:
    """Let what asks this process to end do so as Ctrl-C does, until a program hears of it."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
