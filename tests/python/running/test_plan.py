"""Which runs a plan has."""

from pathlib import Path

from lasthop.running.plan import Plan
from lasthop.study import load_study

TWO_BROKERS = """
study: brokers
duration: 1 s
traffic: {round_trip: 100 B, every: 250 ms}
path: {delay: 30 ms}
stacks: [mqtt impl=mosquitto, mqtt impl=hivemq]
repeat: 3
"""


def test_arms_that_are_one_run_are_run_once(tmp_path: Path) -> None:
    study = tmp_path / "brokers.yaml"
    study.write_text(TWO_BROKERS)
    plan = Plan(load_study(study, modelled=True))
    assert len(list(plan.rows())) == 6
    runs = [run.run_id for run in plan.supported()]
    assert len(runs) == len(set(runs)) == 3
