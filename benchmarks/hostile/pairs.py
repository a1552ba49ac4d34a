"""An honest client beside a hostile one: how it is served, and what the server holds."""

from __future__ import annotations

import contextlib
import multiprocessing
import statistics
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.hostile.datagram_attacks import COAP, DTLS, JSON
from benchmarks.hostile.honest import CLIENTS
from benchmarks.hostile.http_attacks import HTTP_1, HTTP_2
from benchmarks.hostile.quic_attacks import HTTP_3, QUIC
from benchmarks.hostile.stream_attacks import ANY, MQTT
from benchmarks.hostile.streams import forget_peak, memory_bytes

if TYPE_CHECKING:
    from benchmarks.hostile.honest import Client
    from benchmarks.hostile.stream_attacks import Attack
    from benchmarks.hostile.streams import Listener

PAUSE_S = 0.01
"""Between two questions of the honest client."""

LATE_S = 0.1
"""An attacker that waits for something longer than that behind the end is killed."""

REST_S = 2.0
"""Within that time behind an attack the server has given back what it held for it."""

KEPT = {
    *("user properties", "endless session expiry"),
    *("observe flood", "flooding with subscriptions"),
}
"""Attacks whose retained messages, sessions and subscriptions stay, within their limits."""

SMALL_BYTES = 16 << 20
"""A server that holds no more than that beyond what it did before has given back what it held."""

ATTACKS: dict[str, dict[str, Attack]] = {
    "mqtt": ANY | MQTT,
    "mqtts": ANY | MQTT,
    "ws": ANY | MQTT,
    "wss": ANY | MQTT,
    "quic": QUIC,
    "coap": COAP,
    "coap+tcp": ANY,
    "coaps+tcp": ANY,
    "coaps": DTLS,
    "json+udp": JSON,
    "http": ANY | HTTP_1,
    "http/2": HTTP_2,
    "h3": QUIC | HTTP_3,
}
"""What each listener is attacked by, by its scheme."""


@dataclass(slots=True)
class Outcome:
    """How an honest client fared, and what the server held."""

    listener: Listener
    attack: str
    waits_s: list[float] = field(default_factory=list)
    connected: int = 0
    """Honest clients that came during the attack and were served."""
    failures: list[str] = field(default_factory=list)
    before_bytes: int = 0
    peak_bytes: int = 0
    after_bytes: int = 0

    @property
    def grown_bytes(self) -> int:
        """Return how much more the server holds behind the attack."""
        return max(self.after_bytes - self.before_bytes, 0)

    def row(self) -> list[str]:
        """Write a row of the table."""
        waits = sorted(self.waits_s) or [0.0]
        megabytes = [
            f"{size / 1e6:.1f}" for size in (self.before_bytes, self.peak_bytes, self.after_bytes)
        ]
        return [
            *(self.listener.name, self.attack),
            *(f"{len(self.waits_s):,}", f"{self.connected:,}", str(len(self.failures))),
            *(f"{statistics.median(waits) * 1e3:.1f}", f"{waits[-1] * 1e3:.0f}"),
            *megabytes,
        ]


COLUMNS = [
    *("listener", "hostile client", "answers", "new clients served", "failures"),
    *("median wait, ms", "longest, ms", "before, MB", "peak, MB", "after, MB"),
]


def run(listener: Listener, name: str, attack: Attack, seconds: float) -> Outcome:
    """Have an honest client ask during an attack, and others come."""
    outcome = Outcome(listener, name)
    try:
        client = CLIENTS[listener.scheme](listener)
    except OSError as error:
        # What an earlier attack has left shuts it out.
        outcome.failures.append(repr(error))
        return outcome
    try:
        client.ask()
        outcome.before_bytes = memory_bytes(listener.server)
        forget_peak(listener.server)
        end = time.monotonic() + seconds
        hostile = multiprocessing.get_context("fork").Process(
            target=attack, args=(listener, end), daemon=True
        )
        hostile.start()
        try:
            beside(outcome, client, end)
        finally:
            hostile.join(LATE_S)
            hostile.kill()
            hostile.join()
    finally:
        client.close()
    outcome.peak_bytes = memory_bytes(listener.server, "VmHWM")
    end = time.monotonic() + REST_S
    while True:
        time.sleep(PAUSE_S)
        outcome.after_bytes = memory_bytes(listener.server)
        if outcome.grown_bytes <= SMALL_BYTES or time.monotonic() > end:
            return outcome


def beside(outcome: Outcome, client: Client, end: float) -> None:
    """Ask until the attack ends; halfway through, another client comes."""
    halfway = time.monotonic() + (end - time.monotonic()) / 2
    while time.monotonic() < end or not outcome.waits_s:
        begin = time.monotonic()
        try:
            client.ask()
            outcome.waits_s.append(time.monotonic() - begin)
            if outcome.connected == 0 and begin > halfway:
                another = CLIENTS[outcome.listener.scheme](outcome.listener)
                with contextlib.closing(another):
                    another.ask()
                outcome.connected += 1
        except (OSError, AssertionError) as error:
            outcome.failures.append(repr(error))
            return
        time.sleep(PAUSE_S)
