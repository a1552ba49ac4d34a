"""Result folders made of synthetic runs, with the tables and the manifest of a real one."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from lasthop.measures import ENERGY_CAUSES, RADIO_STATES
from lasthop.study.plan.study import RUN_ID_DIGITS
from lasthop.study.run_spec import identity
from lasthop.version import __version__

MESSAGES = 400
PAYLOAD_BYTES = 409
DAYS = 2.0
"""How long the radios of a run are looked at."""


@dataclass(frozen=True, slots=True)
class SyntheticStack:
    """A stack that answers messages by a made-up rule.

    Parameters
    ----------
    name : str
        As written in the study.
    attempts : int
        How often a message is sent at most.
    header_bytes : int
        Beside the payload, a packet.
    base_ms : float
        The latency of a first attempt that arrives.
    status, reason : str
        How its runs end.
    joules : mapping of str to float
        What its radio draws in a run, by cause; empty when it has none.
    """

    name: str
    attempts: int = 1
    header_bytes: int = 28
    base_ms: float = 200.0
    status: str = "completed"
    reason: str | None = None
    joules: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SyntheticStudy:
    """What a synthetic result folder holds."""

    stacks: Sequence[SyntheticStack] = (
        SyntheticStack("json_udp", header_bytes=60, base_ms=215.0),
        SyntheticStack("raw_udp"),
        SyntheticStack("raw_udp ack=on ack_timeout=2s", attempts=5, header_bytes=32),
        SyntheticStack("mqtt qos=1", status="unsupported", reason="mqtt is not built yet"),
    )
    parts: Mapping[str, Mapping[str, Sequence[Any]]] = field(
        default_factory=lambda: {"loss": {"path.loss": [0.0, 0.1, 0.2]}}
    )
    repeat: int = 5
    title: str = "Round trips over a poor link"
    decide: Mapping[str, Any] | None = field(
        default_factory=lambda: {
            "require": ["delivery_ratio >= 99 %"],
            "minimise": "latency_p95",
            "maximise": None,
            "smallest_effect": 0.05,
            "part": None,
        }
    )
    units: Mapping[str, str] = field(default_factory=lambda: {"path.loss": "fraction"})
    statuses: Mapping[tuple[str, int], tuple[str, str]] = field(default_factory=dict)
    claims: Sequence[Mapping[str, Any]] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    name: str = "poor-link"


_COLUMN_SUFFIX = {"fraction": "", "ms": "_ms", "": "", "B": "_bytes", "/s": "_per_s"}

MeasuredRun = tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]


def write_folder(folder: Path, study: SyntheticStudy) -> Path:
    """Write the tables and the manifest of ``study`` into ``folder``."""
    folder.mkdir(parents=True)
    runs, ledger, latency = synthetic_tables(study)
    pl.DataFrame(runs, infer_schema_length=None).write_parquet(folder / "runs.parquet")
    pl.DataFrame(ledger, schema=_LEDGER).write_parquet(folder / "ledger.parquet")
    pl.DataFrame(latency, schema=_LATENCY).write_parquet(folder / "latency.parquet")
    (folder / "manifest.json").write_text(json.dumps(_manifest(study)), encoding="utf-8")
    return folder


def synthetic_study(study: SyntheticStudy) -> dict[str, Any]:
    """Return the study as a manifest holds it."""
    return {
        "name": study.name,
        "title": study.title,
        "description": "409 B there and back, four times a second.",
        "conditions": {"traffic": "round trip of 409 B every 250 ms", "path loss": "10 %"},
        "decide": study.decide,
        "parts": [
            {
                "name": part,
                "swept": [
                    {"key": key, "column": _column(key, study), "unit": study.units.get(key, "")}
                    for key in swept
                ],
            }
            for part, swept in study.parts.items()
        ],
        "stacks": [
            {
                "name": stack.name,
                "resolved": f"{stack.name.split()[0]}/udp/ip ip.version=4",
                "supported": stack.status != "unsupported",
                "reason": stack.reason if stack.status == "unsupported" else None,
            }
            for stack in study.stacks
        ],
        "seed": 1,
        "repeat": study.repeat,
        "expect": [],
        "claims": {"paper": "a paper", "claims": list(study.claims)} if study.claims else {},
        "figures": study.figures,
    }


def synthetic_tables(
    study: SyntheticStudy,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of ``runs``, ``ledger`` and ``latency``."""
    columns = {_column(key, study) for swept in study.parts.values() for key in swept}
    runs, ledger, latency = [], [], []
    for part, swept in study.parts.items():
        for point, values in enumerate(_grid(list(swept.values()))):
            parameters: dict[str, Any] = dict.fromkeys(sorted(columns))
            parameters |= {
                _column(key, study): value for key, value in zip(swept, values, strict=True)
            }
            for stack in study.stacks:
                for repetition in range(1, study.repeat + 1):
                    case = f"{part}-{point}-{stack.name}"
                    spec = json.dumps(
                        {"case": case, "path": list(map(str, values)), "seed": repetition}
                    )
                    run_id = identity(spec, digits=RUN_ID_DIGITS)
                    loss = float(parameters.get("path_loss") or 0.0)
                    status, reason = study.statuses.get(
                        (stack.name, repetition), (stack.status, stack.reason)
                    )
                    draw = random.Random(f"{case}-{repetition}")  # noqa: S311
                    row, spent, buckets = _run(stack, run_id, loss, status, draw)
                    named = {
                        "study": "poor-link",
                        "part": part,
                        "case_id": case,
                        "run_id": run_id,
                        "stack": stack.name,
                        "stack_resolved": f"{stack.name} ip.version=4",
                        "engine": "virtual",
                        "repetition": repetition,
                        "seed": 1000 + repetition,
                        "status": status,
                        "reason": reason,
                    }
                    runs.append({**named, **row, **parameters, "run_spec": spec})
                    ledger.extend(spent)
                    latency.extend(buckets)
    return runs, ledger, latency


def _grid(values: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    if not values:
        return [()]
    return [(value, *rest) for value in values[0] for rest in _grid(values[1:])]


def _column(key: str, study: SyntheticStudy) -> str:
    return key.replace(".", "_") + _COLUMN_SUFFIX[study.units.get(key, "")]


def _run(
    stack: SyntheticStack, run_id: str, loss: float, status: str, draw: random.Random
) -> MeasuredRun:
    if status != "completed":
        return dict.fromkeys(_MEASURED), [], []
    latencies: list[float] = []
    sent = 0
    for _ in range(MESSAGES):
        waited, timeout = 0.0, 2000.0
        for _ in range(stack.attempts):
            sent += 1
            if draw.random() >= loss and draw.random() >= loss:
                latencies.append(waited + stack.base_ms * draw.uniform(0.85, 1.25))
                break
            waited, timeout = waited + timeout * draw.uniform(1, 1.5), timeout * 2
    latencies.sort()
    up = sent * (PAYLOAD_BYTES + stack.header_bytes)
    down = int(up * (1 - loss))
    payload = 2 * MESSAGES * PAYLOAD_BYTES
    row = {
        "messages_offered": MESSAGES,
        "messages_delivered": len(latencies),
        "messages_duplicated": 0,
        "messages_failed": MESSAGES - len(latencies),
        "messages_unfinished": 0,
        "delivery_ratio": len(latencies) / MESSAGES,
        "latency_mean_ms": sum(latencies) / len(latencies) if latencies else None,
        "latency_p50_ms": _percentile(latencies, 0.50),
        "latency_p95_ms": _percentile(latencies, 0.95),
        "latency_p99_ms": _percentile(latencies, 0.99),
        "latency_max_ms": latencies[-1] if latencies else None,
        "wire_bytes_up_offered": up,
        "wire_bytes_up_delivered": int(up * (1 - loss)),
        "wire_bytes_down_offered": down,
        "wire_bytes_down_delivered": int(down * (1 - loss)),
        "packets_up_offered": sent,
        "packets_up_delivered": int(sent * (1 - loss)),
        "packets_down_offered": int(sent * (1 - loss)),
        "packets_down_delivered": int(sent * (1 - loss) ** 2),
        "payload_bytes_first_sent": payload,
        "control_bytes_per_100": 100 * (up + down - payload) / payload,
        "control_bytes_per_100_ethernet": 100 * (up + down + 28 * sent - payload) / payload,
        "retransmissions_application": sent - MESSAGES,
        "retransmissions_transport": 0,
        "simulated_s": 220.0,
        **_energy(stack, len(latencies)),
    }
    return row, _ledger(run_id, stack, sent, up, down), _histogram(run_id, latencies)


def _energy(stack: SyntheticStack, delivered: int) -> dict[str, float | None]:
    if not stack.joules:
        return dict.fromkeys(_ENERGY)
    total = sum(stack.joules.values())
    return {
        **{f"energy_{cause}_j": stack.joules.get(cause, 0.0) for cause in ENERGY_CAUSES},
        "energy_j": total,
        "energy_set_up_j": 0.0,
        "energy_steady_j": total,
        "energy_per_message_j": total / delivered if delivered else None,
        "radio_deep_sleep_s": DAYS * 86_400.0 - 30.0,
        "radio_light_sleep_s": 0.0,
        "radio_connected_sleep_s": 0.0,
        "radio_receive_s": 20.0,
        "radio_transmit_s": 10.0,
        "battery_years": 5 * 3600 / (total / DAYS) / 365.25,
    }


def _percentile(latencies: Sequence[float], share: float) -> float | None:
    rank = int(share * MESSAGES)
    return latencies[rank] if rank < len(latencies) else None


def _ledger(
    run_id: str, stack: SyntheticStack, sent: int, up: int, down: int
) -> list[dict[str, Any]]:
    again = (sent - MESSAGES) * PAYLOAD_BYTES
    rows = []
    for direction, total in (("up", up), ("down", down)):
        shares = {
            ("ip", "header"): sent * 20,
            ("udp", "header"): sent * 8,
            ("application", "header"): sent * (stack.header_bytes - 28),
            ("application", "payload"): MESSAGES * PAYLOAD_BYTES,
            ("application", "retransmission"): again,
        }
        shares["application", "payload"] += min(0, total - sum(shares.values()))
        rows += [
            {
                "run_id": run_id,
                "path": "path",
                "direction": direction,
                "fate": fate,
                "reason": None,
                "layer": layer,
                "cause": cause,
                "bytes": count,
            }
            for (layer, cause), count in shares.items()
            for fate in ("offered", "delivered")
            if count > 0
        ]
    return rows


def _histogram(run_id: str, latencies: Sequence[float]) -> list[dict[str, Any]]:
    buckets: dict[int, int] = {}
    for latency in latencies:
        width = 8_000_000
        buckets[int(latency * 1e6) // width * width] = (
            buckets.get(int(latency * 1e6) // width * width, 0) + 1
        )
    rows: list[dict[str, Any]] = [
        {"run_id": run_id, "lower_ns": lower, "upper_ns": lower + 8_000_000, "messages": count}
        for lower, count in sorted(buckets.items())
    ]
    lost = MESSAGES - len(latencies)
    if lost:
        rows.append({"run_id": run_id, "lower_ns": None, "upper_ns": None, "messages": lost})
    return rows


def _manifest(study: SyntheticStudy) -> dict[str, Any]:
    return {
        "format": 1,
        "lasthop": __version__,
        "study": synthetic_study(study),
        "study_hash": "0" * 64,
        "plan_hash": "1" * 64,
        "selection": None,
        "planned_runs": 60,
        "seeds": {"study": 1},
        "command": "lasthop run poor-link.yaml",
        "state": "complete",
        "counts": {"completed": 60},
        "started": "2026-01-01T00:00:00+00:00",
        "finished": "2026-01-01T00:00:09+00:00",
        "host": {"platform": "Linux", "packages": {"polars": "2"}},
    }


_LEDGER = {
    "run_id": pl.String,
    "path": pl.String,
    "direction": pl.String,
    "fate": pl.String,
    "reason": pl.String,
    "layer": pl.String,
    "cause": pl.String,
    "bytes": pl.Int64,
}
_LATENCY = {
    "run_id": pl.String,
    "lower_ns": pl.Int64,
    "upper_ns": pl.Int64,
    "messages": pl.Int64,
}
_ENERGY = (
    *(f"energy_{cause}_j" for cause in ENERGY_CAUSES),
    "energy_j",
    "energy_set_up_j",
    "energy_steady_j",
    "energy_per_message_j",
    *(f"radio_{state}_s" for state in RADIO_STATES),
    "battery_years",
)
_MEASURED = (
    *_ENERGY,
    "messages_offered",
    "messages_delivered",
    "messages_duplicated",
    "messages_failed",
    "messages_unfinished",
    "delivery_ratio",
    "latency_mean_ms",
    "latency_p50_ms",
    "latency_p95_ms",
    "latency_p99_ms",
    "latency_max_ms",
    "wire_bytes_up_offered",
    "wire_bytes_up_delivered",
    "wire_bytes_down_offered",
    "wire_bytes_down_delivered",
    "packets_up_offered",
    "packets_up_delivered",
    "packets_down_offered",
    "packets_down_delivered",
    "payload_bytes_first_sent",
    "control_bytes_per_100",
    "control_bytes_per_100_ethernet",
    "retransmissions_application",
    "retransmissions_transport",
    "simulated_s",
)
