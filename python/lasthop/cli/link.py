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
    from lasthop.link import LinkSettings, Summary

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
    """A command whose options end where the program begins, and whose `--summary` stands alone."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """Parse the options; what begins with the program is its own."""
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
            help="What runs behind the link; {host} in it is the address of the far end, as "
            "LASTHOP_HOST in its environment, {host6} that of IPv6, as LASTHOP_HOST6. Nothing else "
            "can be reached.",
            show_default=False,
        ),
    ],
    *,
    delay: Annotated[str | None, _setting("delay", "TIME", "One-way delay, as 100ms.")] = None,
    jitter: Annotated[
        str | None, _setting("jitter", "TIME", "How far the delay varies to both sides, as 20ms.")
    ] = None,
    trace: Annotated[
        Path | None,
        _setting("trace", "FILE", "Replays recorded delays: a CSV file time_s,delay_ms."),
    ] = None,
    loss: Annotated[str | None, _setting("loss", "SHARE", "Of packets lost, as 10%.")] = None,
    rate: Annotated[str | None, _setting("rate", "RATE", "Of IP bytes, as 50kbit/s.")] = None,
    queue: Annotated[
        str | None, _setting("queue", "SIZE", 'What waits for the rate, as 16kB or "20 packets".')
    ] = None,
    reordering: Annotated[
        str | None, _setting("reordering", "on|off", "Whether packets overtake others; on.")
    ] = None,
    duplicate: Annotated[
        str | None, _setting("duplicate", "SHARE", "Of packets that come twice, as 1%.")
    ] = None,
    corrupt: Annotated[
        str | None, _setting("corrupt", "SHARE", "Of packets with a changed bit, as 1%.")
    ] = None,
    block: Annotated[
        str | None, _setting("block", "udp|tcp", "What a firewall lets nobody speak.")
    ] = None,
    mtu: Annotated[str | None, _setting("mtu", "SIZE", "The largest IP packet, as 1280B.")] = None,
    profile: Annotated[
        str | None, _setting("profile", "NAME", "A named link with sources, as lte.")
    ] = None,
    nbiot: Annotated[
        list[str] | None,
        _setting(
            "nbiot",
            "KEY=VALUE",
            "A device in a cell of NB-IoT, as coupling_loss=154dB; repeatable.",
        ),
    ] = None,
    nat: Annotated[
        list[str] | None,
        _setting("nat", "KEY=VALUE", "A NAT behind the link, as udp=30s; repeatable."),
    ] = None,
    up: Annotated[
        list[str] | None,
        _setting("up", "KEY=VALUE", "What differs to the far end, as loss=5%; repeatable."),
    ] = None,
    down: Annotated[
        list[str] | None,
        _setting("down", "KEY=VALUE", "What differs from it, as rate=1Mbit/s; repeatable."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        _setting("set", "KEY=VALUE", "Any key of a study's path: path.rate_kind=serial."),
    ] = None,
    path: Annotated[
        str | None,
        _setting(
            "path", "STUDY", "The path of a study's devices, at its first point, with all its hops."
        ),
    ] = None,
    group: Annotated[
        str | None, _setting("group", "NAME", "With --path: whose path; of the first group.")
    ] = None,
    seed: Annotated[
        int,
        typer.Option("--seed", metavar="N", min=0, max=2**63 - 1, help="Of all that is random."),
    ] = 1,
    far: Annotated[
        str | None,
        typer.Option("--far", metavar="COMMAND", help="A server there, started and ready first."),
    ] = None,
    far_timeout: Annotated[
        float,
        typer.Option("--far-timeout", metavar="SECONDS", min=0.1, help="How long that may take."),
    ] = 30.0,
    congestion: Annotated[
        str | None,
        typer.Option("--congestion", metavar="NAME", help="TCP's at both ends, as cubic."),
    ] = None,
    port: Annotated[
        str | None,
        typer.Option(
            "--port",
            metavar="IFACE",
            help="The near end is what is on this interface's cable; COMMAND is the server.",
        ),
    ] = None,
    capture: Annotated[
        Path | None,
        typer.Option(
            "--capture",
            metavar="DIR",
            parser=options.read_path,
            help="Keep the packets of both ends: near.pcapng, far.pcapng.",
        ),
    ] = None,
    summary: Annotated[
        str | None,
        typer.Option(
            _SUMMARY,
            metavar="[=json]",
            help="Say on standard error in the end what the link did.",
        ),
    ] = None,
    late_limit: Annotated[
        str,
        typer.Option(
            "--late-limit",
            metavar="TIME",
            help="How late 99 of 100 packets may be, and each ten times; else exit 3.",
        ),
    ] = "20ms",
) -> int:
    """Run a command behind an emulated link, without root where the system allows it.

    The words of the link are those of a study's path. It exits with the command's own status: 126
    if it cannot be run, 127 if there is none, 128 and the signal that ended it. 3 says that it
    succeeded, but that the machine was too busy for the link to be believed.
    """
    from lasthop.link import FarServer, Laboratory, LinkSettings, Program
    from lasthop.link.laboratory import Wishes
    from lasthop.link.settings import pairs, read_time

    if summary not in (None, "text", "json"):
        raise UsageError(
            f'--summary: "{summary}" is no form of it; write --summary or --summary=json'
        )
    if port is not None and far is not None:
        raise UsageError("--far: with --port the command is the server; write it in place of --far")
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
            raise UsageError(f"--group {group}: is of a study; name it by --path")
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
        stack.enter_context(laboratory)
        server = None
        if far is not None:
            server = stack.enter_context(FarServer(laboratory, far, patience_s=far_timeout))
        status = found.run(laboratory)
        laboratory.drain()
        trouble = None if server is None else server.what_went_wrong()
    if trouble is not None:
        complain(trouble)
    return _conclude(laboratory.summary, status, form=summary)


def _replayed(trace: Path, delay: str | None) -> tuple[str, str, str]:
    """Give the setting of delays that were recorded."""
    if delay is not None:
        raise UsageError("--trace: the delay is given, too; write one of them")
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
    from lasthop.link import LinkSettings

    for option, *_ in beside:
        raise UsageError(f"{option}: the link is that of --path; change it by --set KEY=VALUE")
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
