"""The studies and examples that are shipped load, and say what they are for."""

import json
from pathlib import Path

import pytest

from lasthop.errors import UsageError
from lasthop.study import load_study
from lasthop.study.forms.keys import known_keys
from lasthop.study.forms.schema import main, schema_text, study_schema
from lasthop.study.init.link import Answers, compose_study

from .shipped import EXAMPLES, ROOT, STUDIES


@pytest.mark.parametrize(
    "file", [*EXAMPLES, *STUDIES], ids=lambda file: str(file.relative_to(ROOT))
)
def test_a_shipped_study_loads_and_can_be_run(file: Path) -> None:
    study = load_study(file)
    assert any(run.supported for run in study.planned_runs())
    assert study.decide is not None
    assert len(load_study(file, quick=True)) <= len(study)


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
        (Answers(loss="10"), '--loss: "10" has no unit; write "10 %"'),
        (Answers(name="../x"), 'name: "../x" is not a name; *'),
        (Answers(kind="both"), '--kind: unknown value "both"; *'),
        (Answers(payload="4 B"), '--payload: "4 B" is too small; *'),
        (Answers(stacks=[]), "--stack: no stack is given; *"),
        (Answers(stacks=["zigbee"]), '--stack: unknown stack "zigbee"; *'),
        (
            Answers(stacks=["raw_udp", "raw_udp"]),
            '--stack: the stack "raw_udp" is written twice; *',
        ),
        (
            Answers(every="122 d"),
            '--every: 30 intervals of "122 d" are longer than the longest run; write "121 d"*',
        ),
        (Answers(minimise="speed"), 'minimise: unknown column "speed"; *'),
        (Answers(rate="1 kbps"), '--rate: "1 kbps" may mean bits or bytes; *'),
    ],
)
def test_a_bad_answer_is_named(answers: Answers, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        compose_study(answers)
    assert str(caught.value).startswith(message.rstrip("*"))
