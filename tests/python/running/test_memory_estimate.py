"""What a run needs is known before it starts, and refused where it is not there."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lasthop.errors import UsageError
from lasthop.running.disk import check_disk
from lasthop.running.memory import (
    BYTES_A_MESSAGE,
    BYTES_A_RUN,
    MOST_MESSAGES,
    RunLoad,
    available_memory,
    check_memory,
    load_of,
)
from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.running.selection import Selection
from lasthop.study import load_study
from lasthop.study.run_spec import RunSpecReader

STUDY = """\
study: large
duration: {duration}
devices: {devices}
traffic: {{report: 40 B, every: {every}, burst: {burst}, arrivals: {arrivals}}}
stacks: [raw_udp]
repeat: 3
"""
ARRIVING = """\
study: arriving
duration: 1 h
devices: {{arrive: 2 /s}}
measure: {{messages: {messages}}}
traffic: {{report: 25 B}}
path: {{nbiot: {{deployment: {{cells: 3}}}}}}
stacks: [raw_udp]
"""
GB = 10**9

PlanOf = Callable[..., Plan]


@pytest.fixture
def plan_of(tmp_path: Path) -> PlanOf:
    def plan(text: str = STUDY, selection: Selection | None = None, **settings: object) -> Plan:
        usual = {"duration": "10 s", "devices": 1, "every": "1 s", "burst": 1}
        file = tmp_path / "study.yaml"
        written = text.format(**{**usual, "arrivals": "periodic", **settings})
        file.write_text(written, encoding="utf-8")
        return Plan(load_study(file), selection)

    return plan


@pytest.mark.parametrize("arrivals", ["periodic", "poisson"])
def test_messages_are_counted_from_the_conditions(plan_of: PlanOf, arrivals: str) -> None:
    plan = plan_of(duration="1 h", every="10 s", devices=7, burst=3, arrivals=arrivals)
    assert load_of(RunSpecReader(plan.study.points[0].conditions)) == RunLoad(
        messages=360 * 7 * 3, devices=7, in_files=True
    )


def test_of_devices_that_come_and_go_only_rows_of_messages_count(plan_of: PlanOf) -> None:
    each, summed = (
        load_of(RunSpecReader(plan_of(ARRIVING, messages=kept).study.points[0].conditions))
        for kept in ("each", "summed")
    )
    assert each == RunLoad(messages=2 * 3_600 * 3)
    assert summed == RunLoad()


def test_messages_of_devices_that_come_and_go_have_to_fit(plan_of: PlanOf) -> None:
    plan = plan_of(ARRIVING.replace("2 /s", "1000 /s"), messages="each")
    with pytest.raises(UsageError) as refusal:
        check_memory(plan, jobs=1, available_bytes=6 * GB)
    assert str(refusal.value) == (
        "a run of 10,800,000 messages needs about 6.5 GB of memory, but this machine "
        "has 6.0 GB available; about 9,900,000 messages a run fit: write a longer "
        "traffic.every, a shorter duration or fewer devices"
    )


def test_messages_of_devices_that_stay_have_to_fit_on_the_disk(plan_of: PlanOf) -> None:
    plan = plan_of(duration="1000 s", every="100 us", devices=100)
    memory = check_memory(plan, jobs=1, available_bytes=GB)
    with pytest.raises(UsageError) as refusal:
        check_disk(memory.load, out=Path("results"), available_bytes=60 * GB)
    assert str(refusal.value) == (
        "a run of 1,000,000,000 messages needs about 240.0 GB on the disk, and results "
        "has 60.0 GB free; about 250,000,000 messages a run fit: write "
        '"measure: {messages: summed}", a longer traffic.every, a shorter duration or fewer devices'
    )
    check_disk(memory.load, out=Path("results"), available_bytes=250 * GB)


def test_devices_that_do_not_fit_are_refused_with_how_many_do(plan_of: PlanOf) -> None:
    with pytest.raises(UsageError) as refusal:
        check_memory(
            plan_of(duration="10 s", every="10 s", devices=90_000), jobs=1, available_bytes=GB // 2
        )
    assert str(refusal.value) == (
        "a run of 90,000 devices needs about 632 MB of memory, but this machine has "
        "500 MB available; about 74,000 devices a run fit: write fewer devices, or simulate a "
        'part of them, for example "simulate: 600"'
    )
    check_memory(
        plan_of(duration="10 s", every="10 s", devices=65_000), jobs=1, available_bytes=GB // 2
    )


def test_runs_that_fit_one_by_one_are_refused_with_the_jobs_that_fit(plan_of: PlanOf) -> None:
    plan = plan_of(duration="10 s", every="10 s", devices=90_000)
    with pytest.raises(
        UsageError, match=r"3 at a time 1\.9 GB, but this machine .* write --jobs 2$"
    ):
        check_memory(plan, jobs=8, available_bytes=1_400_000_000)
    check_memory(plan, jobs=2, available_bytes=1_400_000_000)
    check_memory(plan, jobs=8, available_bytes=2 * GB)


def test_only_the_chosen_runs_count(plan_of: PlanOf) -> None:
    sweep = STUDY + "sweep: [{{name: devices, devices: [100000, 10]}}]\n"
    small = list(plan_of(sweep).unique())[-1]
    with pytest.raises(UsageError):
        check_memory(plan_of(sweep), jobs=1, available_bytes=GB // 2)
    only = plan_of(sweep, Selection.parse(shard=None, only=(small.run_id,)))
    assert check_memory(only, jobs=1, available_bytes=GB // 2).load.devices == 10


def test_no_folder_is_made_for_what_does_not_fit(
    plan_of: PlanOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(duration="1000 s", every="1 ms", devices=10)
    usage = shutil.disk_usage(tmp_path)._replace(free=GB)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(UsageError, match=r"messages needs about 2\.4 GB on the disk"):
        carry_out(plan, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_this_machine_knows_its_memory() -> None:
    available = available_memory()
    assert available is not None
    assert available > 0


MEASURE = """
import json
import sys
from pathlib import Path
from lasthop.running.engine import NativeEngine
from lasthop.running.plan import Plan
from lasthop.study import load_study

def peak_bytes():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024

run = next(Plan(load_study(Path(sys.argv[1]))).unique())
engine = NativeEngine()
# What the first run of a process loads is no run's.
short = json.loads(run.spec_json)
short["flows"][0]["duration_ns"] = 1
engine.simulate(json.dumps(short), run_id="", captures={}, switch=engine.switch())
before = peak_bytes()
messages = Path(sys.argv[2]) if sys.argv[2] else None
engine.simulate(
    run.spec_json, run_id=run.run_id, captures={}, switch=engine.switch(), messages=messages
)
print(peak_bytes() - before)
"""


def grown_by(folder: Path, *, messages: str) -> int:
    command = [sys.executable, "-c", MEASURE, str(folder / "study.yaml"), messages]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(done.stdout)


def test_the_estimate_is_what_a_run_takes(plan_of: PlanOf, tmp_path: Path) -> None:
    plan_of(duration="200 s", every="1 ms")
    grown = grown_by(tmp_path, messages="")
    assert grown < BYTES_A_RUN + 200_000 * BYTES_A_MESSAGE
    assert grown > 200_000 * BYTES_A_MESSAGE / 3


def test_memory_does_not_grow_with_messages_that_go_to_a_file(
    plan_of: PlanOf, tmp_path: Path
) -> None:
    file = tmp_path / "messages"
    plan_of(duration="1000 s", every="1 ms")
    assert grown_by(tmp_path, messages=str(file)) < BYTES_A_RUN + MOST_MESSAGES * BYTES_A_MESSAGE
    assert file.stat().st_size > 1_000_000 * 100
