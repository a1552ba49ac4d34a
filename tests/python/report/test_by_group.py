"""The page of a fleet shows each stratum under the answer."""

from dataclasses import replace
from pathlib import Path

import pytest

import lasthop
from lasthop.report.by_group import by_group_section, by_group_table
from lasthop.report.styles import stack_styles
from lasthop.report.write import write_report

from .test_page import Page

STUDY = """\
study: meters
duration: 30 min
stacks: [raw_udp, raw_udp ack=on ack_timeout=30s]
fleet: {meters: {count: 8, path: cell, server: head_end}}
paths: {cell: {nbiot: {coupling_loss: {144 dB: 50 %, 164 dB: 50 %}}}}
servers: {head_end: {}}
traffic: {index: {from: meters, report: 96 B, every: 5 min}}
repeat: 3
decide: {minimise: latency_p95}
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small fleet that was really run."""
    folder = tmp_path_factory.mktemp("fleet")
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    lasthop.run(folder / "study.yaml", out=folder / "results", jobs=1)
    return folder / "results"


def page_of(folder: Path) -> Page:
    """Write a report and read it."""
    return Page(write_report([folder], out=folder / "report.html").read_text(encoding="utf-8"))


def test_each_stratum_has_its_rows_and_intervals(results: Path) -> None:
    said = page_of(results).text
    table = said[said.index("By stratum") :]
    near, far = table.index("144 dB"), table.index("164 dB")
    assert near < far
    assert "Battery life" in table[:near]
    assert "range of 3 runs" in table[far:]


def test_the_card_says_whether_strata_differ(results: Path) -> None:
    found = lasthop.Results(results).by_group
    assert found is not None
    said = (
        "The answer differs for" if found.differing else "The answer is the same for each stratum"
    )
    assert said in page_of(results).text


def test_the_figures_are_those_of_the_table_of_groups(results: Path) -> None:
    read = lasthop.Results(results)
    assert read.by_group is not None
    for point in read.by_group.decision.points:
        (stratum,) = read.by_group.place(point)
        rows = read.groups.filter(stratum=stratum)
        assert sorted(rows["latency_p95_ms"]) == sorted(point.point.rows["latency_p95_ms"])


def test_a_table_that_is_long_is_folded_and_a_short_one_is_not(results: Path) -> None:
    found = lasthop.Results(results).by_group
    assert found is not None
    styles = stack_styles(found.decision.points[0].in_order)
    assert by_group_section(found, styles) is None
    points = found.decision.points * 4
    long = replace(found, decision=replace(found.decision, points=points))
    assert by_group_table(long, styles) == ""
    section = by_group_section(long, styles)
    assert section is not None
    assert not section.opened
    assert (section.title, section.digest) == ("By stratum", f"{len(points)} places")
    assert section.body.count("<tr") == 1 + sum(len(point.in_order) for point in points)


@pytest.mark.parametrize(("times", "folds"), [(5, 0), (6, 1)])
def test_a_long_table_opens_with_at_most_20_rows(results: Path, times: int, folds: int) -> None:
    """Each of the two strata has two rows."""
    found = lasthop.Results(results).by_group
    assert found is not None
    styles = stack_styles(found.decision.points[0].in_order)
    points = tuple(replace(point) for _ in range(times) for point in found.decision.points)
    long = replace(found, decision=replace(found.decision, points=points))
    section = by_group_section(long, styles)
    assert section is not None
    opened, _, rest = str(section.body).partition("<details>")
    assert opened.count("<tr>") == 1 + 20
    assert rest.count("<summary>") == folds
    assert ("2 more places" in rest) == bool(folds)
