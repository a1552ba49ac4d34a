"""Energy in the report, and where two result folders are held against each other."""

from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from lasthop.answer.quantities import MINUS, SPACE
from lasthop.compare.comparison import compare
from lasthop.compare.effect import EffectVerdict
from lasthop.outcome.results import Results
from lasthop.outcome.short_answer import short_answer
from lasthop.report.energy_table import energy_section
from lasthop.report.figures import panel_spec
from lasthop.report.source import read_source
from lasthop.report.styles import stack_styles

from .conftest import WriteResults
from .synthetic import MESSAGES, SyntheticStack, SyntheticStudy, write_folder
from .test_figures import axis_titles, figures_of


def verdicts(folder: Path, base: SyntheticStack, new: SyntheticStack) -> dict[str, EffectVerdict]:
    """Give the verdict of each measure that is compared."""
    folders = [
        write_folder(folder / name, SyntheticStudy(stacks=[stack], parts={"all": {}}))
        for name, stack in (("base", base), ("new", new))
    ]
    found = compare(*(Results(written) for written in folders))
    return {change.measure.column.name: change.effect.verdict for change in found.changes}


def test_more_energy_for_a_message_is_worse(tmp_path: Path) -> None:
    base = SyntheticStack("raw_udp", joules={"payload": 40.0})
    new = SyntheticStack("raw_udp", joules={"payload": 40.0, "waiting": 10.0})
    found = verdicts(tmp_path, base, new)
    assert found["energy_per_message_j"] is EffectVerdict.WORSE
    assert found["latency_p50_ms"] is EffectVerdict.SAME


def test_what_no_run_measured_is_not_compared(tmp_path: Path) -> None:
    found = verdicts(tmp_path, SyntheticStack("raw_udp"), SyntheticStack("raw_udp"))
    assert "delivery_ratio" in found
    assert "energy_per_message_j" not in found


def test_energy_that_only_one_folder_has_is_not_left_out(tmp_path: Path) -> None:
    radio = SyntheticStack("raw_udp", joules={"payload": 40.0})
    found = verdicts(tmp_path, SyntheticStack("raw_udp"), radio)
    assert found["energy_per_message_j"] is EffectVerdict.BETTER


def test_energy_is_shown_for_a_delivered_message_by_cause(write_results: WriteResults) -> None:
    joules = {"payload": 40.0, "random_access": 8.0, "sleep": 4.0}
    study = SyntheticStudy(
        stacks=[SyntheticStack("raw_udp", joules=joules), SyntheticStack("no_radio")],
        parts={"loss": {"path.loss": [0.0]}},
        repeat=2,
    )
    energy = figures_of(write_results(study))["energy"]
    assert energy.legend_entries == ("payload", "random access", "sleep")
    assert energy.runs == 2
    (panel,) = energy.panels
    rows = [
        row for rows in panel_spec(panel)["datasets"].values() for row in rows if "value" in row
    ]
    assert {row["stack"] for row in rows} == {"raw_udp"}
    shown = {row["entry"]: row["value"] * MESSAGES for row in rows}
    assert shown == pytest.approx({"payload": 40.0, "random access": 8.0, "sleep": 4.0})
    assert axis_titles(panel_spec(panel)) == ["energy of a message (mJ)"] * 2


def test_results_of_an_older_version_without_energy_have_no_such_figure(
    write_results: WriteResults,
) -> None:
    folder = write_results(SyntheticStudy(repeat=1))
    runs = pl.read_parquet(folder / "runs.parquet")
    without = [name for name in runs.columns if not name.startswith("energy_")]
    runs.select(without).write_parquet(folder / "runs.parquet")
    assert "energy" not in figures_of(folder)


class _Tables(HTMLParser):
    """The cells of every row of every table, in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._is_cell = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a row or a cell."""
        del attrs
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")
            self._is_cell = True

    def handle_endtag(self, tag: str) -> None:
        """End a cell."""
        self._is_cell = self._is_cell and tag not in {"td", "th"}

    def handle_data(self, data: str) -> None:
        """Fill a cell."""
        if self._is_cell:
            self.rows[-1][-1] += data.replace(SPACE, " ")


def test_a_day_of_a_device_is_in_the_report(write_results: WriteResults) -> None:
    joules = {"payload": 30.0, "sleep": 6.0}
    study = SyntheticStudy(
        stacks=[SyntheticStack("raw_udp", joules=joules), SyntheticStack("no_radio")],
        parts={"loss": {"path.loss": [0.0, 0.1]}},
        repeat=2,
    )
    source = read_source([write_results(study)])
    years = "2.74 years"  # 5 Wh at 18 J a day
    lives = ["Battery life", "Set-up of all devices", "Steady state a day"]
    causes = [*lives, "Energy a day", "Payload", "Sleep"]
    section = energy_section(source, stack_styles(source.stacks))
    assert section is not None
    assert _Tables(section.body).rows == [
        ["Path loss", "Stack", *causes],
        ["0 %", "raw_udp", years, "0 J", "18 J", "18 J", "15 J", "3 J"],
        ["10 %", "raw_udp", years, "0 J", "18 J", "18 J", "15 J", "3 J"],
        ["Path loss", "Stack", "Deep sleep", "Receive", "Transmit"],
        ["0 %", "raw_udp", "24 h", "10 s", "5 s"],
        ["10 %", "raw_udp", "24 h", "10 s", "5 s"],
    ]


def test_without_devices_that_stay_there_is_no_such_table(write_results: WriteResults) -> None:
    source = read_source([write_results(SyntheticStudy(repeat=1))])
    assert energy_section(source, stack_styles(source.stacks)) is None


def test_the_short_answer_shows_the_battery_where_there_is_one(write_results: WriteResults) -> None:
    asked: dict[str, object] = {
        "require": [],
        "minimise": None,
        "maximise": "battery_years",
        "smallest_effect": 0.05,
        "part": None,
    }
    stacks = [
        SyntheticStack("raw_udp", joules={"payload": 36.0}),
        SyntheticStack("json_udp", joules={"payload": 72.0}),
    ]
    study = SyntheticStudy(stacks=stacks, parts={"all": {}}, decide=asked)
    answer = short_answer(Results(write_results(study)))
    cells = {
        column.heading: [column.write(row) for row in answer.points[0].rows]
        for column in answer.columns
    }
    assert cells["battery"] == [f"2.74{SPACE}years", f"1.37{SPACE}years"]
    half = f"{MINUS}50{SPACE}%"
    assert cells["verdict"] == [
        "best",
        f"{half} ({MINUS}51{SPACE}% to {MINUS}49{SPACE}%)",
    ]
    other = short_answer(Results(write_results(SyntheticStudy(repeat=1), name="other")))
    assert "battery" not in {column.heading for column in other.columns}
