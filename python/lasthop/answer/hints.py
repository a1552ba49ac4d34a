"""Hints: effects in the runs that a setting of the study or of the device avoids.

One list, one entry a hint: `HINTS`. Each finds its effect in the results, names the stacks that
have it once, and ends with the setting to change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from lasthop.answer.hint_evidence import Evidence
from lasthop.study.fields.quantity import TIME, format_quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from lasthop.answer.hint_evidence import StackEvidence

_MOST_NAMED = 4
_MUCH = 0.1
"""A larger share of the bytes is worth a hint."""

_SELDOM = 0.05
"""A path that drops a larger share of the packets makes its senders send again by itself. Fewer
packets that are too large are those by which a sender learns the MTU."""

_MANY_DEVICES = 10
_SECOND_NS = 10**9


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint.

    Parameters
    ----------
    name
        For the reference and tests.
    about
        When it is given, for the reference.
    find
        Gives its sentences, one at most for each cause.
    is_printed_before
        Whether its sentences are notes, which are printed before the first run.
    """

    name: str
    about: str
    find: Callable[[Evidence], Iterable[str]]
    is_printed_before: bool = False


def hints(
    folders: Iterable[Path], study: Mapping[str, Any], *, on_page: bool = False
) -> tuple[str, ...]:
    """Give the hints on the runs in result folders of one study, each once.

    Parameters
    ----------
    on_page
        Whether those are repeated that were printed before the runs.
    """
    evidence = Evidence.of(tuple(folders), study)
    told = [hint for hint in HINTS if on_page or not hint.is_printed_before]
    return tuple(dict.fromkeys(sentence for hint in told for sentence in hint.find(evidence)))


def _nat_drops(evidence: Evidence) -> Iterable[str]:
    """Name stacks without a keep-alive whose packets a NAT dropped."""
    found = [
        stack
        for stack in evidence.stacks
        if stack.dropped("nat_no_mapping") and not stack.keep_alive_ns and stack.has_nat
    ]
    for timeout_ns, stacks in _by(found, lambda stack: stack.nat_ns):
        packets = sum(stack.dropped("nat_no_mapping") for stack in stacks)
        yield (
            f"the NAT dropped {_counted(packets, 'packet')} of {_named(stacks)}, because it "
            f"forgets a silent device after {_time(timeout_ns)}; let devices send more often "
            "(every), or take a contract with a longer nat timeout"
        )


def _keep_alive(evidence: Evidence) -> Iterable[str]:
    """Name stacks whose keep-alive comes after the NAT has forgotten the device."""
    found = [
        stack
        for stack in evidence.stacks
        if stack.keep_alive_ns > stack.nat_ns
        and (stack.dropped("nat_no_mapping") or stack.share("path_probe"))
    ]
    for (keep_alive_ns, nat_ns), stacks in _by(found, lambda one: (one.keep_alive_ns, one.nat_ns)):
        shorter = format_quantity(max(1, int(nat_ns * 0.8 / _SECOND_NS)) * _SECOND_NS, TIME)
        yield (
            f"the keep-alive of {_named(stacks)} is {_time(keep_alive_ns)}, but the NAT forgets a "
            f"silent device after {_time(nat_ns)}; write {stacks[0].keep_alive_option}="
            f"{shorter.replace(' ', '')}"
        )


def _connection_id(evidence: Evidence) -> Iterable[str]:
    """Name stacks over DTLS that lost their session because the NAT gave another port."""
    found = [
        stack
        for stack in evidence.stacks
        if not stack.connection_id
        and stack.nat_ns < stack.silence_ns < math.inf
        and stack.failed
        and not (stack.dropped("loss") or stack.dropped("nat_no_mapping"))
    ]
    for timeout_ns, stacks in _by(found, lambda stack: stack.nat_ns):
        lost = _counted(sum(stack.failed for stack in stacks), "message")
        yield (
            f"{_named(stacks)} lost {lost}: after {_time(timeout_ns)} of silence the NAT gives "
            "the device another port, where the server does not know its session; write "
            "dtls.cid=8B"
        )


def _path_mtu(evidence: Evidence) -> Iterable[str]:
    """Name stacks whose packets were larger than the MTU of a hop."""
    found = [
        stack
        for stack in evidence.stacks
        if stack.dropped("too_big") > _SELDOM * stack.packets and stack.missing
    ]
    for remedy, stacks in _by(found, lambda stack: stack.smaller_packets):
        packets = sum(stack.dropped("too_big") for stack in stacks)
        yield (
            f"the path dropped {_counted(packets, 'packet')} of {_named(stacks)} that were larger "
            f"than its MTU; write {remedy}"
        )


def _ack_timeout(evidence: Evidence) -> Iterable[str]:
    """Name stacks that send again before an acknowledgement can be there."""
    found = [
        stack
        for stack in evidence.stacks
        if stack.ack_timeout_ns is not None
        and stack.median_ns is not None
        and stack.median_ns > stack.ack_timeout_ns
        and stack.sent_again
        and stack.drop_ratio < _SELDOM
    ]
    worst: dict[str, StackEvidence] = {}
    for stack in sorted(found, key=lambda stack: stack.median_ns or 0):
        worst[stack.name] = stack
    for stack in worst.values():
        longer = -(-2 * int(stack.median_ns or 0) // _SECOND_NS)
        yield (
            f"{stack.name} sent {_counted(stack.sent_again, 'message')} again although the path "
            f"dropped almost nothing: a message takes {_time(int(stack.median_ns or 0))} in the "
            f"middle, and ack_timeout is {_time(stack.ack_timeout_ns or 0)}; write "
            f"ack_timeout={longer + 1}s"
        )


def _path_probes(evidence: Evidence) -> Iterable[str]:
    """Name stacks over QUIC that spend many bytes on probes of new paths."""
    found = [
        stack
        for stack in evidence.stacks
        if stack.share("path_probe") > _MUCH
        and stack.has_nat
        and not 0 < stack.keep_alive_ns <= stack.nat_ns
    ]
    for timeout_ns, stacks in _by(found, lambda stack: stack.nat_ns):
        most = max(stack.share("path_probe") for stack in stacks)
        yield (
            f"up to {most:.0%} of the bytes of {_named(stacks)} are probes of QUIC, which checks "
            "the path whenever the NAT gives the device another port; write a keep_alive below "
            f"the NAT's timeout of {_time(timeout_ns)}, or use a stack over TCP"
        )


def _synchronised(evidence: Evidence) -> Iterable[str]:
    """Name flows whose devices all send at the same moment."""
    for flow, devices in evidence.synchronised.items():
        if devices > _MANY_DEVICES:
            yield (
                f"all {devices:,.0f} devices of {flow} send at the same moment, which operators "
                'forbid; write "spread: 15 min" in this flow'
            )


def _without_effect(evidence: Evidence) -> Iterable[str]:
    """Repeat the notes on settings that changed nothing, which were printed before the runs."""
    said = ("has no effect", "never comes due", "no group uses")
    yield from (note for note in evidence.notes if any(words in note for words in said))


HINTS: Sequence[Hint] = (
    Hint(
        "nat_drops",
        "A NAT dropped packets to devices that send no keep-alive.",
        _nat_drops,
    ),
    Hint(
        "keep_alive",
        "A keep-alive is longer than the timeout of the NAT, and packets were dropped or paths "
        "probed.",
        _keep_alive,
    ),
    Hint(
        "connection_id",
        "A stack over DTLS without a connection ID lost its session behind a NAT.",
        _connection_id,
    ),
    Hint("path_mtu", "Packets were larger than the MTU of a hop.", _path_mtu),
    Hint(
        "ack_timeout",
        "A message takes longer than `ack_timeout`, so it is sent again on a path that drops "
        "almost nothing.",
        _ack_timeout,
    ),
    Hint(
        "path_probes", "More than a tenth of the bytes are probes of QUIC for a path.", _path_probes
    ),
    Hint(
        "synchronised",
        "More than ten real devices send their reports at the same moment.",
        _synchronised,
    ),
    Hint(
        "without_effect",
        "A setting changes nothing. The note is printed before the first run, and the page repeats "
        "it.",
        _without_effect,
        is_printed_before=True,
    ),
)
"""Every hint, in the order in which they are printed."""


_Key = TypeVar("_Key")


def _by(
    stacks: Sequence[StackEvidence], key: Callable[[StackEvidence], _Key]
) -> Iterable[tuple[_Key, list[StackEvidence]]]:
    found: dict[_Key, list[StackEvidence]] = {}
    for stack in stacks:
        found.setdefault(key(stack), []).append(stack)
    return found.items()


def _named(stacks: Sequence[StackEvidence]) -> str:
    names = list(dict.fromkeys(stack.name for stack in stacks))
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _time(nanoseconds: float) -> str:
    seconds = nanoseconds / _SECOND_NS
    rounded = round(seconds, 1) if seconds >= 1 else round(seconds, 3)
    return format_quantity(int(rounded * _SECOND_NS), TIME)
