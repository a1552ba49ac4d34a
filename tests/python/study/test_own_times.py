"""Events for which each device has its own times, drawn by its name."""

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import polars as pl
import pytest

from lasthop import _native
from lasthop.errors import StudyError
from lasthop.results.arrow_stream import read_stream
from lasthop.study import Study

Load = Callable[..., Study]

STUDY = """\
study: own
duration: 20 min
fleet: {{meters: {{count: {devices}, path: wifi, server: s}}{others}}}
paths: {{wifi: {{delay: 10 ms}}}}
servers: {{s: {{}}}}
traffic: {{index: {{from: meters, report: 96 B, every: 1 s, at: 0 s}}{traffic}}}
events: [{event}]
stacks: [raw_udp]
repeat: 1
"""
OUTAGE = "{every: 4 min, arrivals: poisson, times: own, outage: meters, for: 20 s}"
PERIODIC = "{every: 5 min, times: own, outage: meters, for: 20 s}"


def spec_of(load: Load, event: str, devices: int = 20, **more: str) -> dict[str, Any]:
    words = {"others": "", "traffic": "", **more}
    study = load(STUDY.format(devices=devices, event=event, **words))
    spec: dict[str, Any] = json.loads(next(study.planned_runs()).spec_json)
    return spec


def tables_of(spec: dict[str, Any]) -> tuple[dict[str, Any], pl.DataFrame]:
    tables = _native.simulate(json.dumps(spec), run_id="0")
    summary: dict[str, Any] = read_stream(tables.summary).row(0, named=True)
    assert summary["status"] == "completed"
    return summary, read_stream(tables.messages)


def lost(messages: pl.DataFrame) -> dict[int, list[int]]:
    """Give the seconds at which lost messages of each meter were due."""
    failed = messages.filter(pl.col("status") != "delivered", group="meters")
    due = failed.with_columns(pl.col("intended_ns") // 10**9).sort("device", "intended_ns")
    found: dict[int, list[int]] = {}
    for device, second in due.select("device", "intended_ns").iter_rows():
        found.setdefault(device, []).append(second)
    return found


def test_each_device_has_outages_of_its_own(load: Load) -> None:
    summary, messages = tables_of(spec_of(load, OUTAGE))
    times = lost(messages)
    assert len({tuple(seconds) for seconds in times.values()}) == len(times)
    # A Poisson process of mean 4 min in 20 min at 20 devices: 100 outages, sd 10.
    assert 70 < summary["recoveries_due"] < 130


@pytest.mark.parametrize("devices", [1, 2, 20])
def test_periodic_ones_come_at_a_phase_of_each_device(load: Load, devices: int) -> None:
    _, messages = tables_of(spec_of(load, PERIODIC, devices))
    times = lost(messages)
    assert len(times) == devices
    for seconds in times.values():
        starts = [at for at in seconds if at - 1 not in seconds]
        assert len(starts) == 4
        assert starts[0] <= 300
        assert {later - at for at, later in pairwise(starts)} == {300}
        # The last one may end behind the last message.
        assert all(19 <= _in_a_row(seconds, start) <= 20 for start in starts[:-1])
    assert devices == 1 or len({seconds[0] for seconds in times.values()}) > 1


def _in_a_row(seconds: list[int], start: int) -> int:
    return sum(start <= at < start + 60 for at in seconds)


def test_neither_another_group_nor_more_devices_change_the_times_of_a_device(load: Load) -> None:
    _, two = tables_of(spec_of(load, OUTAGE, 2))
    _, twenty = tables_of(spec_of(load, OUTAGE, 20))
    beside = {
        "others": ", a_first: {count: 3, path: wifi, server: s}",
        "traffic": ", other: {from: a_first, report: 9 B, every: 10 s}",
    }
    _, after_others = tables_of(spec_of(load, OUTAGE, 2, **beside))
    assert lost(two) == lost(after_others)
    assert lost(two) == {device: lost(twenty)[device] for device in (0, 1)}


def test_another_seed_has_other_times_and_the_same_seed_the_same(load: Load) -> None:
    spec = spec_of(load, OUTAGE, 2)
    _, first = tables_of(spec)
    _, again = tables_of(spec)
    _, other = tables_of({**spec, "seed": spec["seed"] + 1})
    assert lost(first) == lost(again)
    assert lost(first) != lost(other)


@pytest.mark.parametrize(
    "kind",
    [
        "new_address: meters",
        "power_cut: 50 % of meters, for: 10 s",
        "restart: meters",
        "handover: meters, gap: 1 s",
    ],
)
def test_every_event_of_devices_may_have_own_times(load: Load, kind: str) -> None:
    event = f"{{every: 5 min, arrivals: poisson, times: own, {kind}}}"
    summary, _ = tables_of(spec_of(load, event))
    few, most = (10, 70) if "50 %" in kind else (40, 120)
    assert few < summary["recoveries_due"] < most


def test_an_outage_of_some_devices_is_one_of_these_alone(load: Load) -> None:
    event = "{start: 5 min, outage: 10 % of meters, for: 30 s}"
    spec = spec_of(load, event)
    assert spec["events"][0]["change"] == {
        "device_outage": {"of": {"group": "meters", "share": 0.1}, "duration_ns": 30 * 10**9}
    }
    summary, messages = tables_of(spec)
    assert [len(seconds) for seconds in lost(messages).values()] == [30, 30]
    assert summary["recoveries_due"] == 2


@pytest.mark.parametrize(
    ("event", "what"),
    [
        ("{start: 5 min, times: own, new_address: meters}", "needs an event that happens again"),
        ("{every: 5 min, times: own, outage: s, for: 1 s}", "only devices have times of their own"),
        ("{every: 5 min, times: own, outage: wifi, for: 1 s}", "only devices have times"),
        ("{every: 5 min, times: sometimes, new_address: meters}", "sometimes"),
        ("{every: 5 min, times: own, outage: nobody, for: 1 s}", "no server, path, hop or group"),
        ("{every: 5 min, outage: 10 % of s, for: 1 s}", "share is not possible"),
    ],
)
def test_own_times_of_what_has_none_are_refused(load: Load, event: str, what: str) -> None:
    with pytest.raises(StudyError, match=what):
        spec_of(load, event)


def test_a_run_spec_with_own_times_of_a_server_or_a_deadline_of_nothing_is_refused(
    load: Load,
) -> None:
    spec = spec_of(load, "{every: 5 min, outage: s, for: 1 s}")
    spec["events"][0]["again"]["periodic"]["own"] = True
    with pytest.raises(_native.SpecError, match="only devices have times of their own"):
        _native.simulate(json.dumps(spec), run_id="0")
    spec = spec_of(load, OUTAGE)
    spec["flows"][0]["within_ns"] = 0
    with pytest.raises(_native.SpecError, match="delivery of a message is above 0"):
        _native.simulate(json.dumps(spec), run_id="0")
