"""The report of a rerun opens with the claims of its paper, then draws its figures again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from selenium import webdriver
from tests.python.browser import DESKTOP, PHONE, log_of, run

import lasthop
from lasthop.claims import ClaimVerdict
from lasthop.errors import UsageError
from lasthop.report.figures.figure import Figure
from lasthop.report.figures.of_paper import DrawnFigure, PaperRenderer, figure_name
from lasthop.report.source import read_source
from lasthop.report.write import figure_names, write_figure, write_report
from lasthop.study.figures import figures_of

from .conftest import WriteResults
from .synthetic import SyntheticStudy
from .test_browser import show

CLAIM: Mapping[str, Any] = {
    "id": "A1",
    "kind": "value",
    "what": "mean latency",
    "published": "200 ms",
    "why": {"not reproduced": "ours waits for each answer"},
    "rules": [{"column": "latency_mean", "stacks": ["json_udp"], "part": "loss", "equals": "2 ms"}],
}
LINES: Mapping[str, Any] = {
    "number": "figure 9",
    "title": "Experienced latency",
    "part": "loss",
    "measure": "latency_mean",
    "unit": "s",
    "label": "experienced latency",
    "axis": {"key": "path.loss", "title": "packet loss rate", "unit": "%"},
    "arms": [["JSON", "json_udp"], ["UDP", "raw_udp"]],
    "published": {"JSON": {"10": "0.25", "20": "> 0.3"}},
}
REAL_STUDY = """\
study: real
duration: 10 s
traffic: {report: 40 B, every: 500 ms}
path: {delay: 5 ms, loss: 20 %}
stacks: [raw_udp]
figures: figures.yaml
repeat: 1
"""
WEIGHTED_STUDY = """\
study: real
duration: 10 s
paths: {path: {delay: 5 ms}}
servers: {server: {}}
fleet: {devices: {count: 6, simulate: 2, path: path, server: server}}
traffic: {report: {from: devices, report: 40 B, every: 500 ms}}
stacks: {UDP: raw_udp}
compare: {fleet.devices.stack: [UDP]}
figures: figures.yaml
repeat: 1
"""
REAL_FIGURES = """\
paper: Someone 2020
figures:
  - number: table 1
    title: Everything
    arms: {UDP: raw_udp}
    columns:
      - {title: Rate, measure: path_rate_ethernet, path: path, unit: kbit/s}
      - {title: Interval, measure: path_packet_interval_up, path: path, unit: ms}
      - {title: Packets, measure: path_packets_per_message, path: path, unit: packets}
      - {title: Lost, measure: path_loss_ratio, path: path, unit: "%"}
      - {title: Span, measure: messages_span, unit: s}
      - {title: Sent, measure: sent_to_delivered_mean, unit: ms}
"""
TABLE: Mapping[str, Any] = {
    "number": "table 2",
    "title": "All at 10 %",
    "given": "numbers",
    "part": "loss",
    "arms": [
        ["UDP at 10 %", {"stack": "raw_udp", "at": {"path.loss": "10 %"}}],
        ["JSON at 10 %", {"stack": "json_udp", "at": {"path.loss": "10 %"}}],
    ],
    "columns": [
        {"title": "Loss", "measure": "loss_ratio", "unit": "%", "published": {"UDP at 10 %": "19"}},
        {
            "title": "Bytes",
            "measure": "wire_bytes_offered",
            "unit": "times",
            "relative_to": "UDP at 10 %",
        },
    ],
}


def paper_of(*figures: Mapping[str, Any]) -> SyntheticStudy:
    """Return a study with these figures, and a claim."""
    return SyntheticStudy(
        claims=[CLAIM], figures={"paper": "Someone 2020", "figures": list(figures)}
    )


def drawn(folder: Path, *, beside: Sequence[Path] = ()) -> Sequence[DrawnFigure]:
    source = read_source([folder], beside=beside)
    paper = figures_of(source.study)
    assert paper is not None
    return PaperRenderer((source, *source.beside)).draw(paper)


def only(folder: Path) -> Figure:
    (one,) = drawn(folder)
    assert one.figure is not None
    return one.figure


def rows_of(figure: Figure) -> list[dict[str, Any]]:
    return [row for rows in figure.panels[0].datasets.named.values() for row in rows]


def test_a_page_opens_with_claims_then_figures_then_the_ranking(
    write_results: WriteResults,
) -> None:
    folder = write_results(paper_of(LINES, TABLE))
    page = write_report([folder], out=folder / "report.html").read_text(encoding="utf-8")
    places = [
        page.index(text)
        for text in (
            "Someone 2020, rerun",
            "Ours waits for each answer",
            "Figure 9: Experienced latency",
            "Table 2: All at 10 %",
            "The ranking of stacks",
            'class="verdict',
        )
    ]
    assert places == sorted(places)


def test_a_page_without_figures_opens_with_the_answer(write_results: WriteResults) -> None:
    folder = write_results(SyntheticStudy(claims=[CLAIM]))
    page = write_report([folder], out=folder / "report.html").read_text(encoding="utf-8")
    assert "The ranking of stacks" not in page
    assert "Ours waits for each answer" not in page.split('id="claims"', maxsplit=1)[0]


def test_why_stands_beside_the_verdict_that_it_explains_alone(write_results: WriteResults) -> None:
    other = {**CLAIM, "id": "A2", "why": {"predicted": "never shown"}}
    study = replace(paper_of(LINES), claims=[CLAIM, other])
    folder = write_results(study)
    first, second = read_source([folder]).judgements
    assert (first.verdict, second.verdict) == (ClaimVerdict.NOT_REPRODUCED,) * 2
    assert (first.why, second.why) == ("ours waits for each answer", None)
    assert first.as_json()["why"] == first.why
    page = write_report([folder], out=folder / "report.html").read_text(encoding="utf-8")
    assert "never shown" not in page
    assert second.reason in page


def test_ours_are_in_the_unit_of_the_paper(write_results: WriteResults) -> None:
    folder = write_results(paper_of(LINES))
    figure = only(folder)
    means = {(row["stack"], row["x"]): row["mean"] for row in rows_of(figure) if "mean" in row}
    runs = read_source([folder]).runs
    for loss, x in ((0.0, 0.0), (0.1, 10.0), (0.2, 20.0)):
        of_stack = runs.filter(stack="raw_udp", path_loss=loss)["latency_mean_ms"]
        assert means["UDP", x] == pytest.approx(of_stack.mean() / 1000)  # type: ignore[operator]
    assert figure.legend_entries == ("JSON", "UDP")


def test_the_values_of_the_paper_are_drawn_at_their_places(write_results: WriteResults) -> None:
    marks = {
        (row["stack"], row["x"]): (row["published"], row["side"])
        for row in rows_of(only(write_results(paper_of(LINES))))
        if "published" in row
    }
    assert marks == {("JSON", 10.0): (0.25, None), ("JSON", 20.0): (0.3, "above")}


def test_captures_of_the_authors_are_drawn_beside_the_paper(write_results: WriteResults) -> None:
    lines = {**LINES, "captured": {"JSON": {"10": "0.21"}, "UDP": {"50": "0.4"}}}
    figure = only(write_results(paper_of(lines)))
    marks = {
        (row["stack"], row["x"]): (row["published"], row["claim"])
        for row in rows_of(figure)
        if row.get("captured")
    }
    assert marks == {
        ("JSON", 10.0): (0.21, "0.21 s in the authors' capture"),
        ("UDP", 50.0): (0.4, "0.4 s in the authors' capture"),
    }
    assert "A capture of the authors: a hollow diamond." in figure.reading
    assert "The paper: a short bar is its value" in figure.reading


def test_the_paper_is_drawn_where_nothing_was_run(write_results: WriteResults) -> None:
    arms = [["DDS", "mqtt qos=1"], ["UDP", "raw_udp"]]
    lines = only(write_results(paper_of({**LINES, "arms": arms, "published": {"DDS": {"10": 1}}})))
    told = [row for row in rows_of(lines) if "published" in row]
    assert [(row["stack"], row["x"], row["published"]) for row in told] == [("DDS", 10.0, 1.0)]
    assert lines.legend_entries == ("DDS", "UDP")


def test_a_row_without_a_run_has_the_value_of_the_paper(write_results: WriteResults) -> None:
    rows = {key: value for key, value in LINES.items() if key != "axis"} | {
        "arms": [
            ["DDS", "mqtt qos=1"],
            ["UDP", {"stack": "raw_udp", "at": {"path.loss": "10 %"}}],
        ],
        "published": {"DDS": "1.5"},
    }
    figure = only(write_results(paper_of(rows)))
    told = [row for row in rows_of(figure) if "published" in row]
    assert [(row["stack"], row["published"], row["mean"]) for row in told] == [("DDS", 1.5, None)]
    assert "0 to" not in figure.interval


def test_measures_of_a_path_and_of_messages_are_read_from_their_tables(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(REAL_STUDY, encoding="utf-8")
    (tmp_path / "figures.yaml").write_text(REAL_FIGURES, encoding="utf-8")
    results = lasthop.run(tmp_path / "study.yaml", out=tmp_path / "results")
    offered = results.packets.filter(path="path", fate="offered")
    packets = sum(offered["packets"].to_list())
    sent, due, delivered = (
        results.messages[f"{name}_ns"].to_list() for name in ("sent", "intended", "delivered")
    )
    lost = sum(results.packets.filter(fate="dropped")["packets"].to_list())
    assert lost > 0
    arrived = [at for at in delivered if at is not None]
    span_ns = max(arrived) - min(due)
    expected = {
        "Rate": 8 * (sum(offered["bytes"].to_list()) + 14 * packets) / (span_ns / 1e9) / 1000,
        "Interval": span_ns / 1e6 / sum(offered.filter(direction="up")["packets"].to_list()),
        "Packets": packets / len(sent),
        "Lost": 100 * lost / packets,
        "Span": span_ns / 1e9,
        "Sent": fmean(at - from_ for at, from_ in zip(delivered, sent, strict=True) if at) / 1e6,
    }
    (table,) = drawn(results.path)
    ours = {
        column.title: values[0].found.interval.mean
        for column, values in zip(table.paper.columns, table.columns, strict=True)
    }
    assert ours == pytest.approx(expected)


def test_runs_that_keep_no_messages_have_no_value_of_them(tmp_path: Path) -> None:
    text = REAL_STUDY + "measure: {messages: summed}\n"
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "figures.yaml").write_text(REAL_FIGURES, encoding="utf-8")
    results = lasthop.run(tmp_path / "study.yaml", out=tmp_path / "results")
    (table,) = drawn(results.path)
    with_value = {
        column.title
        for column, values in zip(table.paper.columns, table.columns, strict=True)
        if values
    }
    assert with_value == {"Packets", "Lost"}


def test_devices_that_stand_for_several_count_their_packets_once(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(WEIGHTED_STUDY, encoding="utf-8")
    figures = REAL_FIGURES.replace("{UDP: raw_udp}", "{UDP: UDP}")
    (tmp_path / "figures.yaml").write_text(figures, encoding="utf-8")
    results = lasthop.run(tmp_path / "study.yaml", out=tmp_path / "results")
    (table,) = drawn(results.path)
    ours = {
        column.title: values[0].found.interval.mean
        for column, values in zip(table.paper.columns, table.columns, strict=True)
    }
    assert ours["Packets"] == 1
    assert ours["Lost"] == 0
    assert ours["Sent"] == pytest.approx(5)


def test_a_picture_without_a_value_says_so(write_results: WriteResults) -> None:
    plain = {key: value for key, value in LINES.items() if key != "published"}
    figure = only(write_results(paper_of(plain)))
    assert "only as a picture" in figure.reading
    assert "short bar" not in figure.reading


def test_a_table_has_ours_and_the_value_of_the_paper(write_results: WriteResults) -> None:
    folder = write_results(paper_of(TABLE))
    page = write_report([folder], out=folder / "report.html").read_text(encoding="utf-8")
    table = page.split("Table 2", maxsplit=1)[1].split("</table>", maxsplit=1)[0]
    assert "Loss (%)" in table
    assert "paper: 19" in table
    assert "The paper gives it in numbers: one value." in table
    (one,) = drawn(folder)
    ratios = {value.legend: value.found.interval.mean for value in one.columns[1]}
    assert ratios["UDP at 10 %"] == 1
    assert ratios["JSON at 10 %"] > 1


def test_a_table_has_the_paper_and_its_capture_where_they_differ(
    write_results: WriteResults,
) -> None:
    loss, *others = TABLE["columns"]
    columns = [{**loss, "captured": {"UDP at 10 %": "11"}}, *others]
    folder = write_results(paper_of({**TABLE, "columns": columns}))
    page = write_report([folder], out=folder / "report.html").read_text(encoding="utf-8")
    table = page.split("Table 2", maxsplit=1)[1].split("</table>", maxsplit=1)[0]
    assert table.index("paper: 19") < table.index("capture: 11")


def test_what_no_run_shows_is_named(write_results: WriteResults) -> None:
    arms = [["MQTT", "mqtt qos=1"], ["UDP", "raw_udp"]]
    (one,) = drawn(write_results(paper_of({**LINES, "arms": arms, "published": {}})))
    assert "Not drawn: MQTT. No completed run of poor-link shows it." in one.remarks


def test_a_figure_that_nothing_shows_stands_with_its_reason(write_results: WriteResults) -> None:
    folder = write_results(
        paper_of({"number": "figure 3", "title": "Processor", "not_drawn": "runs have none"})
    )
    page = write_report([folder], out=folder / "report.html").read_text(encoding="utf-8")
    assert "Not drawn: runs have none." in page


def test_another_study_of_the_paper_is_shown_beside(write_results: WriteResults) -> None:
    arms = [["JSON", "json_udp"], ["UDP", {"stack": "raw_udp", "study": "richer-link"}]]
    folder = write_results(paper_of({**LINES, "arms": arms}))
    (alone,) = drawn(folder)
    assert alone.figure is not None
    assert alone.figure.legend_entries == ("JSON",)
    assert any("richer-link" in remark and "--beside" in remark for remark in alone.remarks)
    other = write_results(replace(SyntheticStudy(), name="richer-link"), name="other")
    (both,) = drawn(folder, beside=[other])
    assert both.figure is not None
    assert both.figure.legend_entries == ("JSON", "UDP")
    page = write_report([folder], out=folder / "report.html", beside=[other]).read_text()
    assert "lasthop report results --beside other" in page


def test_results_of_the_same_study_are_refused_beside(write_results: WriteResults) -> None:
    folder = write_results(paper_of(LINES))
    with pytest.raises(UsageError, match="which is there already; name the results of another"):
        read_source([folder], beside=[folder])


def test_a_study_without_figures_has_nothing_beside(write_results: WriteResults) -> None:
    folder, other = write_results(), write_results(name="other")
    with pytest.raises(
        UsageError, match=r'has no figures of a paper; add "figures: figures\.yaml"'
    ):
        read_source([folder], beside=[other])


def test_a_figure_is_written_alone(write_results: WriteResults, tmp_path: Path) -> None:
    folder = write_results(paper_of(LINES))
    assert figure_names([folder])[0] == "paper-figure-9"
    svg = write_figure([folder], "paper-figure-9", out=tmp_path / "figure.svg").read_text()
    assert "packet loss rate (%)" in svg
    assert "experienced latency (s)" in svg


@pytest.mark.soak
@pytest.mark.parametrize("width", [DESKTOP, PHONE])
@pytest.mark.parametrize("dark", [False, True])
def test_the_opening_fits_a_desk_and_a_phone(
    browser: webdriver.Chrome, write_results: WriteResults, width: int, *, dark: bool
) -> None:
    folder = write_results(paper_of(LINES, TABLE))
    log_of(browser, "browser")
    show(browser, write_report([folder], out=folder / "report.html"), width=width, dark=dark)
    assert log_of(browser, "browser") == []
    assert run(browser, "return document.documentElement.scrollWidth") <= width
    drawn = run(browser, "return document.querySelector('#paper-figure-9 .chart').innerHTML")
    assert "packet loss rate (%)" in drawn
    words = run(browser, "return document.querySelector('#paper .claims').innerText")
    for word in ("A1", "200 ms", "not reproduced", "Ours waits for each answer"):
        assert word in words


def test_names_of_figures_can_be_typed() -> None:
    assert figure_name("Client connection latency, 1 ms") == (
        "paper-client-connection-latency-1-ms"
    )
