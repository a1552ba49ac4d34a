"""The ledger of a capture for a terminal: the answer, its rows, and the largest senders."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from lasthop.cli.output import say, show

_DIRECTIONS = ("up", "down")


def show_ledger(told: Mapping[str, Any], *, name: str) -> None:
    """Print the tables of a finished capture ledger."""
    say(f"{name}: {_answer(told)}")
    for remark in _remarks(told):
        say(remark)
    if told["ledger"]:
        say()
        show(_rows(told["ledger"]))
    if told["conversations"]:
        say()
        show(_conversations(told["conversations"]))
    left_out = told["conversation_count"] - len(told["conversations"])
    if left_out:
        say(f"and {_counted(left_out, 'conversation')} more; --conversations N lists N of them")


def _answer(told: Mapping[str, Any]) -> str:
    packets = _counted(told["packets"], "IP packet")
    if not told["packets"]:
        return packets
    seconds = told["last_s"] - told["first_s"]
    by_cause = Counter[str]()
    for row in told["ledger"]:
        by_cause[row["cause"]] += row["bytes"]
    repeated = told["repeated_packets"]
    parts = [
        f"{packets}, {told['bytes']:,} B in {seconds:.3f} s",
        f"payload {_share(by_cause['payload'], told['bytes'])}",
    ]
    if by_cause["opaque"]:
        parts.append(f"opaque {_share(by_cause['opaque'], told['bytes'])}")
    again = _counted(repeated["tcp"] + repeated["application"], "packet")
    in_vain = f", {repeated['tcp_in_vain']:,} of them in vain" if repeated["tcp_in_vain"] else ""
    parts.append(f"sent again {again}{in_vain}")
    return "; ".join(parts)


def _remarks(told: Mapping[str, Any]) -> Iterator[str]:
    """Say what the figures do not hold, or hold only in part."""
    if told["frames_not_ip"]:
        yield f"{_counted(told['frames_not_ip'], 'frame')} without IP, not counted"
    if told["frames_of_incomplete_packets"]:
        frames = _counted(told["frames_of_incomplete_packets"], "frame")
        yield f"{frames} of 6LoWPAN packets whose other fragments are missing, not counted"
    for link_type, frames in told["frames_of_unknown_links"].items():
        yield f"{_counted(frames, 'frame')} of a link layer not read here (LINKTYPE {link_type})"
    if told["packets_cut_short"]:
        yield f"{_counted(told['packets_cut_short'], 'packet')} kept in part; all bytes are counted"
    if told["packets_damaged"]:
        yield f"{_counted(told['packets_damaged'], 'packet')} with a bad checksum, opaque"
    for path in told["unfinished_files"]:
        yield f"{path}: the compressed file ends early; what is there is counted"
    if told["unfinished_bytes"]:
        yield f"the file ends within a packet: its last {told['unfinished_bytes']:,} B are left out"
    for at in told["damaged_at_bytes"]:
        yield f"the file is damaged at byte {at:,}: what follows is left out"


def _rows(ledger: Sequence[Mapping[str, Any]]) -> Table:
    table = _table(("layer", "cause"), (*_DIRECTIONS, "bytes", "share"))
    cells: dict[tuple[str, str], Counter[str]] = {}
    for row in ledger:
        directions = cells.setdefault((row["layer"], row["cause"]), Counter())
        directions[row["direction"]] += row["bytes"]
    total = sum(row["bytes"] for row in ledger)
    for (layer, cause), directions in sorted(cells.items(), key=lambda item: -item[1].total()):
        amount = directions.total()
        sides = (f"{directions[side]:,}" for side in _DIRECTIONS)
        table.add_row(*map(Text, (layer, cause, *sides, f"{amount:,}", _share(amount, total))))
    return table


def _conversations(conversations: Sequence[Mapping[str, Any]]) -> Table:
    numbers = ("packets", *_DIRECTIONS, "bytes", "payload", "again")
    table = _table(("", "from", "to"), numbers)
    for conversation in conversations:
        sides = [conversation[direction] for direction in _DIRECTIONS]
        amount = sum(side["bytes"] for side in sides)
        cells = (
            conversation["protocol"],
            conversation["from"],
            conversation["to"],
            f"{sum(side['packets'] for side in sides):,}",
            *(f"{side['bytes']:,}" for side in sides),
            f"{amount:,}",
            _share(conversation["payload_bytes"], amount),
            f"{sum(side['repeated_packets'] for side in sides):,}",
        )
        table.add_row(*map(Text, cells))
    return table


def _table(texts: Sequence[str], numbers: Sequence[str]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in texts:
        table.add_column(heading, no_wrap=True)
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
