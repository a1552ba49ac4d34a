"""Each measure of a fleet follows from its strata and groups by the rule in the registry."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

import lasthop
from lasthop import Results
from lasthop.answer.cautions import cautions
from lasthop.errors import StudyError
from lasthop.measures import COLUMNS, FleetRule, Measure, measure
from lasthop.measures.bills import BILLS
from lasthop.running.external_ages import timeliness
from lasthop.study import load_study

FLEET = """\
study: fleet
duration: 40 min
measure: {warm_up: 1 min, drain: 1 min}
paths:
  near: {nbiot: {coupling_loss: 120 dB}}
  deep: {nbiot: {coupling_loss: 150 dB}}
servers: {head_end: {}}
fleet:
  many: {count: 9000, simulate: 3, path: near, battery: 5 Wh}
  few: {count: 20, simulate: 4, path: deep, battery: 5 Wh}
traffic:
  short: {from: many, report: 50 B, every: 5 min, within: 4 s}
  long: {from: few, report: 900 B, every: 10 min}
  turn: {to: few, command: 20 B, every: 15 min}
events: [{start: 18 min, outage: head_end, for: 2 min}]
tariff: hologram
stacks: [raw_udp]
repeat: 2
"""
STRATA = FLEET.replace("coupling_loss: 120 dB", "coupling_loss: {120 dB: 99 %, 160 dB: 1 %}")
# Columns that are there only where they are asked for.
_ALSO = "energy: {load: {constant: 1 uW}, lifetime: 1 year}}"
ASKED = FLEET.replace("battery: 5 Wh}", f"battery: 5 Wh, {_ALSO}")
STRATA = STRATA.replace("simulate: 3,", "simulate: 6, minimum: 3,")

STRATUM_OF_MANY: dict[bool, dict[int, str | None]] = {
    False: {0: None},
    True: {0: "120 dB", 3: "160 dB"},
}
_TO_THE_HISTOGRAM = 5e-3

PATHS = {"many": "near", "few": "deep"}

OUTAGE_NS = (18 * 60 * 10**9, 20 * 60 * 10**9)


@pytest.fixture(scope="module", params=[False, True], ids=["groups", "strata"])
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Run a fleet of two groups, the first of which has strata or none."""
    folder = tmp_path_factory.mktemp("fleet")
    (folder / "study.yaml").write_text(STRATA if request.param else FLEET)
    return lasthop.run(folder / "study.yaml", out=folder / "results")


@dataclass(frozen=True)
class Message:
    """A measured message, with what its device stands for."""

    weight: float
    status: str
    latency_ms: float | None
    response_ms: float | None
    in_time: bool | None


def weigher(results: Results, run: str) -> Callable[[str, int], float]:
    """Give what a device stands for, by its group and its number there."""
    groups = results.groups.filter(run_id=run)
    starts = STRATUM_OF_MANY[groups["stratum"].drop_nulls().len() > 0]
    weights = {
        (group, stratum): weight
        for group, stratum, weight in groups.select("group", "stratum", "weight").iter_rows()
    }

    def weight(group: str, device: int) -> float:
        first = max(start for start in starts if start <= device)
        return float(weights[group, starts[first] if group == "many" else None])

    return weight


def messages_of(results: Results, run: str) -> list[Message]:
    weight = weigher(results, run)
    found = []
    for row in results.messages.filter(run_id=run, measured=True).iter_rows(named=True):
        acknowledged = row["acknowledged_ns"]
        found.append(
            Message(
                weight(row["group"], row["device"]),
                row["status"],
                row["latency_ms"],
                None if acknowledged is None else (acknowledged - row["intended_ns"]) / 1e6,
                row["in_time"],
            )
        )
    return found


Rule = Callable[[list[Message]], float]


def weighted_quantile(pairs: list[tuple[float, float]], share: float) -> float:
    wanted = share * sum(weight for _, weight in pairs) * (1 - 1e-12)
    reached = accumulate(weight for _, weight in pairs)
    return next(pair[0] for pair, it in zip(pairs, reached, strict=True) if it >= wanted)


def quantile(share: float) -> Rule:
    def found(messages: list[Message]) -> float:
        pairs = sorted((one.latency_ms or math.inf, one.weight) for one in messages)
        return weighted_quantile(pairs, share)

    return found


def mean(value: Callable[[Message], float | None]) -> Rule:
    def found(messages: list[Message]) -> float:
        pairs = [(one.weight, it) for one in messages if (it := value(one)) is not None]
        return sum(weight * it for weight, it in pairs) / sum(weight for weight, _ in pairs)

    return found


def longest(value: Callable[[Message], float | None]) -> Rule:
    return lambda messages: max(it for one in messages if (it := value(one)) is not None)


OF_MESSAGES: dict[str, Rule] = {
    "delivery_ratio": mean(lambda one: float(one.status == "delivered")),
    "availability_20s": mean(lambda one: float((one.latency_ms or math.inf) <= 20_000)),
    "latency_mean_ms": mean(lambda one: one.latency_ms),
    "latency_p50_ms": quantile(0.50),
    "latency_p95_ms": quantile(0.95),
    "latency_p99_ms": quantile(0.99),
    "latency_p99_9_ms": quantile(0.999),
    "latency_max_ms": longest(lambda one: one.latency_ms),
    "response_mean_ms": mean(lambda one: one.response_ms),
    "response_max_ms": longest(lambda one: one.response_ms),
    "in_time_ratio": mean(lambda one: one.in_time),
}


def weighted_share(strata: Iterable[Mapping[str, Any]], part: str, whole: str) -> float:
    parts, wholes = (sum(row["weight"] * row[name] for row in strata) for name in (part, whole))
    return float(parts / wholes)


def ages_and_recoveries(results: Results, run: str) -> dict[str, float]:
    """Compute both from each message, device by device."""
    weight_of = weigher(results, run)
    area = time = 0.0
    recovered: dict[tuple[str, int], float] = {}
    flows: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    for row in results.messages.filter(run_id=run).sort("message").iter_rows(named=True):
        flows.setdefault((row["group"], row["flow"], row["device"]), []).append(row)
    for (group, _, device), rows in flows.items():
        due = [row["intended_ns"] for row in rows if row["measured"]]
        watched = weight_of(group, device) * (max(due) - min(due))
        area += watched * (timeliness(rows)["age_of_information_mean_s"] or 0.0)
        time += watched
        since = [row for row in rows if row["intended_ns"] >= OUTAGE_NS[0]]
        arrivals = [row["delivered_ns"] for row in since if row["delivered_ns"] is not None]
        behind = [(at - OUTAGE_NS[1]) / 1e6 for at in arrivals if at >= OUTAGE_NS[1]]
        if since:
            before = recovered.get((group, device), math.inf)
            recovered[group, device] = min(before, *behind, math.inf)
    pairs = sorted((took, weight_of(*device)) for device, took in recovered.items())
    found = {
        "age_of_information_mean_s": area / time,
        "recovery_p50_ms": weighted_quantile(pairs, 0.50),
        "recovery_p95_ms": weighted_quantile(pairs, 0.95),
        "recovery_max_ms": pairs[-1][0],
    }
    return {name: value for name, value in found.items() if value < math.inf}


def of_tables(results: Results, run: str) -> dict[str, float]:
    """Put together what follows from the tables of groups and packets."""
    groups = results.groups.filter(run_id=run).to_dicts()
    strata = {(row["group"], row["stratum"]): row for row in groups}.values()
    delivered = sum(row["weight"] * row["messages_delivered"] for row in groups)
    real = [row["weight"] * row["devices"] for row in strata]
    batteries = [count / row["battery_years"] for count, row in zip(real, strata, strict=True)]
    found = {
        "energy_per_message_j": sum(row["weight"] * row["energy_total_j"] for row in strata)
        / delivered,
        "battery_years": sum(real) / sum(batteries),
    }
    found["recovery_ratio"] = weighted_share(strata, "recoveries_completed", "recoveries_due")
    found["age_of_information_max_s"] = max(row["age_of_information_max_s"] for row in groups)
    found |= ages_and_recoveries(results, run)
    for name in (column.name for column in BILLS):
        total = sum(count * row[name] for count, row in zip(real, strata, strict=True))
        found[name] = total / sum(real)
    if all(row["stratum"] is None for row in groups):
        weight = {PATHS[row["group"]]: row["weight"] for row in strata}
        packets = results.packets.filter(run_id=run, fate="offered").to_dicts()
        size = sum(weight[row["path"]] * row["bytes"] for row in packets)
        headers = sum(weight[row["path"]] * 14 * row["packets"] for row in packets)
        found["wire_bytes_per_message"] = size / delivered
        found["wire_bytes_per_message_ethernet"] = (size + headers) / delivered
    return found


def test_each_measure_of_a_fleet_follows_from_its_strata_and_groups(results: Results) -> None:
    held = set[str]()
    for row in results.runs.iter_rows(named=True):
        messages = messages_of(results, row["run_id"])
        wanted = {name: of(messages) for name, of in OF_MESSAGES.items() if row[name] is not None}
        wanted |= of_tables(results, row["run_id"])
        for name, value in wanted.items():
            within = _TO_THE_HISTOGRAM if measure(name).fleet is FleetRule.QUANTILE else 1e-6
            assert row[name] == pytest.approx(value, rel=within), name
        held |= wanted.keys()
        known = {column.name for column in COLUMNS if column.fleet.is_of_fleet}
        assert {name for name in known - held if row[name] is not None} <= {
            "lowest_path_gain_served_db"
        }


def test_sums_are_those_of_the_simulated_devices(results: Results) -> None:
    for row in results.runs.iter_rows(named=True):
        groups = results.groups.filter(run_id=row["run_id"])
        strata = groups.unique(["group", "stratum"])
        assert row["energy_j"] == pytest.approx(strata["energy_total_j"].sum())
        for name in ("offered", "delivered", "failed", "unfinished"):
            assert row[f"messages_{name}"] == groups[f"messages_{name}"].sum()
        packets = results.packets.filter(run_id=row["run_id"], fate="offered")
        for way in ("up", "down"):
            assert row[f"wire_bytes_{way}_offered"] == packets.filter(direction=way)["bytes"].sum()
        assert measure("energy_j").fleet is FleetRule.SUM


def decided(text: str, aim: str, folder: Path) -> None:
    (folder / "study.yaml").write_text(text + aim)
    load_study(folder / "study.yaml")


@pytest.mark.parametrize(
    "column", [one for one in COLUMNS if one.is_measured], ids=lambda column: column.name
)
def test_what_has_no_rule_cannot_decide_about_a_fleet(column: Measure, tmp_path: Path) -> None:
    aim = f"decide: {{minimise: {column.short_name}}}\n"
    if column.fleet.is_of_fleet:
        decided(ASKED, aim, tmp_path)
        return
    with pytest.raises(StudyError, match="cannot decide about this fleet") as fault:
        decided(ASKED, aim, tmp_path)
    assert "\n" not in str(fault.value).replace("\n  hint", " hint")
    alike = ASKED.replace("count: 20, simulate: 4", "count: 12000, simulate: 4")
    decided(alike, aim, tmp_path)


def test_bytes_of_strata_on_one_path_are_refused_beforehand(tmp_path: Path) -> None:
    said = 'bytes are counted by path, and devices on "near" stand for different numbers'
    for asked in (
        "decide: {minimise: wire_bytes_per_message}\n",
        'decide: {minimise: latency_p95, require: ["wire_bytes_per_message <= 1 kB"]}\n',
        'expect: ["wire_bytes_per_message <= 1 kB"]\n',
    ):
        decided(FLEET, asked, tmp_path)
        with pytest.raises(StudyError, match=said):
            decided(STRATA, asked, tmp_path)


def test_what_is_seldom_in_the_fleet_does_not_decide_about_it(tmp_path: Path) -> None:
    """By simulated devices `long` wins; of the fleet 99.9 % are in good coverage."""
    study = """\
study: weighted
duration: 4 d
measure: {drain: 10 min}
paths:
  p: {nbiot: {coupling_loss: {120 dB: 99.9 %, 164 dB: 0.1 %}, release_assistance: on}}
servers: {s: {}}
fleet: {d: {count: 1000000, simulate: 8, minimum: 4, path: p, server: s, battery: 5 Wh}}
traffic: {f: {from: d, report: 50 B, every: 2 h}}
stacks:
  short: coap type=con ack_timeout=6s
  long: raw_udp/dtls ip.version=6 dtls.timeout=30s
repeat: 5
decide: {minimise: energy_per_message, smallest_effect: 0.5 %}
"""
    (tmp_path / "study.yaml").write_text(study)
    results = lasthop.run(tmp_path / "study.yaml", out=tmp_path / "results")
    (point,) = results.decision.points
    best, other = point.ranked
    assert best.stack == "short"
    assert best.value is not None
    assert other.value is not None
    assert best.value.mean == pytest.approx(0.19, abs=0.015)
    assert other.value.mean == pytest.approx(0.23, abs=0.03)


def test_the_answer_says_which_figures_are_of_simulated_devices(results: Results) -> None:
    said = [one for one in cautions([results.path], results.manifest.study) if "stands for" in one]
    has_strata = results.groups["stratum"].drop_nulls().len() > 0
    least, most = (5, 2970) if has_strata else (5, 3000)
    assert len(said) == 1
    assert said[0].startswith(f"a simulated device stands for {least} to {most:,} real ones.")
