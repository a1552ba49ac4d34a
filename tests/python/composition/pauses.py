"""R9: what a pause costs that is longer than the timers of hosts, networks and sessions."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl

from .composition import PATHS, Outcome, Refusal, planned, simulated
from .factors import STACKS

PAUSES_S = (400, 3_600, 100_000)
"""Longer than EXCHANGE_LIFETIME and mappings of UDP; than those of TCP; than a session lives."""

DEVICES = 3
PACE_S = 40
"""Between the messages of a burst: each is over before the next one."""

BURST = 4
_BURST_S = PACE_S * BURST
_FIRST, _SECOND = "before", "after"

_KINDS = {"report": "from", "command": "to", "round_trip": "from"}
_PATHS = ("wan", "nat", "nbiot")
_SET_UP = "session_set_up"
_SAME_SESSION = 1.06
"""Certificates and signatures are a few bytes longer in one session than in another."""


@dataclass(frozen=True)
class Pause:
    """A stack that is silent for so long between two bursts."""

    stack: str
    path: str
    kind: str
    seconds: int

    @property
    def text(self) -> str:
        """The study without its pause: a spec has it."""
        devices = 1 if self.path == "nbiot" else DEVICES
        return (
            f"study: paused\nduration: {_BURST_S} s\nmeasure: {{drain: 20 min, overload: allow}}\n"
            f"paths: {{p: {PATHS[self.path]}}}\nservers: {{s: {{}}}}\n"
            f"fleet: {{d: {{count: {devices}, path: p, server: s}}}}\n"
            f"traffic: {{{_FIRST}: {{{_KINDS[self.kind]}: d, {self.kind}: 100 B, "
            f"every: {PACE_S} s, spread: 20 s}}}}\n"
            f"stacks: [{self.stack}]\nrepeat: 1\n"
        )

    def with_second_burst(self, spec_json: str) -> str:
        """Give the run spec in which each device has a second burst."""
        spec: dict[str, Any] = json.loads(spec_json)
        (first,) = spec["flows"]
        pause_ns = self.seconds * 10**9
        spec["flows"].append({**first, "name": _SECOND, "start_ns": _BURST_S * 10**9 + pause_ns})
        return json.dumps(spec)


def pauses() -> list[Pause]:
    """Give each stack, path and kind, with pauses in turn."""
    levels = product(STACKS, _PATHS, _KINDS)
    return [
        Pause(stack, path, kind, PAUSES_S[place % len(PAUSES_S)])
        for place, (stack, path, kind) in enumerate(levels)
    ]


NOT_COVERED: Mapping[str, Callable[[Pause], bool]] = {
    "a server cannot reach who is behind a forgotten mapping": lambda it: (
        it.path == "nat" and (it.kind == "command" or it.stack == "json_udp")
    ),
    "TCP gives a silent peer up after a quarter of an hour": lambda it: (
        it.path == "nat" and it.stack in ("coap/tcp", "coap/tls", "raw_tcp")
    ),
    "nothing is acknowledged": lambda it: it.path == "nat" and it.stack == "json_udp/dtls",
    "a device that sleeps hears no command": lambda it: it.path == "nbiot" and it.kind == "command",
}
"""Where messages of the second burst are lost, by the reason."""

SETTING_UP: Mapping[str, Callable[[Pause], bool]] = {
    "DDS announces itself for as long as it lives": lambda it: it.stack == "dds",
    "a poll of HTTP that waits is not answered while its device sleeps": lambda it: (
        it.path == "nbiot" and it.kind == "command" and it.stack.startswith("http")
    ),
}
"""Where a pause has more set-up than one session, by the reason."""

FINDING_OUT = {"raw_udp/dtls ack=on": 3}
"""How many messages may leave before a client finds out that its session is lost; 1 of others.

Without a queue, those leave that are due within the time of an exchange.
"""


def breaches_of(it: Pause, folder: Path) -> Iterator[str]:
    """Say what a pause costs beside one session."""
    run = planned(it.text, folder)
    if isinstance(run, Refusal):
        if "write " not in run.reason and "take the NAT off" not in run.reason:
            yield f"R9 pauses: {it}: {run.reason}"
        return
    one, both = simulated(run.spec_json), simulated(it.with_second_burst(run.spec_json))
    for outcome in (one, both):
        if outcome.summary["status"] != "completed":
            yield f"R9 pauses: {it}: {outcome.summary}"
            return
    if not any(holds(it) for holds in SETTING_UP.values()):
        before, after = set_up_bytes(one), set_up_bytes(both)
        for layer, size in after.items():
            if size > 2 * _SAME_SESSION * before.get(layer, 0):
                yield f"R9 pauses: {it}: {layer} has {size} B of set-up, {before} for one session"
    if any(holds(it) for holds in NOT_COVERED.values()):
        return
    finding_out = FINDING_OUT.get(it.stack, 1) if it.path == "nat" else 0
    messages = both.tables["messages"].filter(pl.col("flow") == _SECOND)
    later = messages.filter(pl.col("message") > finding_out)
    lost = later.filter(pl.col("status") != "delivered")
    if len(lost):
        yield f"R9 pauses: {it}: {len(lost)} of {len(later)} messages are lost after the pause"


def set_up_bytes(outcome: Outcome) -> Mapping[str, int]:
    """Give the bytes that set sessions up, by layer."""
    offered = outcome.tables["ledger"].filter(
        (pl.col("fate") == "offered") & (pl.col("cause") == _SET_UP)
    )
    return dict(offered.group_by("layer").agg(pl.col("bytes").sum()).sort("layer").iter_rows())
