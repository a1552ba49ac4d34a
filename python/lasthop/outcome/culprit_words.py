"""Texts about the message behind a failed expectation, for terminal, CI page and JUnit."""

from __future__ import annotations

import shlex
import shutil
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lasthop.outcome.culprit import Culprit

_SHOWN_PACKETS = 5

_OF_THE_WHOLE = {
    "--strict": False,
    "--until-decided": False,
    "--at-most": True,
    "--summary": True,
    "--out": True,
}
"""Options to drop or replace when one run is rerun, and whether each takes a value."""


def message_in_words(culprit: Culprit) -> str:
    """Describe a message: its name, its outcome and the seed of its run."""
    return (
        f"Message {culprit.message} of {culprit.host} (flow {culprit.flow}), due at "
        f"{culprit.intended_s:.6f} s, {culprit.what}. Seed of the run: {culprit.seed}."
    )


def packets_in_words(culprit: Culprit, *, quote: str = "") -> str:
    """Describe which packets of a capture carry the message."""
    if culprit.capture is None:
        option = f"{quote}--capture {culprit.host}{quote}"
        return f"Its packets were not kept; {option} keeps them."
    name = f"{quote}captures/{culprit.capture.name}{quote}"
    if not culprit.packets:
        return f"No packet of {name} carries it."
    field = f"{quote}frame.number{quote}"
    if len(culprit.packets) == 1:
        return f"Packet {culprit.packets[0]} of {name} carries it ({field} in Wireshark)."
    numbers = ", ".join(map(str, culprit.packets[:_SHOWN_PACKETS]))
    more = len(culprit.packets) - _SHOWN_PACKETS
    rest = f" and {more} more" if more > 0 else ""
    return f"Packets {numbers}{rest} of {name} carry it ({field} in Wireshark)."


def again(command: str, culprit: Culprit) -> str:
    """Return the command that reruns the run and captures its device's packets.

    It exits as the whole study did, with 1 while the expectation fails: `git bisect run` takes it.
    """
    words = shlex.split(command)
    if words and shutil.which(words[0]) is None:
        words[:1] = [sys.executable, "-m", "lasthop"]
    words = [
        *_of_a_run(words),
        "--only",
        culprit.run_id,
        "--out",
        f"again-{culprit.run_id}",
    ]
    if culprit.capture is None:
        # The last one counts: a capture of the first devices is not one of this.
        words.append(f"--capture={culprit.host}")
    return shlex.join(words)


def _of_a_run(words: Sequence[str]) -> Iterator[str]:
    rest = iter(words)
    for word in rest:
        option, equals, _ = word.partition("=")
        if option not in _OF_THE_WHOLE:
            yield word
        elif _OF_THE_WHOLE[option] and not equals:
            next(rest, None)
