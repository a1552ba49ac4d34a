"""The figures of the five papers, as their studies name them."""

import math
import runpy
from functools import cache
from pathlib import Path

import pytest

from lasthop.cli.shipped import find_study
from lasthop.study import Study, load_study
from lasthop.study.figures.figure import PaperArm, PaperFigure, arm_of
from lasthop.study.plan.study import Point

STUDIES = Path(__file__).parents[3] / "studies"
NUMBERS = {
    "chen-kunz-2016": [f"figure {number}" for number in range(6, 14)],
    "emqx-quic-2022": [
        "client connection latency, 1 ms",
        "client connection latency, 10 ms",
        "client connection latency, 30 ms",
        "0 RTT reconnection latency",
        "server resource usage",
        "client address migration",
        "network packet loss test",
    ],
    "google-http-mqtt": [
        "chart 1",
        "table 1",
        "table 2, MQTT",
        "table 2, HTTP",
        "chart 2",
        "chart 3",
    ],
    "larmo-2019": ["figure 2a", "figure 2b", "figure 3", "figure 4"],
    "yudayev-2019": [f"figure {number}" for number in (14, 15, 16, 17, 19, 20, 21, 22, 24, 25)],
}
"""What each paper has results in, by its numbers or headings."""


@cache
def named(study: str) -> Study:
    return load_study(find_study(study))


def figures_of_paper(study: str) -> tuple[PaperFigure, ...]:
    figures = named(study).figures
    assert figures is not None
    return figures.figures


def points_of(arm: PaperArm) -> list[Point]:
    study = named(arm.study)
    assert arm.stack in [stack.name for stack in study.stacks]
    return [
        point
        for point in study.points
        if point.part == arm.part
        and all(
            any(one.holds(dict(point.parameters)) for one in place.comparisons) for place in arm.at
        )
    ]


@pytest.mark.parametrize("study", NUMBERS)
def test_every_figure_with_results_is_there(study: str) -> None:
    assert [figure.number for figure in figures_of_paper(study)] == NUMBERS[study]


@pytest.mark.parametrize("study", NUMBERS)
def test_every_arm_has_its_points(study: str) -> None:
    for figure in figures_of_paper(study):
        for arm in figure.arms:
            for column in figure.columns:
                points = points_of(arm_of(arm, column))
                assert points if figure.axis else len(points) == 1, (figure.number, arm.legend)


@pytest.mark.parametrize("study", NUMBERS)
def test_every_published_value_stands_where_a_run_is(study: str) -> None:
    for figure in figures_of_paper(study):
        if figure.axis is None:
            continue
        (column,) = figure.columns
        names = figure.axis.place.columns
        for arm in figure.arms:
            here = {
                float(value) * figure.axis.factor
                for point in points_of(arm)
                for name, value in point.parameters.items()
                if name in names and isinstance(value, int | float)
            }
            for position in column.published.get(arm.legend, {}):
                assert position is not None
                assert any(math.isclose(position, x) for x in here), (figure.number, position)


def test_figure_25_has_the_rows_that_the_program_prints() -> None:
    paper = runpy.run_path(str(STUDIES / "yudayev-2019" / "rows.py"))["PAPER"]
    figure = figures_of_paper("yudayev-2019")[-1]
    names = {"qos 0": "MQTT QoS 0", "qos 1": "MQTT QoS 1", "qos 2": "MQTT QoS 2"}
    names |= {"coap": "CoAP", "http": "HTTP"}
    for (stack, clients), row in paper.items():
        legend = f"{names[stack]}, {clients} client{'s' if clients > 1 else ''}"
        values = [column.published[legend][None].value for column in figure.columns[1:]]
        assert values == pytest.approx(list(row), abs=0.002)
    on_lwip = [arm for arm in figure.arms if "-live" in arm.study]
    assert len(figure.arms) - len(on_lwip) == len(on_lwip) == len(paper)
