"""`lasthop ledger`: what the bytes of a capture are for, whoever captured it."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for Rich)

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from lasthop.cli import options
from lasthop.cli.capture_files import protocol_of_port, read_captures, refuse_unknown_links
from lasthop.cli.output import say_json_with_list
from lasthop.errors import UsageError

NAME = "ledger"
EXAMPLE = "Example: lasthop ledger capture.pcapng --tariff hologram"
_SHOWN = 10
_LISTED_AT_ONCE = 4096


def command(  # noqa: PLR0913  (an option each)
    captures: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            parser=options.read_path,
            help="Capture files in pcapng or pcap format, plain or .gz. Give the files of a "
            "ring buffer in their order.",
        ),
    ],
    *,
    conversations: Annotated[
        int,
        typer.Option(
            "--conversations",
            metavar="N",
            min=0,
            help="Number of conversations to list, largest first.",
        ),
    ] = _SHOWN,
    spoken: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            metavar="PORT=PROTOCOL",
            help="Protocol at a port that is not the usual one, for example 8884=tls: mqtt, "
            "coap, http, tls, dtls or websocket. Repeatable. Default: the registered ports.",
        ),
    ] = None,
    tariff: Annotated[
        str | None,
        typer.Option(
            "--tariff",
            metavar="NAME",
            help="Also print the bill of a month by cause, by a shipped tariff such as hologram, "
            "or by your own: '{fee: 1 EUR/month, price: 0.50 EUR/MB}'. Each address that "
            "opens conversations is taken for one SIM. Default: no bill.",
        ),
    ] = None,
    span: Annotated[
        str | None,
        typer.Option(
            "--span",
            metavar="TIME",
            help="Time that the capture stands for, such as 1d. A month is extrapolated from it. "
            "It needs --tariff. Default: from the first frame to the last one.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Count the bytes of a capture by cause: payload, headers, acknowledgements, retransmissions.

    It reads files of Wireshark, dumpcap, tcpdump and `lasthop run --capture`. It recognises IP,
    UDP, TCP, MQTT, CoAP, RTPS and TLS records; bytes that it cannot read count as `opaque`. Each
    byte of each IP packet counts once, where it was captured.
    """
    from lasthop._native import CaptureLedger
    from lasthop.cli.ledger_bill import plain_bill, read_tariff, show_bill, spec_of
    from lasthop.cli.ledger_tables import show_ledger

    form = None if tariff is None else read_tariff(tariff)
    if span is not None and form is None:
        raise UsageError("--span: it has no effect without --tariff; add --tariff NAME")
    given_s = None if span is None else _seconds(span)
    bill_by = None if form is None else spec_of(form)
    ledger = CaptureLedger([protocol_of_port(text) for text in spoken or ()], bill_by)
    unfinished = read_captures(ledger, captures)
    told: dict[str, Any] = json.loads(ledger.finish())
    told["unfinished_files"] = unfinished
    refuse_unknown_links(told, captures)
    bill, span_s = None, 0.0
    if form is not None:
        span_s = _span_s(told, given_s)
        bill = json.loads(ledger.bill(span_s) or "{}")
    if as_json:
        if form is not None and bill is not None:
            told["bill"] = plain_bill(bill, form, span_s=span_s)
        starts = range(0, told["conversation_count"], _LISTED_AT_ONCE)
        lists = (ledger.conversations(first, _LISTED_AT_ONCE) for first in starts)
        files = [str(path) for path in captures]
        say_json_with_list({"files": files, **told}, "conversations", lists)
        return
    told["conversations"] = json.loads(ledger.conversations(0, conversations))
    show_ledger(told, name=", ".join(map(str, captures)))
    if form is not None and bill is not None:
        show_bill(bill, form, span_s=span_s)


def _seconds(span: str) -> float:
    """Read the time that a capture stands for."""
    from lasthop.study.fields.quantity import TIME, parse
    from lasthop.study.text.faults import Fault

    try:
        seconds = float(parse(span, TIME, example="1 d")) / 1e9
    except Fault as fault:
        raise UsageError(f"--span: {fault.what}; {fault.hint}") from None
    if seconds <= 0:
        raise UsageError('--span: a capture of no time has no bill; write for example "1 d"')
    return seconds


def _span_s(told: dict[str, Any], given_s: float | None) -> float:
    """Give the time from which a month is extrapolated.

    Raises
    ------
    UsageError
        The capture has no IP packet, is shorter than nothing, or longer than what is given.
    """
    if not told["packets"]:
        raise UsageError(
            "--tariff: the capture has no IP packet, so there is nothing to bill; capture where "
            "the device sends IP"
        )
    seen_s = float(told["last_s"] - told["first_s"])
    if given_s is not None:
        if given_s < seen_s:
            raise UsageError(
                f"--span: the capture lasts {seen_s:.3f} s; write at least that, or remove --span"
            )
        return given_s
    if seen_s <= 0:
        raise UsageError(
            "--tariff: all packets of the capture have one time, so no month follows from it; "
            "write --span TIME"
        )
    return seen_s
