"""The page: the answer first, every text escaped, right in every corner case."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.report.write import write_report

from .conftest import WriteResults
from .synthetic import SyntheticStack, SyntheticStudy, synthetic_study

EVIL = "<script>alert(1)</script>"
QUOTED = "raw_udp \"x\" 'y' & <img src=x onerror=alert(2)>"


class Page(HTMLParser):
    """Collects what a browser would see of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self._inside = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the tag and what it refers to."""
        self.tags.append(tag)
        self._inside = tag if tag in {"script", "style"} else ""
        self.links += [value or "" for name, value in attrs if name in {"src", "href"}]
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        """Leave a script or a style."""
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        """Note words, and scripts apart."""
        if self._inside == "script":
            self.scripts[-1] += data
        elif not self._inside:
            self.words.append(data)

    @property
    def text(self) -> str:
        """All words, with plain spaces."""
        return re.sub(r"\s+", " ", "".join(self.words).replace("\N{NO-BREAK SPACE}", " "))


def page_of(folder: Path) -> Page:
    """Write a folder's report and read it."""
    path = write_report([folder], out=folder / "report.html")
    return Page(path.read_text(encoding="utf-8"))


def test_the_answer_comes_before_the_figures_and_the_versions_last(
    write_results: WriteResults,
) -> None:
    text = page_of(write_results()).text
    order = ["One answer for all", "How long messages take", "Conditions", "Versions"]
    places = [text.index(words) for words in order]
    assert places == sorted(places)


def test_the_page_refers_to_nothing_outside_itself(write_results: WriteResults) -> None:
    page = page_of(write_results())
    assert page.links == ["data:,"]
    assert "link" in page.tags
    assert {"img", "iframe", "object", "base"}.isdisjoint(page.tags)


def test_every_figure_names_its_data_its_runs_its_interval_and_its_command(
    write_results: WriteResults,
) -> None:
    text = page_of(write_results()).text
    assert "runs.parquet, 45 runs; 95 % t interval over 5 repetitions" in text
    command = "lasthop report results --figure latency-loss --out latency-loss.svg"
    assert command in text


def test_text_from_files_cannot_become_markup(write_results: WriteResults) -> None:
    study = SyntheticStudy(
        title=EVIL,
        stacks=[SyntheticStack(QUOTED), SyntheticStack(EVIL, status="failed", reason=EVIL)],
        repeat=2,
    )
    page = page_of(write_results(study))
    assert len(page.scripts) == 3
    assert "img" not in page.tags
    assert EVIL in page.text
    assert QUOTED in page.text
    panels = json.loads(page.scripts[0])["panels"]
    assert any(json.dumps(QUOTED)[1:-1] in json.dumps(panel) for panel in panels.values())


def test_the_same_tables_give_the_same_page(write_results: WriteResults) -> None:
    folder = write_results(SyntheticStudy(repeat=2))
    first = write_report([folder], out=folder / "report.html").read_bytes()
    assert write_report([folder], out=folder / "report.html").read_bytes() == first


def test_rows_in_another_order_give_the_same_page(write_results: WriteResults) -> None:
    folder = write_results(SyntheticStudy(repeat=2))
    first = write_report([folder], out=folder / "report.html").read_bytes()
    for name in ("ledger", "latency"):
        path = folder / f"{name}.parquet"
        pl.read_parquet(path).reverse().write_parquet(path)
    assert write_report([folder], out=folder / "report.html").read_bytes() == first


def test_a_study_without_a_question_is_measured_not_judged(write_results: WriteResults) -> None:
    text = page_of(write_results(SyntheticStudy(decide=None, repeat=2))).text
    assert "Measured, not judged" in text
    assert "The study asks for no decision" in text
    # What the headline promises stands below it, before anything is unfolded.
    table = text[
        text.index("The study asks for no decision") : text.index("How long messages take")
    ]
    for heading in ("Delivered", "Median latency", "95th percentile"):
        assert heading in table
    assert " ms" in table
    assert "How long messages take" in text


def test_only_unsupported_stacks_give_a_page_without_figures(write_results: WriteResults) -> None:
    study = SyntheticStudy(
        stacks=[SyntheticStack("mqtt", status="unsupported", reason="mqtt is not built yet")]
    )
    page = page_of(write_results(study))
    assert "No stack could be judged, for no run completed" in page.text
    assert "mqtt is not built yet" in page.text
    assert "Figures" not in page.text
    assert len("".join(page.scripts)) < 20_000


def test_one_repetition_is_said_to_have_no_interval(write_results: WriteResults) -> None:
    text = page_of(write_results(SyntheticStudy(repeat=1))).text
    assert "one repetition only" in text
    assert "one repetition, so no interval" in text


def test_three_repetitions_are_said_to_give_a_range(write_results: WriteResults) -> None:
    assert (
        "range over 3 repetitions (fewer than 5)"
        in page_of(write_results(SyntheticStudy(repeat=3))).text
    )


def test_no_delivered_message_at_all_is_shown_as_not_reached(write_results: WriteResults) -> None:
    study = SyntheticStudy(
        parts={"loss": {"path.loss": [1.0]}},
        decide={"require": [], "minimise": "latency_p95", "smallest_effect": 0.05, "part": None},
        repeat=2,
    )
    text = page_of(write_results(study)).text
    assert "No stack has a 95th percentile of latency: too few messages arrived" in text
    assert "not reached" in text
    assert "nan" not in text.lower().split()


def test_unfinished_results_are_called_preliminary(write_results: WriteResults) -> None:
    folder = write_results(SyntheticStudy(repeat=1))
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"complete"', '"interrupted"'))
    assert "Preliminary: not all runs of results are in these tables yet" in page_of(folder).text


def test_a_failed_expectation_is_the_first_thing_said(write_results: WriteResults) -> None:
    folder = write_results(SyntheticStudy(repeat=2))
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["study"]["expect"] = ["delivery_ratio >= 99 %"]
    path.write_text(json.dumps(manifest))
    text = page_of(folder).text
    assert text.index(
        "Expectation failed: share of messages delivered of at least 99 %"
    ) < text.index("One answer")


def test_a_requirement_that_no_stack_meets_is_the_first_thing_said(
    write_results: WriteResults,
) -> None:
    study = SyntheticStudy(
        stacks=[SyntheticStack("raw_udp")], parts={"loss": {"path.loss": [0.2]}}, repeat=2
    )
    text = page_of(write_results(study)).text
    assert "Requirement not met: no stack meets share of messages delivered" in text


def test_expectations_are_listed_with_their_outcome(write_results: WriteResults) -> None:
    folder = write_results(SyntheticStudy(repeat=2))
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["study"]["expect"] = ["delivery_ratio >= 99 % where path.loss <= 0 %"]
    path.write_text(json.dumps(manifest))
    assert "holds in all 6 runs" in page_of(folder).text


def test_shards_are_reported_as_one(write_results: WriteResults) -> None:
    whole = write_results(SyntheticStudy(repeat=4), name="whole")
    shards = []
    for number in (0, 1):
        shard = write_results(SyntheticStudy(repeat=4), name=f"shard-{number}")
        runs = pl.read_parquet(whole / "runs.parquet")
        first = runs.filter(pl.col("repetition") <= 2)["run_id"]
        kept = pl.col("run_id").is_in(first.implode())
        for name in ("runs", "ledger", "latency"):
            table = pl.read_parquet(whole / f"{name}.parquet")
            table.filter(kept if number else ~kept).write_parquet(shard / f"{name}.parquet")
        shards.append(shard)
    page = Page(write_report(shards, out=whole).read_text(encoding="utf-8"))
    assert "36 of 48 runs completed" in page.text
    assert "runs.parquet, 36 runs; range over 4 repetitions" in page.text


def test_folders_of_two_studies_are_refused(write_results: WriteResults, tmp_path: Path) -> None:
    first = write_results(SyntheticStudy(repeat=1), name="first")
    second = write_results(SyntheticStudy(repeat=1), name="second")
    manifest = json.loads((second / "manifest.json").read_text())
    manifest["study"] = synthetic_study(SyntheticStudy()) | {"name": "another"}
    (second / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(UsageError, match="holds another"):
        write_report([first, second], out=tmp_path / "report.html")


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no manifest\.json"):
        write_report([tmp_path], out=tmp_path / "report.html")


def test_a_page_that_cannot_be_written_is_one_clear_line(write_results: WriteResults) -> None:
    folder = write_results(SyntheticStudy(repeat=1))
    with pytest.raises(EnvironmentFailure, match=r"missing/report\.html: No such file"):
        write_report([folder], out=folder / "missing" / "report.html")


def test_the_page_of_many_points_stays_below_two_megabytes(write_results: WriteResults) -> None:
    loss = [step / 100 for step in range(12)]
    study = SyntheticStudy(parts={"loss": {"path.loss": loss}}, repeat=2)
    path = write_report([write_results(study)], out=write_results(study, name="out"))
    assert path.stat().st_size < 2_000_000
