"""What a plan takes, foreseen on a clock that stands still but for what is simulated."""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lasthop.running import trial, trials
from lasthop.running.engine import CancelledError, Switch
from lasthop.running.plan import Plan
from lasthop.running.trials import Cost, estimate_cost
from lasthop.study import load_study

from .synthetic import SyntheticSwitch

STUDY = """\
study: foreseen
duration: 10 min
traffic: {report: 40 B, every: 1 s}
path: {delay: 20 ms}
stacks: [raw_udp, raw_udp ack=on]
sweep: [{name: size, devices: [1, 10, 30, 100, 300, 1000]}]
repeat: 3
"""

BESIDE_RUNS_S = 10.0


def _filling(seconds: float, *, full_s: float) -> float:
    """Grow as the square of the time until what is waited in is full, and then straight on."""
    return min(seconds, full_s) ** 2 + 2 * full_s * max(0.0, seconds - full_s)


class Machine:
    """Simulates nothing, but takes its time for it."""

    def __init__(self, takes_s: Callable[[int, float], float]) -> None:
        self.now = 0.0
        self.tried: list[tuple[int, float]] = []
        self._takes_s = takes_s

    def perf_counter(self) -> float:
        return self.now

    thread_time = perf_counter

    def switch(self) -> SyntheticSwitch:
        return SyntheticSwitch()

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
        del run_id, captures, switch, messages
        devices, seconds = _content(spec_json)
        self.tried.append((devices, seconds))
        self.now += self._takes_s(devices, seconds)
        return {}


class Refusing(Machine):
    """Ends no run in time."""

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
        super().simulate(
            spec_json, run_id=run_id, captures=captures, switch=switch, messages=messages
        )
        raise CancelledError


def _content(spec_json: str) -> tuple[int, float]:
    spec = json.loads(spec_json)
    (group,), (flow,) = spec["groups"], spec["flows"]
    return group["population"]["staying"]["devices"], flow["duration_ns"] / 1e9


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    return Plan(load_study(tmp_path / "study.yaml"))


def foresee(plan: Plan, machine: Machine, patch: pytest.MonkeyPatch) -> tuple[Cost, float]:
    """Return the estimate, and what all runs would take."""
    for module in (trial, trials):
        patch.setattr(module, "time", machine)
    cost = estimate_cost(plan, machine, jobs=1)
    contents = [_content(run.spec_json) for run in plan.supported()]
    truth = math.fsum(machine._takes_s(*content) for content in contents)
    return cost, truth


@pytest.mark.parametrize(
    "takes_s",
    [
        lambda devices, seconds: 1e-7 * devices * seconds,
        lambda devices, seconds: 1e-4 * devices * seconds,
        lambda devices, seconds: 1e-2 * devices * seconds,
        lambda devices, seconds: 0.05 + 1e-4 * devices * seconds,
        lambda devices, seconds: 1e-6 * (devices * seconds) ** 1.3,
        lambda devices, seconds: 2e-6 * devices**1.6 * seconds,
        lambda devices, seconds: 1e-4 * seconds if devices < 500 else 0.02 * seconds,
        lambda devices, seconds: 1e-5 * devices * _filling(seconds, full_s=100.0),
    ],
    ids=[
        "light",
        "heavy",
        "hopeless",
        "set up",
        "overloaded",
        "crowded",
        "one point alone",
        "a queue that is full one day",
    ],
)
def test_the_whole_is_foreseen_within_a_factor_of_two(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, takes_s: Callable[[int, float], float]
) -> None:
    machine = Machine(takes_s)
    cost, truth = foresee(plan, machine, monkeypatch)
    assert truth / 2 < cost.seconds < 2 * truth + BESIDE_RUNS_S
    assert not cost.at_least


def test_the_heaviest_and_the_lightest_point_of_each_stack_are_tried(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(lambda devices, seconds: 0.1 * devices * seconds)
    cost, _ = foresee(plan, machine, monkeypatch)
    assert (cost.tried, cost.cases) == (4, 12)
    assert {devices for devices, _ in machine.tried} == {1, 1000}


def test_what_is_fast_is_tried_at_every_point_from_the_beginning_to_the_end(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(lambda devices, seconds: 1e-8 * devices * seconds)
    cost, _ = foresee(plan, machine, monkeypatch)
    assert cost.tried == cost.cases == 12
    whole = [devices for devices, seconds in machine.tried if seconds == 600]
    assert sorted(whole) == sorted([1, 10, 30, 100, 300, 1000] * 2)


def test_what_no_trial_sees_the_end_of_takes_at_least_that_long(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Refusing(lambda *_: 1.0)
    cost, truth = foresee(plan, machine, monkeypatch)
    assert cost.at_least
    assert cost.seconds < truth + BESIDE_RUNS_S


def test_trials_end_when_their_time_is_over(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(lambda devices, seconds: 1e-3 * devices * seconds)
    foresee(plan, machine, monkeypatch)
    spent = machine.now - trials.TRIALS_S
    assert spent <= 0.5 * trials.TRIALS_S


def test_a_fleet_that_takes_long_to_begin_is_foreseen_by_few_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = STUDY.replace("[1, 10, 30, 100, 300, 1000]", "[5000]")
    (tmp_path / "study.yaml").write_text(study, encoding="utf-8")
    plan = Plan(load_study(tmp_path / "study.yaml"))
    # 20 s until all have begun, and 150 s for what they do then.
    machine = Machine(lambda devices, seconds: 4e-3 * devices + 5e-5 * devices * seconds)
    cost, truth = foresee(plan, machine, monkeypatch)
    assert not cost.at_least
    assert truth / 1.1 < cost.seconds < 1.1 * truth + BESIDE_RUNS_S
    assert {devices for devices, seconds in machine.tried if seconds == 600} == {20, 80}
