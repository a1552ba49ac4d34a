"""Whose packets are kept where no host is named."""

from pathlib import Path

import pytest

from lasthop.running.captured_hosts import CapturedHosts
from lasthop.running.plan import Plan
from lasthop.study import load_study

STUDY = """
study: hosts
duration: 10 s
devices: {devices}
traffic: {{round_trip: 100 B, every: 1 s}}
stacks: [mqtt qos=1{impl}]
engine: {engine}
repeat: 1
"""


@pytest.mark.parametrize(
    ("engine", "devices", "kept"),
    [("virtual", 20, 10), ("live", 20, 20), ("live", 200, 100)],
)
def test_every_device_of_a_run_that_does_not_happen_twice(
    tmp_path: Path, engine: str, devices: int, kept: int
) -> None:
    file = tmp_path / "study.yaml"
    impl = " impl=mine" if engine == "live" else ""
    file.write_text(STUDY.format(engine=engine, devices=devices, impl=impl))
    (run,) = Plan(load_study(file)).supported()
    hosts = CapturedHosts().of(run.spec_json)
    assert [name for name in hosts if name.startswith("device-")] == [
        f"device-{number}" for number in range(kept)
    ]
