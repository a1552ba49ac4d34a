"""A study that is composed of one level of each factor, and what became of its messages."""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Event, Thread
from typing import Any

import polars as pl

from lasthop.errors import LasthopError
from lasthop.running.engine import CancelledError, NativeEngine
from lasthop.study import load_study
from lasthop.study.plan.study import PlannedRun

SETTLING_S = 30
"""What a run has beside its intervals: attach, discovery and handshakes."""

EVENT_S = 20
"""How long an event takes."""

PATIENCE_S = 60
"""How much of a processor a run may take; none of them has much to do."""

MESSAGES = 4
"""Messages of each device."""

PATHS: Mapping[str, str] = {
    "lan": "[{delay: 1 ms}]",
    "wan": "[{delay: 60 ms}]",
    "slow": "[{delay: 30 ms, rate: 64 kbit/s}]",
    "mtu 1200": "[{delay: 30 ms, mtu: 1200 B}]",
    "mtu 600": "[{delay: 30 ms, mtu: 600 B}]",
    "smaller hop": "[{delay: 5 ms}, {delay: 30 ms, mtu: 1280 B}, {delay: 5 ms}]",
    "nat": "[{delay: 30 ms}, {nat: {udp: 1 min, tcp: 20 min}}]",
    "nbiot": "[{nbiot: {coupling_loss: 130 dB, inactivity: 20 s}}]",
    "nbiot nat": "[{nbiot: {coupling_loss: 130 dB}}, {nat: {udp: 1 min, tcp: 20 min}}]",
    "lossy": "[{delay: 30 ms, loss: 10 %}]",
}
"""The hops of each path."""

LOSSLESS = tuple(name for name in PATHS if name != "lossy")
"""The paths that lose nothing, but that a mapping ends."""

EVENTS: Mapping[str, str] = {
    "none": "",
    "server restarts": "{start: AT, restart: s, for: FOR}",
    "device restarts": "{start: AT, restart: d, for: FOR}",
    "new address": "{start: AT, new_address: d}",
    "new address told": "{start: AT, new_address: d, notify: application}",
    "handovers": "{start: AT, every: EVERY, handover: d, gap: 300 ms, notify: application}",
    "outage": "{start: AT, outage: p, for: FOR}",
}
"""What happens in the middle of the run."""


@dataclass(frozen=True)
class Composition:
    """One level of each factor."""

    stack: str
    path: str
    devices: int
    kind: str
    payload: int
    interval_s: float
    groups: int = 1
    event: str = "none"
    energy: bool = False

    @property
    def event_at_s(self) -> float:
        """When the event begins."""
        return SETTLING_S + self.interval_s * 1.5

    @cached_property
    def text(self) -> str:
        """The study."""
        every = f"{self.interval_s:g} s"
        duration = SETTLING_S + self.interval_s * MESSAGES
        energy = ", energy: {battery: 5 Wh}" if self.energy else ""
        spread = f"{min(self.interval_s / 2, 60):g} s"
        side = "to" if self.kind == "command" else "from"
        happening = EVENTS[self.event]
        names = [f"d{number}" if number else "d" for number in range(self.groups)]
        fleet = [
            f"  {name}: {{count: {self.devices}, path: p, server: s{energy}}}" for name in names
        ]
        traffic = [
            f"  f{place}: {{{side}: {name}, {self.kind}: {self.payload} B, every: {every}, "
            f"spread: {spread}}}"
            for place, name in enumerate(names)
        ]
        lines = [
            "study: composed",
            f"duration: {duration:g} s",
            "measure: {drain: 20 min, overload: allow}",
            f"paths: {{p: {PATHS[self.path]}}}",
            "servers: {s: {}}",
            "fleet:",
            *fleet,
            "traffic:",
            *traffic,
            f"stacks: [{self.stack}]",
            "repeat: 1",
        ]
        if happening:
            happening = happening.replace("AT", f"{self.event_at_s:g} s").replace("EVERY", every)
            lines.append(f"events: [{happening.replace('FOR', f'{EVENT_S} s')}]")
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Outcome:
    """What became of a composition."""

    refusal: str | None
    summary: Mapping[str, Any]
    fates: Mapping[str, int]
    tables: Mapping[str, pl.DataFrame]

    @property
    def delivered(self) -> float:
        """The share of messages that arrived."""
        return self.fates.get("delivered", 0) / max(sum(self.fates.values()), 1)


@dataclass(frozen=True)
class Refusal:
    """Why a study has no run."""

    reason: str


def planned(text: str, folder: Path) -> PlannedRun | Refusal:
    """Give the one run of a study."""
    file = folder / "study.yaml"
    file.write_text(text, encoding="utf-8")
    try:
        (run,) = load_study(file).planned_runs()
    except LasthopError as error:
        return Refusal(str(error))
    return run if run.supported else Refusal(str(run.reason))


def _cancel_when_spent(switch: Any, over: Event) -> None:  # noqa: ANN401  (modules know no types)
    """End a run that has taken too much of the processor, however busy the machine is."""
    start = time.process_time()
    while not over.wait(1):
        if time.process_time() - start > PATIENCE_S:
            switch.cancel()
            return


def simulated(spec_json: str, captures: Mapping[str, Path] | None = None) -> Outcome:
    """Run a run spec."""
    engine = NativeEngine()
    switch = engine.switch()
    over = Event()
    Thread(target=_cancel_when_spent, args=(switch, over), daemon=True).start()
    try:
        streams = engine.simulate(spec_json, run_id="run", captures=captures or {}, switch=switch)
    except CancelledError:
        return Outcome(None, {"status": f"not over in {PATIENCE_S} s of processor time"}, {}, {})
    finally:
        over.set()
    tables = {name: pl.read_ipc_stream(stream) for name, stream in streams.items()}
    (summary,) = tables["summary"].to_dicts()
    fates = Counter(tables["messages"]["status"])
    return Outcome(None, summary, fates, tables)


def outcome_of(composition: Composition, folder: Path) -> Outcome:
    """Run a composition."""
    run = planned(composition.text, folder)
    if isinstance(run, Refusal):
        return Outcome(run.reason, {}, {}, {})
    return simulated(run.spec_json)
