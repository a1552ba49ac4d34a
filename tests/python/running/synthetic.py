"""A study and an engine that need neither a study file nor the extension."""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lasthop.results.arrow_stream import arrow_stream
from lasthop.results.schema import (
    BILLS,
    GROUPS,
    LATENCY,
    LEDGER,
    MESSAGES,
    PACKETS,
    PROGRAMS,
    SIMS,
    SUMMARY,
    Schema,
)
from lasthop.running.engine import CancelledError, Switch
from lasthop.study.plan.study import RUN_ID_DIGITS
from lasthop.study.run_spec import identity


@dataclass(frozen=True)
class SyntheticSwept:
    key: str
    column: str
    unit: str


@dataclass(frozen=True)
class SyntheticPart:
    name: str
    swept: tuple[SyntheticSwept, ...]


@dataclass(frozen=True)
class SyntheticRun:
    study: str
    part: str
    case_id: str
    run_id: str
    stack: str
    stack_resolved: str
    repetition: int
    seed: int
    supported: bool
    reason: str | None
    spec_json: str
    parameters: Mapping[str, Any]
    engine: str = "virtual"


@dataclass(frozen=True)
class SyntheticStudy:
    """Two parts that share their first point, stacks of which one is not built."""

    name: str = "synthetic"
    stacks: tuple[str, ...] = ("raw_udp", "json_udp", "mqtt")
    losses: tuple[float, ...] = (0.0, 0.1, 0.2)
    repeat: int = 3
    parts: tuple[SyntheticPart, ...] = field(
        default=(
            SyntheticPart("loss", (SyntheticSwept("path.loss", "path_loss", "fraction"),)),
            SyntheticPart("shared", ()),
        )
    )

    def planned_runs(self) -> Iterator[SyntheticRun]:
        for part, losses in (("loss", self.losses), ("shared", self.losses[:1])):
            for loss in losses:
                for stack in self.stacks:
                    for repetition in range(1, self.repeat + 1):
                        yield self._run(part, loss, stack, repetition)

    def _run(self, part: str, loss: float, stack: str, repetition: int) -> SyntheticRun:
        spec = json.dumps(
            {
                "engine": "virtual",
                "groups": [{"name": "device", "population": {"staying": {"devices": 1}}}],
                "loss": loss,
                "servers": [{"name": "server", "layout": "shared", "services": [{"port": 1}]}],
                "stack": stack,
                "seed": repetition,
            }
        )
        digest = hashlib.sha256(spec.encode()).hexdigest()
        built = stack != "mqtt"
        return SyntheticRun(
            study=self.name,
            part=part,
            case_id=digest[:12],
            run_id=identity(spec, digits=RUN_ID_DIGITS),
            stack=stack,
            stack_resolved=f"{stack}/udp/ip",
            repetition=repetition,
            seed=repetition,
            supported=built,
            reason=None if built else f"{stack} is not built yet",
            spec_json=spec,
            parameters={"path_loss": loss},
        )


class SyntheticSwitch:
    def __init__(self) -> None:
        self.cancelled = threading.Event()

    def cancel(self) -> None:
        self.cancelled.set()


class SyntheticEngine:
    """Makes tables from the spec alone; counts what it simulated."""

    def __init__(self, *, seconds: float = 0.0, messages: int = 50) -> None:
        self.simulated: list[str] = []
        self.seconds = seconds
        self.messages = messages
        self.fails: Mapping[str, BaseException] = {}

    def switch(self) -> SyntheticSwitch:
        return SyntheticSwitch()

    def simulate(
        self,
        _spec_json: str,
        /,
        *,
        run_id: str,
        captures: Mapping[str, Path],
        switch: Switch,
        messages: Path | None = None,  # noqa: ARG002  (it has few)
    ) -> Mapping[str, bytes | Path]:
        if run_id in self.fails:
            raise self.fails[run_id]
        if isinstance(switch, SyntheticSwitch) and switch.cancelled.wait(self.seconds):
            raise CancelledError
        for host, path in captures.items():
            path.write_text(f"packets of {host} in {run_id}", encoding="utf-8")
        self.simulated.append(run_id)
        return synthetic_tables(run_id, messages=self.messages)


class HeldEngine(SyntheticEngine):
    """Stops after some runs until it may go on or is cancelled, however slow the machine is."""

    def __init__(self, *, after: int) -> None:
        super().__init__()
        self.go_on = threading.Event()
        self._after = after

    def simulate(
        self,
        spec_json: str,
        /,
        *,
        run_id: str,
        captures: Mapping[str, Path],
        switch: Switch,
        messages: Path | None = None,
    ) -> Mapping[str, bytes | Path]:
        while len(self.simulated) >= self._after and not self.go_on.is_set():
            if isinstance(switch, SyntheticSwitch) and switch.cancelled.wait(0.01):
                raise CancelledError
        return super().simulate(
            spec_json, run_id=run_id, captures=captures, switch=switch, messages=messages
        )


def synthetic_tables(run_id: str, *, messages: int) -> dict[str, bytes]:
    summary: dict[str, Any] = dict.fromkeys(SUMMARY.names)
    summary |= {
        "status": "completed",
        "messages_offered": messages,
        "messages_delivered": messages,
        "delivery_ratio": 1.0,
        "latency_p50_ms": float(int(run_id[:4], 16)),
    }
    rows = [
        {
            "run_id": run_id,
            "device": 0,
            "message": number,
            "measured": True,
            "intended_ns": number * 1000,
            "sent_ns": number * 1000,
            "delivered_ns": number * 1000 + int(run_id[:6], 16),
            "acknowledged_ns": None,
            "attempts": 1,
            "deliveries": 1,
            "status": "delivered",
            "failure": None,
            "latency_ms": int(run_id[:6], 16) / 1e6,
        }
        for number in range(1, messages + 1)
    ]
    spent = {"run_id": run_id, "direction": "up", "fate": "offered", "bytes": messages * 28}
    return {
        "summary": stream([summary], SUMMARY),
        "messages": stream(rows, MESSAGES),
        "ledger": stream([{**spent, "layer": "ip", "cause": "header"}], LEDGER),
        "packets": stream([{**spent, "packets": messages}], PACKETS),
        "latency": stream([{"run_id": run_id, "messages": messages}], LATENCY),
        "groups": stream([{"run_id": run_id, "messages_offered": messages}], GROUPS),
        "bills": stream([], BILLS),
        "sims": stream([], SIMS),
        "programs": stream([], PROGRAMS),
    }


def stream(rows: list[dict[str, Any]], schema: Schema) -> bytes:
    return arrow_stream(schema.table(rows))


def wait_until(condition: Callable[[], bool], *, seconds: float = 300.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.005)
