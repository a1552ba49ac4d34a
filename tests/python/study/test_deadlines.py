"""Deadlines, ages and recoveries that a study asks for: what is accepted, noted and refused."""

import json
from collections.abc import Callable

import pytest

from lasthop.errors import StudyError
from lasthop.study import Study

Load = Callable[..., Study]

STUDY = """\
study: timely
duration: 10 min
path: {{delay: 100 ms}}
traffic: {{report: 50 B, every: 10 s{more}}}
stacks: [raw_udp]
{asked}
"""


RECOVERED = 'minimise: latency_p95, require: ["recovery_p95 <= 1 min"]'


def loaded(load: Load, more: str = "", asked: str = "") -> Study:
    return load(STUDY.format(more=more, asked=asked))


def test_a_deadline_is_in_the_run_spec_and_no_deadline_is_not(load: Load) -> None:
    specs = [
        json.loads(next(loaded(load, more).planned_runs()).spec_json)
        for more in ("", ", within: 90 s")
    ]
    flows = [spec["flows"][0] for spec in specs]
    assert "within_ns" not in flows[0]
    assert flows[1] == {**flows[0], "within_ns": 90 * 10**9}


@pytest.mark.parametrize(
    ("more", "asked", "what"),
    [
        (", within: 0 s", "", "too small"),
        (", within: 90", "", "unit"),
        (", within: soon", "", "soon"),
        ("", "decide: {maximise: in_time_ratio}", "no flow has a time for delivery"),
        ("", 'expect: ["in_time_ratio >= 99 %"]', "no flow has a time for delivery"),
        ("", f"decide: {{{RECOVERED}}}", "the study has no events"),
        ("", "decide: {minimise: recovery_p50}", "the study has no events"),
        (", within: 1 s", 'expect: ["in_time_ratio >= 99"]', "99"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_line(
    load: Load, more: str, asked: str, what: str
) -> None:
    with pytest.raises(StudyError, match=what) as fault:
        loaded(load, more, asked)
    assert "\n" not in str(fault.value).replace("\n  hint", " hint")


def test_devices_that_come_and_go_have_no_age(load: Load) -> None:
    text = (
        "study: coming\nduration: 10 min\ndevices: {arrive: 1 /s}\n"
        "path: {nbiot: {coupling_loss: 144 dB}}\ntraffic: {report: 25 B}\nstacks: [raw_udp]\n"
        "decide: {minimise: age_of_information_mean}\n"
    )
    with pytest.raises(StudyError, match="devices that come and go send one message each"):
        load(text)


def test_a_deadline_beyond_the_drain_is_noted(load: Load) -> None:
    (note,) = loaded(load, ", within: 15 min").notes
    assert note == (
        "traffic.within: messages have 15 min, but the run ends 2 min after the last one is due, "
        "so a message that is still on its way then counts as late; "
        'write "measure: {drain: 15 min}"'
    )
    assert not loaded(load, ", within: 2 min").notes
