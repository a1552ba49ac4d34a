"""Reports that are for every device of a group, from the study to the results."""

from pathlib import Path

import polars as pl
import pytest

import lasthop

STUDY = """\
study: ward
duration: 1 min
measure: {messages: each}
repeat: 1
paths:
  bad: {delay: 50 ms, loss: 10 %}
  good: {delay: 10 ms}
servers: {hub: {}}
fleet:
  patients: {count: 2, path: good, stack: STACK}
  caregivers: {count: 3, path: bad, stack: STACK}
traffic:
  vitals: {from: patients, to: all of caregivers, report: 40 B, every: 1 s, start: 20 s}
"""


def ward(stack: str, folder: Path) -> lasthop.Results:
    study = folder / "study.yaml"
    study.write_text(STUDY.replace("STACK", stack))
    return lasthop.run(study, out=folder / "results")


@pytest.mark.parametrize("stack", ["mqtt qos=1", "dds"])
def test_each_device_of_the_group_gets_each_report(stack: str, tmp_path: Path) -> None:
    results = ward(stack, tmp_path)
    assert results.runs["delivery_ratio"].to_list() == [1.0]
    by_receiver = results.messages.group_by("device", "receiver")
    counts = by_receiver.agg(pl.col("status").unique(), pl.len())
    assert sorted(counts.rows()) == [
        (patient, caregiver, ["delivered"], 60) for patient in range(2) for caregiver in range(3)
    ]


def test_what_one_lacks_another_has(tmp_path: Path) -> None:
    messages = ward("json_udp", tmp_path).messages
    assert len(messages) == 2 * 60 * 3
    by_message = messages.group_by("device", "message").agg(pl.col("delivered_ns").count())
    assert {1, 2, 3} >= set(by_message["delivered_ns"].unique()) >= {2, 3}


def test_all_is_said_of_whom_a_report_is_for_alone(tmp_path: Path) -> None:
    for wrong, told in (
        ("from: all of patients, to: caregivers", 'write "from: patients"'),
        ("from: patients, to: all of hub", 'write "to: hub"'),
    ):
        study = tmp_path / "study.yaml"
        text = STUDY.replace("STACK", "mqtt qos=1")
        study.write_text(text.replace("from: patients, to: all of caregivers", wrong))
        with pytest.raises(lasthop.LasthopError, match=told):
            lasthop.run(study, out=tmp_path / "results")
        assert not (tmp_path / "results").exists()
