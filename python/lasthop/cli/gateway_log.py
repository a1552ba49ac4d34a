"""The message log of a gateway: printing, and trimming old messages."""

from __future__ import annotations

import base64
import time
from typing import TYPE_CHECKING

from lasthop.cli.output import complain, say, say_json
from lasthop.errors import UsageError, one_line
from lasthop.study.fields.quantity import TIME, parse
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from lasthop import _native

FOLLOWING_S = 0.2
"""Between two looks whether more has come."""

_AT_A_TIME = 1000
_NS_PER_S = 10**9


def print_log(
    administration: _native.GatewayAdministration,
    *,
    subscription: str | None,
    follow: bool,
    as_json: bool,
) -> None:
    """Print the messages. Those of a subscription are acknowledged after that."""
    first = 1 if subscription is None else administration.next_of(subscription)
    write: Callable[[tuple[int, str, int, str, str, bytes]], None]
    write = say_json_message if as_json else _say_message
    while True:
        messages = administration.messages(first, _AT_A_TIME)
        for message in messages:
            write(message)
        if messages:
            first = messages[-1][0] + 1
            if subscription is not None:
                administration.acknowledge(subscription, first)
        elif follow:
            time.sleep(FOLLOWING_S)
        else:
            return


def trim_log(
    administration: _native.GatewayAdministration,
    *,
    older_than: str | None,
    keep: int | None,
    even_unread: bool,
) -> None:
    """Remove old messages, and print their number and which subscriptions keep others."""
    if older_than is None and keep is None:
        message = "gateway: log trim needs a limit; add --older-than 30d or --keep 100000"
        raise UsageError(message)
    before = None if older_than is None else int(time.time()) - _read_seconds(older_than)
    gone, held, holder, has_reserve = administration.trim_log(
        None if before is None else max(before, 0), keep, even_unread
    )
    say(f"removed {gone} message{'' if gone == 1 else 's'}")
    if holder is not None:
        stay = "1 stays" if held == 1 else f"{held} stay"
        say(f"{stay} until {one_line(holder)} has read them; --even-unread removes them, too")
    if has_reserve is False:
        complain(
            "gateway: log trim: the disk has no room for the reserve that the next log trim needs "
            "when the disk is full; remove more, or make room on the disk"
        )


def _read_seconds(text: str) -> int:
    try:
        return int(parse(text, TIME, example="30 d") / _NS_PER_S)
    except Fault as fault:
        raise UsageError(f"--older-than: {fault.what}; {fault.hint}") from fault


def _say_message(message: tuple[int, str, int, str, str, bytes]) -> None:
    offset, device, at, kind, folder, payload = message
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
    what = f"{kind}/{folder}" if folder else kind
    said = payload.decode(errors="replace")
    # A device is not to write lines of its own, nor to a terminal.
    say(one_line(f"{offset} {when} {device.rpartition('/')[2]} {what} {said}"))


def say_json_message(message: tuple[int, str, int, str, str, bytes]) -> None:
    """Print a message as a line of JSON."""
    offset, device, at, kind, folder, payload = message
    say_json(
        {
            "offset": offset,
            "device": device,
            "unix_time_s": at,
            "kind": kind,
            "folder": folder,
            "payload_base64": base64.b64encode(payload).decode(),
        }
    )
