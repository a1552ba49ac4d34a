"""Crashes of devices: on the first screen, in a figure, and beside the messages of a run."""

import re
from pathlib import Path

import polars as pl
import pytest

import lasthop
from lasthop.answer.crashes import crashes_of
from lasthop.outcome.results import Results

STUDY = """
study: busy
duration: 30 s
measure: {warm_up: 0 s, drain: 20 s, overload: allow}
paths: {lan: {delay: 10 ms}}
servers: {broker: {}}
fleet:
  panel: {count: 1, path: lan, device: {profile: esp32, message: 200 ms, watchdog: 4 s, boot: 2 s}}
  clients: {count: 10, path: lan}
traffic:
  control: {from: clients, to: all of panel, report: 31 B, every: 1 s, start: 2 s, spread: 1 s}
stacks: {one: mqtt qos=1, none: mqtt qos=0}
sweep: [{name: crowd, fleet.clients.count: [1, 10]}]
repeat: 2
decide: {maximise: delivery_ratio}
"""


@pytest.fixture(scope="module")
def page(results: Results) -> str:
    """The report."""
    return results.report().read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A device that ten clients keep busy, and one does not."""
    folder = tmp_path_factory.mktemp("crashes")
    study = folder / "busy.yaml"
    study.write_text(STUDY, encoding="utf-8")
    return lasthop.run(study, out=folder / "out")


def test_the_first_screen_says_how_often_a_device_crashed(page: str) -> None:
    card, _, _ = page.partition("<figure")
    assert "Devices crashed in a run: " in card
    first, _, _ = page.partition("Point by point")
    said = re.findall(r"evices of (\w+) crashed in (\d) of (\d) runs, (.*?); device_events", first)
    assert {(stack, crashed, runs) for stack, crashed, runs, _ in said} >= {("one", "2", "4")}
    assert all("by the watchdog, and were off for up to" in how for *_, how in said)


def alone(results: Results, clients: int, out: Path) -> str:
    """Give the report of so many clients alone."""
    study, sweep = results.path.parent / "busy.yaml", f"fleet.clients.count: [{clients}]"
    one = lasthop.run(study, out=out, set={"sweep": f"[{{name: crowd, {sweep}}}]"})
    return one.report().read_text(encoding="utf-8")


def test_a_figure_and_the_run_over_time_show_them(
    results: Results, page: str, tmp_path: Path
) -> None:
    assert "Crashes by the watchdog" in page
    assert "A dashed line is a crash of a device." in alone(results, 10, tmp_path / "ten")


def test_a_crash_is_read_as_it_was_written(results: Results) -> None:
    for row in results.runs.iter_rows(named=True):
        found = crashes_of(row["device_events"])
        assert len(found) == row["device_crashes_watchdog"] + row["device_crashes_heap"]
        up = [crash.booted_s - crash.at_s for crash in found if crash.booted_s is not None]
        assert all(abs(span - 2) < 1e-6 for span in up)


def test_a_table_has_each_crash_with_what_was_lost(results: Results, page: str) -> None:
    _, _, section = page.partition('id="crashes"')
    assert section
    table, _, _ = section.partition("</table>")
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)[1:]
    total = results.runs["device_crashes_watchdog"].sum()
    assert len(rows) == min(total, 100) > 0
    cells, behind = (
        [re.sub(r"<[^>]*>", "", it).strip() for it in re.findall(r"<td.*?</td>", row, re.DOTALL)]
        for row in rows[:2]
    )
    run = results.runs.filter(pl.col("device_crashes_watchdog") > 0, stack="one").sort("repetition")
    first = crashes_of(run["device_events"][0])[0]
    assert cells[5:7] == ["watchdog", "2\N{NO-BREAK SPACE}s"]
    messages = results.messages.filter(run_id=run["run_id"][0])
    due = messages.filter(
        pl.col("intended_ns") >= first.at_s * 1e9, pl.col("intended_ns") < (first.at_s + 2) * 1e9
    )
    assert cells[8] == f"{due['delivered_ns'].null_count()} of {due.height}"
    assert due.height > 10
    # Which run it was is said once.
    assert len(crashes_of(run["device_events"][0])) > 1
    assert (cells[2], behind[:3]) == ("1", ["", "", ""])


def test_without_a_crash_nothing_is_said(results: Results, tmp_path: Path) -> None:
    page = alone(results, 1, tmp_path / "one")
    assert "crashed in" not in page
    assert 'id="crashes"' not in page
    assert "Crashes by the watchdog" not in page
    assert "A dashed line" not in page
