"""Whatever file is named as a study, the answer is a study or one line."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lasthop.errors import StudyError, UsageError
from lasthop.study import Study, load_study

HEAD = "study: a\nduration: 1 min\ntraffic: {report: 40 B, every: 1 s}\nstacks: [raw_udp]\n"


def test_a_file_that_is_not_utf8_is_refused_with_the_byte(tmp_path: Path) -> None:
    file = tmp_path / "latin.yaml"
    file.write_bytes("study: a\ntitle: Überland\n".encode("latin-1"))
    with pytest.raises(StudyError, match=r"latin\.yaml:2:8: byte 0xdc is not UTF-8; save"):
        load_study(file)


def test_a_file_of_100_mb_is_refused_and_not_read(tmp_path: Path) -> None:
    file = tmp_path / "large.yaml"
    with file.open("wb") as large:
        large.truncate(100 * 1000 * 1000)
    tracemalloc.start()
    try:
        with pytest.raises(StudyError, match="is larger than 1024 KiB"):
            load_study(file)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (".", "is a folder, not a file; write the name of the study file in it"),
        ("none.yaml", "there is no such file"),
        ("a\0b", "is not a file name"),
        ("x" * 300, "File name too long; write the name of a study file"),
        ("/dev/zero", "is a device, not a file; write the name of a study file"),
    ],
)
def test_what_is_no_study_file_is_a_usage_error(
    name: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=expected) as caught:
        load_study(name)
    assert caught.value.exit_code == 2


def test_a_misspelt_file_is_asked_for_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "my-study.yaml").write_text(HEAD)
    wrong, right = tmp_path / "my-studdy.yaml", tmp_path / "my-study.yaml"
    with pytest.raises(UsageError) as caught:
        load_study(wrong)
    assert str(caught.value) == f'{wrong}: there is no such file; did you mean "{right}"?'


def test_a_trace_with_a_bad_row_names_the_file_and_the_line(
    load: Callable[..., Study], tmp_path: Path
) -> None:
    (tmp_path / "trace.csv").write_text("time_s,delay_ms\n0,100\n1,fast\n")
    with pytest.raises(
        StudyError, match=r"path\.delay\.trace: trace\.csv:3: the row is not two numbers; write"
    ):
        load(HEAD + "path: {delay: {trace: trace.csv}}\n")


def outcome(load: Callable[..., Study], text: str) -> str:
    """Give the error of a study, or how many runs it plans."""
    try:
        study = load(text)
    except StudyError as error:
        return str(error)
    assert len(list(study.planned_runs())) == len(study)
    return f"runs: {len(study)}"


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.text(max_size=200))
def test_any_text_loads_or_gets_one_line(text: str, load: Callable[..., Study]) -> None:
    assert "\n" not in outcome(load, text)


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from(["10 %", "250 ms", "409 B", "50 kbit/s", "on", "raw_udp", "x.csv", ""]),
    st.text(alphabet="ab01 %.:-", max_size=6),
)
WORDS = st.sampled_from(
    [
        "loss",
        "delay",
        "rate",
        "queue",
        "up",
        "down",
        "nat",
        "udp",
        "order",
        "outages",
        "start",
        "for",
        "every",
        "around",
        "spread",
        "uniform",
        "from",
        "to",
        "gilbert_elliott",
        "good",
        "bad",
        "packets",
        "trace",
        "shared",
        "mtu",
        "burst",
        "x",
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=8,
)


def flow(value: object) -> str:
    """Write a value as YAML flow."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    if isinstance(value, str):
        return f"'{value}'"
    return str(value).lower() if isinstance(value, bool) else str(value or 0)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    path=VALUES,
    key=st.sampled_from(["path", "traffic", "measure", "sweep", "decide", "expect", "devices"]),
)
def test_any_structure_loads_or_gets_one_line(
    path: object, key: str, load: Callable[..., Study]
) -> None:
    head = HEAD if key != "traffic" else "study: a\nduration: 1 s\nstacks: [raw_udp]\n"
    message = outcome(load, f"{head}{key}: {flow(path)}\n")
    assert "\n" not in message
    assert message.startswith(("runs: ", "study.yaml:"))
