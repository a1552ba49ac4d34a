"""The time line of a message in a real-time run, from its row and its packets."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

from __future__ import annotations

import shlex
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from lasthop.cli.output import say, say_json
from lasthop.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lasthop.explained import MessageName

_NS_PER_S = 1e9
_MOST_ALONE = 20
_INSTANTS = {
    "intended_ns": "the message is due",
    "sent_ns": "it leaves its device",
    "delivered_ns": "it arrives",
    "acknowledged_ns": "its sender knows that it has arrived",
}


def explain_live(folder: Path, run: Mapping[str, Any], name: MessageName, *, as_json: bool) -> None:
    """Print the events of a message, and the packets of its capture that carry it.

    Raises
    ------
    UsageError
        The run has no such message.
    """
    from lasthop.outcome.culprit import fate_in_words, host_of, search_of
    from lasthop.outcome.results import Results
    from lasthop.study.run_spec import RunSpecReader

    spec = RunSpecReader.of(run["run_spec"])
    number = name.number_in_run(spec)
    messages = Results(folder).messages_of(run["run_id"]).filter(message=name.message)
    messages = messages.filter(device=number)
    rows = [row for row in messages.to_dicts() if name.flow in (None, row["flow"])]
    if not rows:
        raise UsageError(f"the run has no {name}; choose a lower number or another device")
    row = rows[0]
    host = host_of(spec, row)
    capture = folder / "captures" / f"{run['run_id']}.{host}.pcapng"
    packets = search_of(capture, spec, row).found() if capture.is_file() else []
    fate = fate_in_words(row, spec)
    events = [(row[key], what) for key, what in _INSTANTS.items() if row[key] is not None]
    events.sort(key=itemgetter(0))
    if as_json:
        told = {"run_id": run["run_id"], "stack": run["stack"], "engine": run["engine"]}
        shown = [{"time_ns": at, "what": what} for at, what in events]
        file = str(capture) if capture.is_file() else None
        say_json({**told, "events": shown, "fate": fate, "capture": file, "packets": packets})
        return
    say(f"run {run['run_id']}: {run['stack']}, repetition {run['repetition']}; {name}")
    for at, what in events:
        since = (at - row["intended_ns"]) / 1e6
        say(f"{at / _NS_PER_S:14.6f} s  {since:+12.3f} ms  {what}")
    say(f"It {fate}.")
    _say_packets(capture, host, packets)


def _say_packets(capture: Path, host: str, packets: list[int]) -> None:
    if not capture.is_file():
        say(f"Its packets were not kept; lasthop run with --capture {host} keeps them.")
    elif not packets:
        say(f"No packet of {capture} carries it.")
    else:
        numbers = ", ".join(map(str, packets[:_MOST_ALONE]))
        more = len(packets) - _MOST_ALONE
        said = f"Packets {numbers}{f' and {more} more' if more > 0 else ''} of {capture} carry it:"
        say(said if len(packets) > 1 else f"Packet {numbers} of {capture} carries it:")
        chosen = f"frame.number in {{{numbers}}}"
        say(shlex.join(["tshark", "-r", str(capture), "-Y", chosen]))
