"""Strata of a real fleet come from a CSV file, and a file that cannot be right is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from lasthop.errors import StudyError

from .conftest import Load, matches

STUDY = """\
study: survey
duration: 10 min
stacks: [coap, mqtt qos=1]
fleet:
  meters: {count: 2000, simulate: 20, path: cell, server: head_end}
paths:
  cell: {nbiot: {coupling_loss: LOSS}}
servers: {head_end: {}}
traffic:
  index: {from: meters, report: 96 B, every: 1 min}
"""


def strata(load: Load, written: str, survey: str) -> list[tuple[str, int, float]]:
    """The strata of the one group: name, simulated devices, weight."""
    Path("survey.csv").write_text(survey)
    study = load(STUDY.replace("LOSS", written))
    run = next(iter(study.planned_runs()))
    (group,) = json.loads(run.spec_json)["groups"]
    found: list[dict[str, Any]] = group["strata"]
    return [(one["name"], one["devices"], one["weight"]) for one in found]


def test_devices_are_counted_in_steps_of_coupling_loss(load: Load) -> None:
    survey = "coupling_loss_db,devices\n131.2,1000\n144,800\n146.4,100\n163,100\n"
    expected = [("130 dB", 10, 100.0), ("145 dB", 9, 100.0), ("165 dB", 1, 100.0)]
    assert strata(load, "{from: survey.csv}", survey) == expected
    finer = strata(load, "{from: survey.csv, step: 1 dB}", survey)
    assert [name for name, _, _ in finer] == ["131 dB", "144 dB", "146 dB", "163 dB"]


def test_a_survey_is_the_mapping_of_its_shares(load: Load) -> None:
    survey = "coupling_loss_db,share\n145,80 %\n165,20 %\n"
    shares = strata(load, "{from: survey.csv}", survey)
    assert shares == strata(load, "{145 dB: 80 %, 165 dB: 20 %}", survey)


def test_a_line_without_a_number_is_one_device(load: Load) -> None:
    survey = "device,coupling_loss_db\nm1,145\nm2,145\nm3,165\nm4 , 145 dB\n"
    assert strata(load, "{from: survey.csv}", survey) == [
        ("145 dB", 15, 100.0),
        ("165 dB", 5, 100.0),
    ]


def test_rsrp_is_the_power_of_a_reference_symbol_less_the_loss(load: Load) -> None:
    survey = "rsrp_dbm\n-116\n-116 dBm\n-136\n"
    found = strata(load, "{from: survey.csv, nrs_power: 29 dBm}", survey)
    assert [name for name, _, _ in found] == ["145 dB", "165 dB"]
    assert sum(devices * weight for _, devices, weight in found) == pytest.approx(2000)


def test_a_coverage_level_stands_for_a_coupling_loss(load: Load) -> None:
    survey = "coverage_level,share\n0,70 %\nCE1,25 %\n2,5 %\n"
    levels = "{from: survey.csv, levels: [130 dB, 149 dB, 159 dB], step: 1 dB}"
    found = strata(load, levels, survey)
    assert [(name, devices) for name, devices, _ in found] == [
        ("130 dB", 14),
        ("149 dB", 5),
        ("159 dB", 1),
    ]


def test_shares_of_thirds_sum_to_the_fleet(load: Load) -> None:
    survey = "coupling_loss_db\n130\n140\n150\n"
    found = strata(load, "{from: survey.csv}", survey)
    assert sum(devices * weight for _, devices, weight in found) == pytest.approx(2000)


def test_a_changed_survey_is_another_study(load: Load) -> None:
    study = STUDY.replace("LOSS", "{from: survey.csv}")
    hashes = []
    for loss in (130, 140):
        Path("survey.csv").write_text(f"coupling_loss_db\n{loss}\n160\n")
        hashes.append(load(study).source_hash)
    assert hashes[0] != hashes[1]


# What is written, the file, and the message after "study.yaml:7:".
BAD = {
    "no such file": (
        "{from: others.csv}",
        "",
        '*coupling_loss.from: the file "others.csv" cannot be read; write the name of a CSV file *',
    ),
    "a file outside the folder": (
        "{from: ../survey.csv}",
        "",
        '*from: the file "../survey.csv" is outside the folder of the study; move it *',
    ),
    "an unknown column": (
        "{from: survey.csv}",
        "coupling_los_db,devices\n144,20\n",
        '*survey.csv:1: unknown column "coupling_los_db"; did you mean "coupling_loss_db"?',
    ),
    "semicolons": (
        "{from: survey.csv}",
        "coupling_loss_db;devices\n144,5;20\n",
        "*survey.csv:1: the columns are separated by semicolons; separate columns by commas, *",
    ),
    "no column for the coverage": (
        "{from: survey.csv}",
        "devices\n20\n",
        "*survey.csv:1: the header has no column for the coverage of a device; add one of *",
    ),
    "two columns for the coverage": (
        "{from: survey.csv}",
        "coupling_loss_db,rsrp_dbm\n144,-115\n",
        "*survey.csv:1: the header has coupling_loss_db and rsrp_dbm; keep one of them",
    ),
    "an unknown unit": (
        "{from: survey.csv, nrs_power: 29 dBm}",
        "rsrp_dbm\n-85 dBW\n",
        '*survey.csv:2: "-85 dBW" is not in dBm; write a number in dBm, for example -110',
    ),
    "RSRP in the column of losses": (
        "{from: survey.csv}",
        "coupling_loss_db\n-110\n",
        "*survey.csv:2: a coupling loss of -110 dB; write RSRP in a column rsrp_dbm",
    ),
    "RSRP without the power of the cell": (
        "{from: survey.csv}",
        "rsrp_dbm\n-110\n",
        '*survey.csv has a column "rsrp_dbm", and the key "nrs_power" is missing; write *',
    ),
    "a power without RSRP": (
        "{from: survey.csv, nrs_power: 29 dBm}",
        "coupling_loss_db\n144\n",
        '*"nrs_power" has no effect, because survey.csv has a column "coupling_loss_db"; remove it',
    ),
    "a level that does not exist": (
        "{from: survey.csv, levels: [130 dB, 149 dB]}",
        "coverage_level\n2\n",
        '*survey.csv:2: "2" is not a coverage level; known levels: 0, 1',
    ),
    "shares that do not sum": (
        "{from: survey.csv}",
        "coupling_loss_db,share\n144,80 %\n164,10 %\n",
        "*survey.csv: the shares sum to 90 %, not to 100 %; write shares that sum to 100 %, *",
    ),
    "a share without a unit": (
        "{from: survey.csv}",
        "coupling_loss_db,share\n144,80\n164,20\n",
        '*survey.csv:2: "80" has no unit; write "80 %"',
    ),
    "no devices": (
        "{from: survey.csv}",
        "coupling_loss_db,devices\n144,0\n",
        '*survey.csv:2: "0" is not a number of devices; write 1 or more',
    ),
    "a row that is too short": (
        "{from: survey.csv}",
        "coupling_loss_db,devices\n144\n",
        "*survey.csv:2: 1 cells under a header of 2; give each row a cell for each column",
    ),
    "no rows": (
        "{from: survey.csv}",
        "coupling_loss_db,devices\n",
        "*survey.csv:2: the file has no rows; write a row such as *",
    ),
    "an empty file": (
        "{from: survey.csv}",
        "",
        "*survey.csv:1: the header is missing; write *",
    ),
    "a step of nothing": (
        "{from: survey.csv, step: 0 dB}",
        "coupling_loss_db\n144\n",
        '*step: a stratum has no width; write "step: 5 dB"',
    ),
    "too many strata": (
        "{from: survey.csv, step: 0.1 dB}",
        "coupling_loss_db\n" + "".join(f"{100 + number / 2}\n" for number in range(101)),
        "*survey.csv makes 101 strata of 0.1 dB; choose a greater step, *",
    ),
    "more strata than simulated devices": (
        "{from: survey.csv}",
        "coupling_loss_db\n" + "".join(f"{60 + 5 * number}\n" for number in range(21)),
        "*21 strata with at least 1 devices each need 21 devices, but only 20 are simulated; *",
    ),
    "an unknown key": (
        "{from: survey.csv, steps: 5 dB}",
        "coupling_loss_db\n144\n",
        '*unknown key "steps"; did you mean "step"?',
    ),
}


@pytest.mark.parametrize(("written", "survey", "expected"), BAD.values(), ids=BAD)
def test_a_survey_that_cannot_be_right_is_refused(
    load: Load, written: str, survey: str, expected: str
) -> None:
    Path("survey.csv").write_text(survey)
    with pytest.raises(StudyError) as caught:
        load(STUDY.replace("LOSS", written))
    assert matches(str(caught.value), f"study.yaml:{expected}"), str(caught.value)
