"""A file of figures that cannot be drawn gets one line: where, what, and what to write."""

from pathlib import Path

import pytest

from lasthop.errors import StudyError
from lasthop.study.figures import figures_of

from .conftest import Load, matches

STUDY = """\
study: a
duration: 1 min
traffic: {report: 40 B, every: 1 s}
stacks: [raw_udp, json_udp]
figures: figures.yaml
sweep:
  - {name: loss, path.loss: [0 %, 10 %]}
  - {name: still}
  - {name: both, path.loss: [0 %, 20 %], path.delay: [5 ms, 10 ms]}
"""
AXIS = '{key: path.loss, title: loss, unit: "%"}'


def figure(**changed: str | None) -> str:
    """Give a figure with its lines replaced, added or left out."""
    lines = {
        "number": "figure 1",
        "title": "Latency",
        "part": "loss",
        "measure": "latency_mean",
        "unit": "ms",
        "axis": AXIS,
        "arms": "{UDP: raw_udp}",
        **changed,
    }
    written = [f"{key}: {value}" for key, value in lines.items() if value is not None]
    return "paper: P\nfigures:\n  - " + "\n    ".join(written) + "\n"


TABLE: dict[str, str | None] = {"measure": None, "unit": None, "axis": None, "part": "still"}

# Text of the figures, then the message after "figures.yaml:"; a star stands for anything.
CASES = {
    "an empty file": ("", '1:1: this file has no list of figures; begin with "paper:" and *'),
    "no list": ("paper: P\nfigures: 3\n", "2:10: *"),
    "a figure without its unit": (
        figure(unit=None),
        '6:5: the figure has no unit; write the unit of the paper, for example "unit: ms"',
    ),
    "a figure that shows nothing": (
        figure(measure=None),
        '3:5: the figure shows nothing; write "measure: latency_mean" and its unit, or *',
    ),
    "a unit of something else": (
        figure(unit="kB"),
        '7:11: "kB" is not a unit of latency_mean; write one of ns, us, ms, s, min, h, d, or *',
    ),
    "an axis in a unit of something else": (
        figure(axis="{key: path.loss, title: loss, unit: ms}"),
        '8:47: "ms" is not a unit of path.loss; write one of %, or add *',
    ),
    "a factor that is none": (
        figure(times="0"),
        '10:12: "0" is not a factor; write a number above 0, for example 0.001',
    ),
    "a capture of no arm": (
        figure(captured="{UPD: {10: 3}}"),
        '10:16: the figure has no stack with the legend "UPD"; did you mean "UDP"?',
    ),
    "a capture without its position": (
        figure(captured="{UDP: 3}"),
        "10:21: the position of the value on the axis is missing; *",
    ),
    "an unknown measure": (figure(measure="latency_men"), '6:14: unknown column "latency_men"; *'),
    "an unknown stack": (
        figure(arms="{UDP: raw_up}"),
        '9:17: the study has no stack "raw_up"; did you mean "raw_udp"?',
    ),
    "several points for one row": (
        figure(axis=None),
        '8:17: the arm fits several points; choose one: write "at: {path.loss: ...}"',
    ),
    "several points at one position": (
        figure(part="both"),
        "9:17: the arm fits several points at one position of the axis; choose one: *",
    ),
    "several points by a list of values": (
        figure(axis=None, arms="{UDP: {stack: raw_udp, at: {path.loss: [0 %, 10 %]}}}"),
        '8:17: the arm fits several points; choose one: write "at" with one value of each key',
    ),
    "a point that is not there": (
        figure(axis=None, arms="{UDP: {stack: raw_udp, at: {path.loss: 30 %}}}"),
        '8:17: the part has no point with these values; write values of its sweep in "at"',
    ),
    "an unknown part": (figure(part="los"), '9:17: the study has no part "los"; *'),
    "no part where there are several": (
        figure(part=None),
        '8:17: the arm has no part; write "part: loss"',
    ),
    "an axis that the part does not sweep": (
        figure(part="still"),
        '9:17: path.loss is not swept in the part "still"; add the key to the sweep of *',
    ),
    "a published value of another arm": (
        figure(published="{TCP: {0: 3}}"),
        '10:17: the figure has no stack with the legend "TCP"; *',
    ),
    "a published value without a position": (
        figure(published="{UDP: 3}"),
        '10:22: the position of the value on the axis is missing; write "UDP: {POSITION: 3}", *',
    ),
    "a position that is no number": (
        figure(published='{UDP: {"5 %": 3}}'),
        '10:23: "5 %" is not a position on the axis; write a number in %',
    ),
    "a published value with a unit": (
        figure(published="{UDP: {0: 3 ms}}"),
        '10:26: "3 ms" is not a published value; write a number in ms, or a bound *',
    ),
    "a position without an axis": (
        figure(axis=None, part="still", published="{UDP: {0: 3}}"),
        '9:22: values by position need an axis; write one value, or add "axis: {...}"',
    ),
    "a measure of a path without one": (
        figure(measure="path_rate_ethernet", unit="kbit/s"),
        '6:14: path_rate_ethernet needs a path; write "path: NAME" beside it',
    ),
    "a path of a measure of whole runs": (
        figure(path="wlan"),
        '6:14: "latency_mean" is not measured for each path; write one of path_rate_ethernet, *',
    ),
    "an arm of a table with a measure of its own": (
        figure(
            **TABLE | {"arms": "{UDP: {stack: raw_udp, measure: latency_p95}}"},
            columns="[{title: t, measure: latency_mean, unit: ms}]",
        ),
        "6:34: an arm of a table has the measures of its columns; remove it",
    ),
    "two figures of one number": (
        figure() + figure().partition("figures:\n")[2],
        '10:13: two figures have the number "figure 1"; rename one',
    ),
    "a table with a unit of its own": (
        figure(**TABLE | {"unit": "ms"}, columns="[{title: t, measure: latency_mean, unit: ms}]"),
        '6:5: a table has "unit" in its columns; move it into a column, or remove "columns"',
    ),
    "a column without its unit": (
        figure(**TABLE, columns="[{title: t, measure: latency_mean}]"),
        '7:15: the key "unit" is missing; write "unit: frames"',
    ),
    "measures of two units": (
        figure(measure="[latency_mean, wire_bytes_offered]"),
        "6:14: latency_mean and wire_bytes_offered have different units and cannot be added; *",
    ),
    "an arm to divide by that is not there": (
        figure(
            **TABLE, columns="[{title: t, measure: latency_mean, unit: times, relative_to: TCP}]"
        ),
        '7:75: the table has no arm "TCP"; *',
    ),
    "a figure that no run shows and that has arms": (
        figure(not_drawn="no run has it"),
        '6:5: both "measure" and "not_drawn" are given; remove one of them',
    ),
    "no legend": (
        figure(arms=None),
        '3:5: the key "arms" is missing; write the legend with its stacks, *',
    ),
    "an unknown word for how it is given": (figure(given="photo"), "10:12: *"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_bad_figure_is_one_line(load: Load, tmp_path: Path, case: str) -> None:
    text, message = CASES[case]
    (tmp_path / "figures.yaml").write_text(text)
    with pytest.raises(StudyError) as error:
        load(STUDY)
    told = str(error.value)
    assert "\n" not in told
    place, _, line = message.partition(": ")  # the path of the key stands between them
    assert matches(told.partition("figures.yaml:")[2], f"{place}: *{line}"), told


def test_a_missing_file_is_told_in_the_study(load: Load) -> None:
    with pytest.raises(StudyError) as error:
        load(STUDY)
    assert 'the file "figures.yaml" cannot be read' in str(error.value)


def test_arms_of_another_study_are_not_checked(load: Load, tmp_path: Path) -> None:
    text = figure(arms="{UDP: {stack: elsewhere, part: nowhere, study: another}}")
    (tmp_path / "figures.yaml").write_text(text)
    figures = load(STUDY).figures
    assert figures is not None
    assert figures.figures[0].arms[0].study == "another"


def test_a_unit_of_the_paper_is_read_from_that_of_the_results(load: Load, tmp_path: Path) -> None:
    (tmp_path / "figures.yaml").write_text(figure(unit="s", published='{UDP: {10: "> 2.5"}}'))
    figures = load(STUDY).figures
    assert figures is not None
    (column,) = figures.figures[0].columns
    assert column.factor == 1e-3
    told = column.published["UDP"][10.0]
    assert (told.value, told.side, told.text) == (2.5, "above", "> 2.5 s")


def test_a_legend_keeps_its_order_in_a_manifest(load: Load, tmp_path: Path) -> None:
    (tmp_path / "figures.yaml").write_text(
        figure(arms="{UDP: raw_udp, JSON: json_udp, A: raw_udp}")
    )
    figures = load(STUDY).figures
    assert figures is not None
    again = figures_of({"name": "a", "figures": figures.written})
    assert again is not None
    assert list(again.legends) == ["UDP", "JSON", "A"]
