"""Claims in the report: a table, every finding, and the published figures among ours."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pytest

from lasthop.answer.decision import decide
from lasthop.claims import claims_of, judge
from lasthop.outcome.results import Results
from lasthop.report.figures import Figure, all_figures, panel_spec
from lasthop.report.source import read_source

from .conftest import WriteResults
from .synthetic import SyntheticStudy, synthetic_study
from .test_page import EVIL, page_of


def claim(**changed: Any) -> dict[str, Any]:  # noqa: ANN401  as written in a file
    """Give a claim on the mean latency of one stack at each loss."""
    rule = {"column": "latency_mean", "stacks": ["raw_udp"], "part": "loss", "equals": "210 ms"}
    name, kind = changed.pop("id", "A1"), changed.pop("kind", "value")
    rule = {key: value for key, value in (rule | changed).items() if value is not None}
    return {"id": name, "kind": kind, "what": "as late as the network", "rules": [rule]}


def figures_of(write_results: WriteResults, claims: Sequence[Mapping[str, Any]]) -> list[Figure]:
    source = read_source([write_results(SyntheticStudy(claims=claims))])
    return list(all_figures(source, decide(source.runs, source.study), ()))


def drawn(figure: Figure) -> list[dict[str, Any]]:
    rows = [
        row for panel in figure.panels for data in panel.datasets.named.values() for row in data
    ]
    marked = [row for row in rows if "published" in row]
    unique = {(row["stack"], row["point"], row["published"]): row for row in marked}
    return list(unique.values())


def test_the_table_tells_claim_verdict_published_ours_and_why(write_results: WriteResults) -> None:
    far = claim(id="A2", equals="900 ms")
    note = {"id": "A3", "kind": "note", "what": "for the record"}
    page = page_of(write_results(SyntheticStudy(claims=[claim(), far, note])))
    assert "1 predicted, 1 not reproduced" in page.text
    assert "A1 As late as the network" in page.text
    assert "a paper" in page.text
    assert "but claimed is 0.675" in page.text
    assert "a note, not judged" in page.text
    assert "A1: 3 findings" in page.text
    assert page.text.index("A1 As late") < page.text.index("Figures")


def test_a_study_without_claims_has_no_table(write_results: WriteResults) -> None:
    assert "findings" not in page_of(write_results()).text


@pytest.mark.parametrize("change", [{"state": "interrupted"}, {"selection": "shard 1/2"}], ids=str)
def test_claims_are_not_judged_while_runs_are_missing(
    write_results: WriteResults, change: dict[str, str]
) -> None:
    folder = write_results(SyntheticStudy(claims=[claim()]))
    manifest = folder / "manifest.json"
    content = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps(content | change), encoding="utf-8")
    assert read_source([folder]).judgements == ()
    assert Results(folder).judgements == ()


def test_words_of_a_claim_cannot_become_markup(write_results: WriteResults) -> None:
    evil = {**claim(), "what": EVIL, "source": EVIL, "published": EVIL}
    page = page_of(write_results(SyntheticStudy(claims=[evil])))
    assert page.text.count(EVIL) >= 3
    assert len(page.scripts) == 3


def test_a_claimed_column_gets_a_panel_with_what_was_published(
    write_results: WriteResults,
) -> None:
    figures = {figure.name: figure for figure in figures_of(write_results, [claim()])}
    latency = figures["latency-loss"]
    assert [panel.title for panel in latency.panels][-1] == "Mean latency of delivered messages"
    rows = drawn(latency)
    assert {row["stack"] for row in rows} == {"raw_udp"}
    assert rows[0]["published"] == pytest.approx(0.21)  # the axis is in seconds
    assert {row["x"] for row in rows} == {0.0, 10.0, 20.0}
    assert rows[0]["claim"] == "A1: 210 ms"
    assert "A short bar is the published value" in latency.reading
    assert "short bar" not in figures["delivery-loss"].reading
    for panel in latency.panels:
        alt.Chart.from_dict(panel_spec(panel), validate=True)


def test_a_published_loss_is_drawn_where_delivery_is(write_results: WriteResults) -> None:
    lost = claim(column="loss_ratio", equals="path.loss", at={"path.loss": "10 %"})
    figures = {figure.name: figure for figure in figures_of(write_results, [lost])}
    (row,) = drawn(figures["delivery-loss"])
    assert (row["x"], row["published"]) == (pytest.approx(10.0), pytest.approx(90.0))


def test_a_bound_is_drawn_and_the_axis_reaches_it(write_results: WriteResults) -> None:
    slow = claim(kind="threshold", equals=None, above="5000 ms", at={"path.loss": "20 %"})
    figures = {figure.name: figure for figure in figures_of(write_results, [slow])}
    (row,) = drawn(figures["latency-loss"])
    assert row["published"] == pytest.approx(5.0)
    assert row["claim"] == "A1: > 5000 ms"


@pytest.mark.parametrize(
    ("column", "bound", "side"),
    [
        ("delivery_ratio", {"above": "99 %"}, "above"),
        ("delivery_ratio", {"below": "99 %"}, "below"),
        ("loss_ratio", {"above": "1 %"}, "below"),
        ("loss_ratio", {"below": "1 %"}, "above"),
    ],
)
def test_an_arrow_shows_on_which_side_of_a_bound_the_paper_is(
    write_results: WriteResults, column: str, bound: dict[str, str], side: str
) -> None:
    bounded = claim(column=column, kind="threshold", equals=None, **bound)
    figures = {figure.name: figure for figure in figures_of(write_results, [bounded])}
    spec = panel_spec(figures["delivery-loss"].panels[0])
    arrows = [layer["mark"] for layer in spec["layer"] if layer["mark"].get("shape") == "arrow"]
    assert [arrow["angle"] for arrow in arrows] == [0 if side == "above" else 180]
    assert {row["side"] for row in drawn(figures["delivery-loss"])} == {side}


def test_a_published_value_has_no_arrow(write_results: WriteResults) -> None:
    figures = {figure.name: figure for figure in figures_of(write_results, [claim()])}
    assert {row["side"] for row in drawn(figures["latency-loss"])} == {None}


def test_two_claims_about_one_figure_are_both_drawn(write_results: WriteResults) -> None:
    both = [claim(at={"path.loss": "20 %"}), claim(id="A2", equals="300 ms")]
    figures = {figure.name: figure for figure in figures_of(write_results, both)}
    rows = [row for row in drawn(figures["latency-loss"]) if row["x"] == 20.0]
    assert {row["claim"] for row in rows} == {"A1: 210 ms", "A2: 300 ms"}


def test_a_ratio_is_no_level_to_be_drawn(write_results: WriteResults) -> None:
    ratio = claim(kind="ratio", equals="1", relative_to={"stack": "json_udp"})
    figures = figures_of(write_results, [ratio])
    assert not any(drawn(figure) for figure in figures)


def test_the_manifest_gives_back_the_claims(write_results: WriteResults) -> None:
    study = SyntheticStudy(
        claims=[claim(), claim(id="A2", equals="path.loss", column="loss_ratio")]
    )
    source = read_source([write_results(study)])
    again = judge(claims_of(synthetic_study(study)), source.runs)
    assert [one.as_json() for one in source.judgements] == [one.as_json() for one in again]
    assert [one.id for one in again] == ["A1", "A2"]
