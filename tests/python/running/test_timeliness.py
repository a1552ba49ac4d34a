"""Messages in time, age of information and recovery from events, computed by hand."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lasthop
from lasthop import Results
from lasthop.running.external_ages import timeliness

DEVICES = (1, 2, 20)

STUDY = """\
study: timely
duration: 100 s
measure: {{warm_up: 20 s, drain: 20 s}}
devices: {devices}
path: {path}
traffic: {{report: 50 B, every: 10 s, at: 0 s{more}}}
{events}stacks: [raw_udp]
repeat: 1
"""
"""Messages of all devices are due at 0 s, 10 s, ..., 90 s, and arrive 0.1 s later."""

CLEAN = "{delay: 100 ms}"
FIFTH_LOST = "{delay: 100 ms, up: {loss: {packets: [5]}, delay: 100 ms}}"


def run(
    folder: Path, devices: int, *, path: str = CLEAN, more: str = "", event: str = ""
) -> Results:
    events = f"events: [{event}]\n" if event else ""
    study = folder / "study.yaml"
    study.write_text(STUDY.format(devices=devices, path=path, more=more, events=events))
    results = lasthop.run(study, out=folder / "results")
    assert results.runs["status"].to_list() == ["completed"]
    return results


def row(results: Results) -> dict[str, Any]:
    found: dict[str, Any] = results.runs.row(0, named=True)
    group = results.groups.row(0, named=True)
    for name in ("in_time_ratio", "age_of_information_mean_s", "recovery_p95_ms"):
        assert group[name] == found[name], "one group is the whole"
    return found


@pytest.mark.parametrize("devices", DEVICES)
def test_the_age_is_a_sawtooth_between_the_latency_and_a_period_more(
    devices: int, tmp_path: Path
) -> None:
    found = row(run(tmp_path, devices))
    # 0.1 s of latency and half of 10 s (Kaul, Yates, Gruteser 2012).
    assert found["age_of_information_mean_s"] == pytest.approx(5.1, abs=1e-9)
    assert found["age_of_information_max_s"] == pytest.approx(10.1, abs=1e-9)
    assert found["in_time_ratio"] is None
    assert found["recoveries_due"] is None


@pytest.mark.parametrize("devices", DEVICES)
def test_a_lost_message_is_late_and_leaves_the_age_growing(devices: int, tmp_path: Path) -> None:
    results = run(tmp_path, devices, path=FIFTH_LOST, more=", within: 150 ms")
    found = row(results)
    # Due at 20, 30, ..., 90; that of 40 is lost.
    assert found["messages_with_deadline"] == 8 * devices
    assert found["messages_in_time"] == 7 * devices
    assert found["in_time_ratio"] == 7 / 8
    # Seven intervals of 10 s. In five the area is 0.1 x 10 + 10²/2 = 51 s². From 40 s to 50 s the
    # age grows from 10 s to 20 s. From 50 s it goes on to 20.1 s, and then from 0.1 s to 10 s.
    area = 5 * 51 + 150 + (20.1**2 - 20**2 + 10**2 - 0.1**2) / 2
    assert found["age_of_information_mean_s"] == pytest.approx(area / 70, abs=1e-9)
    assert found["age_of_information_max_s"] == pytest.approx(20.1, abs=1e-9)
    in_time = results.messages.filter("measured")["in_time"]
    assert (in_time.sum(), in_time.null_count()) == (7 * devices, 0)


@pytest.mark.parametrize("devices", DEVICES)
def test_a_deadline_below_the_latency_is_never_met_and_changes_no_run(
    devices: int, tmp_path: Path
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    timed = row(run(tmp_path / "a", devices, more=", within: 99 ms"))
    usual = row(run(tmp_path / "b", devices))
    assert timed["in_time_ratio"] == 0
    assert timed["trace_hash"] == usual["trace_hash"]


@pytest.mark.parametrize("devices", DEVICES)
@pytest.mark.parametrize(
    ("event", "seconds"),
    [
        # The message of 60 s is the first behind each of these.
        ("{start: 39 s, outage: server, for: 15 s}", 60.1 - 54),
        ("{start: 39 s, outage: path, for: 15 s}", 60.1 - 54),
        ("{start: 39 s, outage: device, for: 15 s}", 60.1 - 54),
        ("{start: 39 s, power_cut: device, for: 15 s, spread: 0 s}", 60.1 - 54),
        ("{start: 39 s, restart: server, for: 15 s}", 60.1 - 54),
        # What is under way when the address changes is older than the event.
        ("{start: 50.05 s, new_address: device}", 60.1 - 50.05),
        ("{start: 50.05 s, handover: device, gap: 20 ms}", 60.1 - 50.07),
    ],
)
def test_the_recovery_lasts_from_the_end_of_an_event_to_the_first_newer_message(
    event: str, seconds: float, devices: int, tmp_path: Path
) -> None:
    found = row(run(tmp_path, devices, event=event))
    assert (found["recoveries_due"], found["recoveries_completed"]) == (devices, devices)
    assert found["recovery_ratio"] == 1
    for name in ("recovery_p50_ms", "recovery_p95_ms", "recovery_max_ms"):
        assert found[name] == pytest.approx(1000 * seconds, abs=1e-6), name


def test_an_event_of_the_warm_up_or_behind_all_messages_has_no_recovery(tmp_path: Path) -> None:
    for number, event in enumerate(
        ("{start: 5 s, outage: server, for: 10 s}", "{start: 95 s, outage: server, for: 2 s}")
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        found = row(run(folder, 2, event=event))
        assert (found["recoveries_due"], found["recovery_ratio"]) == (0, None)


def test_a_device_that_never_recovers_has_an_infinite_recovery(tmp_path: Path) -> None:
    # The last message is due at 90 s and is lost.
    last_lost = FIFTH_LOST.replace("[5]", "[10]")
    results = run(tmp_path, 2, path=last_lost, event="{start: 82 s, outage: server, for: 2 s}")
    found = row(results)
    assert (found["recoveries_due"], found["recoveries_completed"]) == (2, 0)
    assert found["recovery_ratio"] == 0
    assert found["recovery_p50_ms"] is None
    expression = lasthop.study.parse_expression("recovery_p50 <= 1 h")
    assert expression.evaluate(found) is False


FLEET = """\
study: pooled
duration: 100 s
measure: {drain: 20 s}
paths: {near: {delay: 100 ms}, far: {delay: 3 s}}
servers: {s: {}}
fleet:
  many: {count: 900, simulate: 3, path: near}
  few: {count: 20, simulate: 4, path: far}
traffic:
  often: {from: many, report: 50 B, every: 10 s, at: 0 s, within: 1 s}
  seldom: {from: few, report: 50 B, every: 20 s, at: 0 s, within: 1 s}
events: [{start: 31 s, outage: s, for: 2 s}]
stacks: [raw_udp]
repeat: 1
"""


def test_groups_are_pooled_by_the_devices_that_they_stand_for(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(FLEET)
    results = lasthop.run(tmp_path / "study.yaml", out=tmp_path / "results")
    found = results.runs.row(0, named=True)
    of = {one["group"]: one for one in results.groups.iter_rows(named=True)}
    many, few = of["many"], of["few"]
    assert (many["weight"], few["weight"]) == (300, 5)
    # 10 messages of each of 900 real devices are in time, and 5 of each of 20 are not.
    assert found["in_time_ratio"] == pytest.approx(9000 / 9100)
    # The many: 0.1 s + 10 s / 2 without the first 0.1 s x 10 s, over 90 s; the few over 80 s.
    ages = {"many": (9 * 51 - 1) / 90, "few": (4 * 260 - 60) / 80}
    for name, age in ages.items():
        assert of[name]["age_of_information_mean_s"] == pytest.approx(age)
    pooled = (900 * 90 * ages["many"] + 20 * 80 * ages["few"]) / (900 * 90 + 20 * 80)
    assert found["age_of_information_mean_s"] == pytest.approx(pooled)
    assert found["age_of_information_max_s"] == pytest.approx(23)
    # The outage ends at 33 s. The many recover at 40.1 s, the few at 43 s.
    assert many["recovery_p50_ms"] == pytest.approx(7100)
    assert few["recovery_p50_ms"] == pytest.approx(10_000)
    assert found["recovery_p50_ms"] == pytest.approx(7100, rel=4e-3)
    assert found["recovery_p95_ms"] == pytest.approx(7100, rel=4e-3), "2.2 % are longer"
    assert found["recovery_max_ms"] == pytest.approx(10_000)


def test_what_devices_of_real_software_tell_has_the_age_of_the_simulator(tmp_path: Path) -> None:
    results = run(tmp_path, 20, path=FIFTH_LOST, more=", within: 150 ms")
    found = timeliness(results.messages.to_dicts())
    for name, value in found.items():
        assert value == pytest.approx(results.runs[name][0]), name


STACKS = "stacks: [raw_udp, raw_udp ack=on ack_timeout=1s]\nrepeat: 5\n"
ASKED = """\
decide:
  require: ["in_time_ratio >= 95 %", "age_of_information_mean <= 1 min", "recovery_p95 <= 15 s"]
  minimise: age_of_information_mean
expect: ["recovery_ratio == 1", "age_of_information_max <= 1 min"]
"""


def test_they_decide_require_and_are_expected(tmp_path: Path) -> None:
    path = "{delay: 100 ms, loss: 20 %}"
    event = "events: [{start: 31 s, outage: server, for: 2 s}]\n"
    text = STUDY.format(devices=20, path=path, more=", within: 5 s", events=event)
    text = text.replace("stacks: [raw_udp]\nrepeat: 1\n", STACKS + ASKED)
    (tmp_path / "study.yaml").write_text(text)
    results = lasthop.run(tmp_path / "study.yaml", out=tmp_path / "results")
    (point,) = results.decision.points
    judged = {arm: [str(one.met.value) for one in found] for arm, found in point.judged.items()}
    plain, acknowledged = "raw_udp", "raw_udp ack=on ack_timeout=1s"
    assert judged[plain][0] == "not met", "a fifth of the messages is lost"
    assert judged[acknowledged] == ["met", "met", "met"]
    assert point.leaders == (acknowledged,)
    ages = results.runs.group_by("stack").agg(pl.col("age_of_information_mean_s").mean())
    mean = dict(ages.iter_rows())
    assert mean[acknowledged] < mean[plain]
