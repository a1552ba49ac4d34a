"""Energy in the report, and where two result folders are held against each other."""

from pathlib import Path

import polars as pl
import pytest

from lasthop.compare.comparison import compare
from lasthop.compare.effect import Verdict
from lasthop.report.figures import panel_spec
from lasthop.results.results import Results

from .conftest import WriteResults
from .synthetic import MESSAGES, SyntheticStack, SyntheticStudy, write_folder
from .test_figures import axis_titles, figures_of


def verdicts(folder: Path, base: SyntheticStack, new: SyntheticStack) -> dict[str, Verdict]:
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
    assert found["energy_per_message_j"] is Verdict.WORSE
    assert found["latency_p50_ms"] is Verdict.SAME


def test_what_no_run_measured_is_not_compared(tmp_path: Path) -> None:
    found = verdicts(tmp_path, SyntheticStack("raw_udp"), SyntheticStack("raw_udp"))
    assert "delivery_ratio" in found
    assert "energy_per_message_j" not in found


def test_energy_that_only_one_folder_has_is_not_left_out(tmp_path: Path) -> None:
    radio = SyntheticStack("raw_udp", joules={"payload": 40.0})
    found = verdicts(tmp_path, SyntheticStack("raw_udp"), radio)
    assert found["energy_per_message_j"] is Verdict.BETTER


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
