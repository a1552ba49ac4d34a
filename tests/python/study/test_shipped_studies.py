"""The studies and examples that are shipped load, and say what they are for."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from lasthop import _native
from lasthop.errors import UsageError
from lasthop.study import Study, load_study
from lasthop.study.init import Answers, compose_study
from lasthop.study.keys import known_keys
from lasthop.study.schema import main, schema_text, study_schema
from lasthop.study.software import LIVE

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
STUDIES = sorted((ROOT / "studies").glob("*/study.yaml"))
BESIDE = sorted(
    file
    for file in (ROOT / "studies").glob("*/*.yaml")
    if file.name != "study.yaml" and not file.name.startswith(("published", "multiverse"))
)
FEWER = {
    "emqx-quic-2022": [("devices", "50")],
    "emqx-quic-2022-live": [("devices", "10")],
    "emqx-quic-2022-busy-server": [("fleet.clients.count", "10")],
    "emqx-quic-2022-weak-network": [("duration", "300 ms")],
    "yudayev-2019-update": [("traffic.firmware.start", "1 s")],
    "yudayev-2019-wlan": [("traffic.control.start", "1 s")],
}
"""What makes the runs of a study small that are no shorter in a quick look."""
MULTIVERSES = sorted((ROOT / "studies").glob("*/multiverse*.yaml"))


def simulated(
    file: Path, *, overrides: Sequence[tuple[str, str]] = (), quick: bool = False
) -> Study:
    """Load a study with our own servers in place of real software, which needs namespaces."""
    is_live = load_study(file).points[0].conditions["engine"] == LIVE
    virtual = [("engine", "virtual")] if is_live else []
    return load_study(file, overrides=[*overrides, *virtual], quick=quick, modelled=True)


@pytest.mark.parametrize(
    "file", [*EXAMPLES, *STUDIES], ids=lambda file: str(file.relative_to(ROOT))
)
def test_a_shipped_study_loads_and_can_be_run(file: Path) -> None:
    study = load_study(file)
    assert any(run.supported for run in study.planned_runs())
    assert study.decide is not None
    assert len(load_study(file, quick=True)) <= len(study)


@pytest.mark.parametrize(
    "file", [*EXAMPLES, *STUDIES], ids=lambda file: str(file.relative_to(ROOT))
)
def test_every_run_spec_of_a_shipped_study_is_one_that_rust_runs(file: Path) -> None:
    fewer = FEWER.get(file.parent.name, ())
    planned = simulated(file, overrides=fewer, quick=True).planned_runs()
    runs = [run for run in planned if run.supported]
    for run in runs:
        if run.repetition == 1:
            _native.simulate(run.spec_json, run_id=run.run_id)


@pytest.mark.parametrize("file", MULTIVERSES, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_arm_of_a_multiverse_is_one_that_rust_runs(file: Path) -> None:
    study = load_study(file, overrides=[("duration", "1 s"), ("repeat", "1")])
    assert study.multiverse is not None
    for run in study.planned_runs():
        if run.supported:
            _native.simulate(run.spec_json, run_id=run.run_id)


@pytest.mark.parametrize("file", BESIDE, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_run_beside_a_study_is_one_that_rust_runs(file: Path) -> None:
    study = load_study(file)
    swept = {parameter.key for part in study.parts for parameter in part.swept}
    short = {"duration": "3 s", "measure.warm_up": "0 s", "measure.drain": "5 s"}
    less = {key: value for key, value in short.items() if key not in swept}
    less |= {"repeat": "1", **dict(FEWER.get(study.name, []))}
    for run in simulated(file, overrides=list(less.items())).planned_runs():
        if run.supported:
            _native.simulate(run.spec_json, run_id=run.run_id)
        else:  # a stack of a paper that is said not to run
            assert "not built yet" in str(run.reason)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name)
def test_an_example_begins_with_what_it_demonstrates(file: Path) -> None:
    assert file.read_text().startswith("# Demonstrates: ")
    assert load_study(file).name == file.stem


def test_the_schema_in_the_reference_is_up_to_date() -> None:
    assert main(["--check", str(ROOT / "docs/reference/study.schema.json")]) == 0


def test_an_old_schema_is_found_and_written_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "reference" / "study.schema.json"
    assert main(["--check", str(file)]) == 1
    assert "out of date" in capsys.readouterr().err
    assert main([str(file)]) == 0
    assert main(["--check", str(file)]) == 0
    assert file.read_text() == schema_text()


def test_the_schema_describes_every_key_of_a_study() -> None:
    schema = study_schema()
    forms = [schema["$defs"][name] for name in ("ShortForm", "LongForm")]
    top = {key for key in known_keys() if "." not in key}
    assert set().union(*(form["properties"] for form in forms)) == top
    assert not any(form["additionalProperties"] for form in forms)
    for definition in schema["$defs"].values():
        for key, described in definition["properties"].items():
            assert described.get("description") or "$ref" in described, key


@pytest.mark.parametrize(
    "answers",
    [
        Answers(),
        Answers(
            kind="report", rate="50 kbit/s", stacks=["raw_udp"], minimise="control_bytes_per_100"
        ),
        Answers(name="b", kind="command", payload="8 B", loss="0 %", delay="0 ms", duration="1 h"),
    ],
)
def test_a_composed_study_loads(answers: Answers, tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(compose_study(answers))
    study = load_study(file)
    assert study.name == answers.name
    assert [stack.name for stack in study.stacks] == list(answers.stacks)
    run = next(study.planned_runs())
    assert json.loads(run.spec_json)["flows"][0]["kind"] == answers.kind


@pytest.mark.parametrize(
    ("every", "duration_s"), [("250 ms", 600), ("20 s", 600), ("21 s", 630), ("1 d", 30 * 86_400)]
)
def test_a_composed_study_sends_thirty_messages_at_least(
    every: str, duration_s: int, tmp_path: Path
) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(compose_study(Answers(every=every)))
    (point, *_) = load_study(file).points
    assert point.conditions["flows"][0]["duration_ns"] == duration_s * 10**9


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (Answers(loss="10"), 'loss: "10" has no unit; write "10 %"'),
        (Answers(name="../x"), 'name: "../x" is not a name; *'),
        (Answers(kind="both"), 'kind: unknown word "both"; *'),
        (Answers(payload="4 B"), 'payload: "4 B" is too small; *'),
        (Answers(stacks=[]), "stacks: none is named; *"),
        (Answers(stacks=["zigbee"]), 'stacks: unknown stack "zigbee"; *'),
        (Answers(stacks=["raw_udp", "raw_udp"]), 'stacks: the stack "raw_udp" stands twice; *'),
        (
            Answers(every="122 d"),
            'every: 30 times "122 d" is more than a run lasts; write "121 d"*',
        ),
        (Answers(minimise="speed"), 'minimise: unknown column "speed"; *'),
        (Answers(rate="1 kbps"), 'rate: "1 kbps" can be read in two ways; *'),
    ],
)
def test_a_bad_answer_is_named(answers: Answers, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        compose_study(answers)
    assert str(caught.value).startswith(message.rstrip("*"))
