"""When in their period devices send: at a moment of their own, or all at one."""

import io
import itertools
import json

import polars as pl
import pytest

from lasthop import _native

from .conftest import Load

STUDY = """\
study: a
duration: 3 d
devices: 2
traffic: {report: 50 B, every: 1 d%s}
path: {nbiot: {coupling_loss: 144 dB}}
stacks: [raw_udp]
repeat: 4
"""
PREAMBLE_PERIOD_NS = 160_000_000


def due(load: Load, more: str = "") -> list[dict[int, list[int]]]:
    """Give for each repetition when the messages of each device were due, in ns."""
    found = []
    for run in load(STUDY % more).planned_runs():
        table = _native.simulate(run.spec_json, run_id=run.run_id).messages
        messages = pl.read_ipc_stream(io.BytesIO(table))
        by_device = messages.group_by("device").agg("intended_ns").iter_rows()
        found.append({device: sorted(times) for device, times in by_device})
    return found


def test_with_a_radio_the_phase_of_a_daily_report_moves_with_the_seed(load: Load) -> None:
    repetitions = due(load)
    phases = {times[0] % PREAMBLE_PERIOD_NS for one in repetitions for times in one.values()}
    assert len(phases) == 8, "two devices in four repetitions"
    day_ns = 86_400 * 10**9
    for one in repetitions:
        for times in one.values():
            assert [later - first for first, later in itertools.pairwise(times)] == [
                day_ns,
                day_ns,
            ]


@pytest.mark.parametrize("more", [", at: 0 s", ", spread: 0 s"])
def test_at_one_moment_all_devices_send_whatever_the_seed(load: Load, more: str) -> None:
    starts = [[times[0] for times in one.values()] for one in due(load, more)]
    assert all(first == second for first, second in starts)
    assert len({first % PREAMBLE_PERIOD_NS for first, _ in starts}) == 1


def test_at_is_how_long_after_the_start_of_each_period(load: Load) -> None:
    (first, *_), (later, *_) = due(load, ", at: 0 s"), due(load, ", at: 7 h")
    assert later[0][0] - first[0][0] == 7 * 3600 * 10**9


@pytest.mark.parametrize("every", ["250 ms", "7 s", "1 d"])
def test_no_phase_costs_a_message(load: Load, every: str) -> None:
    text = (
        f"study: a\nduration: 1 min\ntraffic: {{report: 50 B, every: {every}}}\nstacks: [raw_udp]\n"
    )
    expected = {"250 ms": 240, "7 s": 9, "1 d": 1}[every]
    for run in load(text).planned_runs():
        tables = _native.simulate(run.spec_json, run_id=run.run_id)
        (offered,) = pl.read_ipc_stream(io.BytesIO(tables.summary))["messages_offered"]
        assert offered == expected, json.loads(run.spec_json)["traffic"]
