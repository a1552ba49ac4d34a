"""The gallery of the papers: its page and its pictures are of the figures that studies name."""

import pytest
from docs import gallery


def test_the_page_is_what_the_command_writes() -> None:
    assert gallery.PAGE.read_text(encoding="utf-8") == gallery.page()


def test_each_figure_with_a_chart_has_a_picture_and_no_other_is_there() -> None:
    wanted = {
        file.name
        for paper in gallery.PAPERS
        for figure in gallery.figures_of(paper)
        if (file := gallery.picture_of(paper, figure)) is not None
    }
    assert {file.name for file in gallery.PICTURES.iterdir()} == wanted


@pytest.mark.parametrize("paper", gallery.PAPERS, ids=lambda paper: paper.study)
def test_a_picture_has_the_axis_and_the_legend_of_the_paper(paper: gallery.Paper) -> None:
    for figure in gallery.figures_of(paper):
        file = gallery.picture_of(paper, figure)
        if file is None:
            continue
        svg = file.read_text(encoding="utf-8")
        (column,) = figure.columns
        assert f"({column.unit})</text>" in svg, file.name
        if figure.axis is not None:
            assert f"{figure.axis.title} ({figure.axis.unit})</text>" in svg, file.name
        away = {arm.legend for arm in figure.arms if arm.study in paper.not_run}
        unbuilt = {arm.legend for arm in figure.arms if "rtps_tcp" in arm.stack}
        for arm in figure.arms:
            if arm.legend not in away | unbuilt:
                assert arm.legend in svg, (file.name, arm.legend)
