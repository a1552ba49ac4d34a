"""A study plans its runs: their order, their ids, their seeds, and what they are called."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lasthop.errors import StudyError
from lasthop.study import Study, load_study
from lasthop.version import __version__

HEAD = "study: a\nduration: 2 min\ntraffic: {report: 40 B, every: 1 s}\n"
SWEEP = """\
path: {loss: 10 %, delay: {around: 100 ms, spread: 20 %}}
stacks: [raw_udp, mqtt_sn]
sweep:
  - name: base
  - {name: loss, path.loss: [0 %, 10 %]}
  - {name: latency, path.loss: [0 %], path.delay.around: [0 ms, 100 ms]}
repeat: 2
"""

Load = Callable[..., Study]


def test_runs_are_ordered_by_part_point_stack_and_repetition(load: Load) -> None:
    study = load(HEAD + SWEEP)
    runs = list(study.planned_runs())
    order = [(run.part, run.parameters["path_loss"], run.stack, run.repetition) for run in runs]
    assert order[:4] == [
        ("base", 0.1, "raw_udp", 1),
        ("base", 0.1, "raw_udp", 2),
        ("base", 0.1, "mqtt_sn", 1),
        ("base", 0.1, "mqtt_sn", 2),
    ]
    assert [part.name for part in study.parts] == ["base", "loss", "latency"]
    assert [part.points for part in study.parts] == [1, 2, 2]
    assert len(runs) == len(study) == 20


def test_parts_that_share_a_point_share_its_runs(load: Load) -> None:
    runs = list(load(HEAD + SWEEP).planned_runs())
    base = {run.run_id for run in runs if run.part == "base"}
    loss = {run.run_id for run in runs if run.part == "loss"}
    latency = {run.run_id for run in runs if run.part == "latency"}
    assert base < loss
    assert len(loss & latency) == 4
    assert len({(run.part, run.run_id) for run in runs}) == len(runs)
    case = {run.case_id for run in runs if run.part == "base"}
    assert len(case) == 2
    assert case < {run.case_id for run in runs if run.part == "loss"}


def test_a_run_id_hashes_spec_and_version(load: Load) -> None:
    run = next(load(HEAD + SWEEP).planned_runs())
    text = f"{run.spec_json}\n{__version__}"
    assert run.run_id == hashlib.sha256(text.encode()).hexdigest()[:16]
    spec = json.loads(run.spec_json)
    assert spec["seed"] == run.seed
    canonical = json.dumps({**spec, "seed": 0}, sort_keys=True, separators=(",", ":"))
    text = f"{canonical}\n{__version__}"
    assert run.case_id == hashlib.sha256(text.encode()).hexdigest()[:12]


def test_a_repetition_has_one_seed_for_all_stacks_and_points(load: Load) -> None:
    runs = list(load(HEAD + SWEEP, seed=7).planned_runs())
    for repetition in (1, 2):
        seeds = {run.seed for run in runs if run.repetition == repetition}
        digest = hashlib.sha256(f"7/{repetition}".encode()).digest()
        assert seeds == {int.from_bytes(digest[:8], "big") >> 1}


def test_a_stack_that_is_not_built_is_planned_as_unsupported(load: Load) -> None:
    runs = [run for run in load(HEAD + SWEEP).planned_runs() if run.stack == "mqtt_sn"]
    assert not any(run.supported for run in runs)
    assert {run.reason for run in runs} == {"mqtt_sn is not built yet"}
    assert len({run.run_id for run in runs}) == 6


def test_every_run_has_the_value_of_every_swept_column(load: Load) -> None:
    study = load(HEAD + SWEEP)
    swept = {item.column: item.unit for part in study.parts for item in part.swept}
    assert swept == {"path_loss": "fraction", "path_delay_around_ms": "ms"}
    for run in study.planned_runs():
        assert run.parameters.keys() == swept.keys()
        assert run.parameters["path_delay_around_ms"] in (0.0, 100.0)


@pytest.mark.parametrize(
    ("sweep", "column", "unit", "values"),
    [
        ("path.rate: [6.25 kB/s, 1 Mbit/s]", "path_rate_bit_per_s", "bit/s", [50_000, 10**6]),
        ("path.queue: [10 kB, 20 kB]", "path_queue_bytes", "bytes", [10_000, 20_000]),
        ("path.queue: [10 packets]", "path_queue_packets", "packets", [10]),
        ("path.queue: [10 packets, 1 kB]", "path_queue", "text", ["10 packets", "1 kB"]),
        ("traffic.report: [40 B, 80 B]", "traffic_report_bytes", "bytes", [40, 80]),
        ("traffic.arrivals: [periodic, poisson]", "traffic_arrivals", "text", None),
        ("path.reordering: [on, off]", "path_reordering", "text", ["on", "off"]),
        ("devices: [1, 10]", "devices", "count", [1, 10]),
        ("duration: [1 min, 2 min]", "duration_ms", "ms", [60_000.0, 120_000.0]),
        (
            "path.loss: [5 %, {packets: [1, 7]}]",
            "path_loss",
            "text",
            ["5 %", "{packets: [1, 7]}"],
        ),
        ("path.up.loss: [5 %]", "path_up_loss", "fraction", [0.05]),
        (
            "path.delay: [{pareto: {minimum: 5 ms, shape: 2.5}}]",
            "path_delay",
            "text",
            ["{pareto: {minimum: 5 ms, shape: 2.5}}"],
        ),
    ],
)
def test_a_column_carries_its_unit(
    sweep: str, column: str, unit: str, values: list[object] | None, load: Load
) -> None:
    text = (
        f"path: {{rate: 1 kB/s, delay: 1 ms}}\nstacks: [raw_udp]\nsweep: [{{name: x, {sweep}}}]\n"
    )
    study = load(HEAD + text + "repeat: 1\n")
    assert [(item.column, item.unit) for item in study.parts[0].swept] == [(column, unit)]
    found = [run.parameters[column] for run in study.planned_runs()]
    assert values is None or found == values


def test_a_base_that_is_no_number_leaves_a_number_column_empty(load: Load) -> None:
    text = "path: {loss: {packets: [3]}}\nstacks: [raw_udp]\nrepeat: 1\n"
    study = load(HEAD + text + "sweep: [{name: base}, {name: loss, path.loss: [1 %]}]\n")
    assert [run.parameters for run in study.planned_runs()] == [
        {"path_loss": None},
        {"path_loss": 0.01},
    ]


def test_without_a_sweep_there_is_one_part_called_base(load: Load) -> None:
    study = load(HEAD + "stacks: [raw_udp]\n")
    assert [(part.name, part.swept, part.points) for part in study.parts] == [("base", (), 1)]
    assert study.repeat == 5
    assert study.seed == 1


def test_the_first_key_of_a_grid_changes_slowest(load: Load) -> None:
    sweep = "sweep: [{name: x, path.loss: [1 %, 2 %], path.delay: [1 ms, 2 ms]}]\n"
    study = load(HEAD + "stacks: [raw_udp]\nrepeat: 1\n" + sweep)
    found = [tuple(run.parameters.values()) for run in study.planned_runs()]
    assert found == [(0.01, 1.0), (0.01, 2.0), (0.02, 1.0), (0.02, 2.0)]


def test_quick_caps_duration_drain_and_repetitions(load: Load) -> None:
    text = HEAD + "measure: {warm_up: 90 s}\nstacks: [raw_udp]\nrepeat: 9\n"
    study = load(text + "sweep: [{name: x, duration: [2 min, 4 min]}]\n", quick=True)
    assert study.conditions["duration"] == "1 min"
    runs = list(study.planned_runs())
    spec = json.loads(runs[0].spec_json)
    assert spec["flows"][0]["duration_ns"] == 60 * 10**9
    assert spec["measure"]["drain_ns"] == 30 * 10**9
    assert spec["measure"]["warm_up_ns"] == 15 * 10**9
    assert [run.repetition for run in runs] == [1, 2, 3, 4, 5]


def test_quick_leaves_a_short_study_as_it_is(load: Load) -> None:
    text = HEAD.replace("2 min", "5 s") + "stacks: [raw_udp]\nmeasure: {drain: 1 s}\nrepeat: 1\n"
    specs = [[run.spec_json for run in load(text, quick=quick).planned_runs()] for quick in (0, 1)]
    assert specs[0] == specs[1]


def test_the_source_hash_changes_with_the_content_and_not_with_its_form(load: Load) -> None:
    text = HEAD + SWEEP
    same = load(text).source_hash
    assert load("# a comment\n" + text).source_hash == same
    assert load(text.replace("10 %,", "10.0 %,")).source_hash == same
    assert load(text.replace("repeat: 2", "repeat: 3")).source_hash != same
    assert load(text, seed=2).source_hash != same
    assert load(text, overrides=[("path.mtu", "1400 B")]).source_hash != same


def test_decide_falls_on_the_first_part_when_it_names_none(load: Load) -> None:
    decide = "decide: {require: ['delivery_ratio >= 50 %'], minimise: latency_p50}\n"
    found = load(HEAD + SWEEP + decide).decide
    assert found is not None
    assert (found.part, found.column, found.maximise) == ("base", "latency_p50_ms", None)
    assert found.smallest_effect == 0.05
    assert [expression.text for expression in found.require] == ["delivery_ratio >= 50 %"]


def test_conditions_tell_the_base_in_words(load: Load) -> None:
    path = "path: {loss: 10 %, up: {rate: 6.25 kB/s}, nat: {udp: 120 s}, order: [delay, loss]}\n"
    conditions = load(HEAD + path + "stacks: [raw_udp]\n").conditions
    assert conditions["traffic"] == "report of 40 B every 1 s, each device at a moment of its own"
    assert conditions["loss"] == "10 %"
    assert conditions["rate up"] == "50 kbit/s (token bucket of 1600 B)"
    assert conditions["rate down"] == "unlimited"
    assert conditions["NAT"] == "UDP mappings time out after 2 min"
    assert conditions["order"] == "mtu, outage, delay, rate, loss, corrupt, duplicate"


OVERRIDES = {
    ("path.loss", "10"): '--set path.loss: "10" has no unit; write "10 %"',
    ("path.los", "1 %"): '--set path.los: unknown key "path.los"; did you mean "path.loss"?',
    ("path", "{loss: 10}"): '--set path: path.loss: "10" has no unit; write "10 %"',
    ("stacks", "[zigbee]"): '--set stacks: unknown stack "zigbee"; known stacks: ',
    ("repeat", "0"): '--set repeat: "0" is too small; write 1 or more',
    ("repeat", ""): '--set repeat: the key has no value; write "repeat: 5"',
    ("path.delay.around", "5 ms"): '--set path.delay.around: path.delay is "10 ms" in the study',
    ("path.loss", "[1"): "--set path.loss:1:3: not valid YAML: ",
    ("sweep", "[{name: x, path.loss: [5]}]"): '--set sweep: path.loss: "5" has no unit',
    ("flet", "{}"): '--set flet: unknown key "flet"; did you mean "fleet"?',
}


@pytest.mark.parametrize(("key", "value"), OVERRIDES)
def test_a_bad_override_names_the_option_and_the_key(key: str, value: str, load: Load) -> None:
    text = HEAD + "path: {delay: 10 ms}\nstacks: [raw_udp]\n"
    with pytest.raises(StudyError) as caught:
        load(text, overrides=[(key, value)])
    assert str(caught.value).startswith(OVERRIDES[key, value]), str(caught.value)


def test_overrides_replace_keys_in_turn(load: Load) -> None:
    overrides = [
        ("path.duplicate", "5 %"),
        ("duration", "60 s"),
        ("repeat", "3"),
        ("stacks", "[raw_udp, json_udp]"),
        ("path.delay.spread", "50 %"),
        ("repeat", "4"),
    ]
    study = load(HEAD + SWEEP, overrides=overrides)
    first = next(study.planned_runs())
    spec = json.loads(first.spec_json)
    assert spec["flows"][0]["duration_ns"] == 60 * 10**9
    assert spec["paths"]["path"]["hops"][0]["link"]["up"]["duplicate"] == {"probability": 0.05}
    delay = {"uniform": {"from_ns": 50_000_000, "to_ns": 150_000_000}}
    assert spec["paths"]["path"]["hops"][0]["link"]["down"]["delay"]["model"] == delay
    assert study.repeat == 4
    assert [stack.name for stack in study.stacks] == ["raw_udp", "json_udp"]


def test_loading_does_not_depend_on_the_working_directory(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trace.csv").write_text("time_s,delay_ms\n0,100\n1.5,20.5\n")
    here = load(HEAD + "path: {delay: {trace: trace.csv}}\nstacks: [raw_udp]\n")
    monkeypatch.chdir("/")
    assert load_study(tmp_path / "study.yaml").source_hash == here.source_hash


def test_alternatives_are_every_combination_in_order(load: Load) -> None:
    mqtt = "mqtt qos={1,0} tcp.nodelay_client={on, off}"
    written = f"stacks:\n  - raw_udp\n  - {mqtt}\n  - coap/{{udp,tcp}}\n"
    assert [stack.name for stack in load(HEAD + written).stacks] == [
        "raw_udp",
        "mqtt qos=1 tcp.nodelay_client=on",
        "mqtt qos=1 tcp.nodelay_client=off",
        "mqtt qos=0 tcp.nodelay_client=on",
        "mqtt qos=0 tcp.nodelay_client=off",
        "coap/udp",
        "coap/tcp",
    ]


def test_alternatives_are_the_arms_that_they_stand_for(load: Load) -> None:
    short = load(HEAD + "stacks: ['mqtt qos={0,1}']\n")
    long = load(HEAD + "stacks: [mqtt qos=0, mqtt qos=1]\n")
    assert list(short.planned_runs()) == list(long.planned_runs())
    assert short.source_hash == long.source_hash
