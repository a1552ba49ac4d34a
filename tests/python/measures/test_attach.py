"""The joules of a registration with an NB-IoT network, and of one that never comes about."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lasthop

LISTENS_W, SLEEPS_W = 0.080, 15e-6
"""Power of the profile `tr_45_820` while it listens, and in deep sleep."""
BATTERY_J = 5 * 3600.0
YEAR_S = 31_557_600.0
DAY_S = 86_400.0

METER = """\
study: meter
duration: 1 d
traffic: {report: 50 B, every: 6 h}
path: {nbiot: {coupling_loss: LOSS, network: ideal, attach: ATTACH}}
energy: {profile: tr_45_820, battery: 5 Wh}
stacks: [raw_udp]
repeat: 1
"""

Run = Callable[[str, str], dict[str, Any]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run the meter at a coupling loss once, however often it is asked for."""
    done: dict[tuple[str, str], dict[str, Any]] = {}

    def once(loss: str, attach: str) -> dict[str, Any]:
        if (loss, attach) not in done:
            folder = tmp_path_factory.mktemp("attach")
            text = METER.replace("LOSS", loss).replace("ATTACH", attach)
            (folder / "study.yaml").write_text(text, encoding="utf-8")
            results = lasthop.run(folder / "study.yaml", out=folder / "results", jobs=1)
            (done[loss, attach],) = results.runs.to_dicts()
        return done[loss, attach]

    return once


@pytest.mark.parametrize(
    ("loss", "search_s", "listens_s"),
    [("140 dB", 0.5, 4.633), ("150 dB", 0.5, 4.633), ("160 dB", 1.125, 4.048)],
)
def test_an_attach_is_paid_once_and_by_the_set_up(
    run: Run, loss: str, search_s: float, listens_s: float
) -> None:
    """The search is 0.5 or 1.125 s of listening, the broadcasts are those of `attach.rs`."""
    row, before = run(loss, "on"), run(loss, "off")
    assert row["status"] == before["status"] == "completed"
    assert row["energy_cell_search_j"] == pytest.approx(search_s * LISTENS_W)
    assert row["energy_attach_j"] > listens_s * LISTENS_W
    registered = row["energy_cell_search_j"] + row["energy_attach_j"]
    # Behind it is the tail of 40 s, in which nobody sends.
    tail = row["energy_set_up_j"] - registered
    assert 0 < tail < 41 * LISTENS_W
    assert before["energy_cell_search_j"] == before["energy_attach_j"] == 0
    # The battery feeds it once: it does not come again each day.
    lost = 1 - row["battery_years"] / before["battery_years"]
    assert lost < 0.05
    assert row["delivery_ratio"] == before["delivery_ratio"] == 1


def test_a_device_without_coverage_empties_its_battery(run: Run) -> None:
    """28 searches of 120 s in a day, of which the first belongs to the set-up."""
    row = run("173 dB", "on")
    assert row["status"] == "completed"
    assert row["delivery_ratio"] == 0
    assert row["energy_cell_search_j"] == pytest.approx(28 * 120 * LISTENS_W)
    assert row["energy_attach_j"] == 0
    slept = (DAY_S - 28 * 120) * SLEEPS_W
    assert row["energy_j"] == pytest.approx(28 * 120 * LISTENS_W + slept)
    a_day = 27 * 120 * LISTENS_W + slept
    years = (BATTERY_J - 120 * LISTENS_W) / a_day * DAY_S / YEAR_S
    assert row["battery_years"] == pytest.approx(years, rel=0.001)


def test_a_report_says_what_an_attach_took(run: Run, tmp_path: Path) -> None:
    text = METER.replace("LOSS", "160 dB").replace("ATTACH", "{t3402: 6 min}")
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    results = lasthop.run(tmp_path / "study.yaml", out=tmp_path / "results", jobs=1)
    page = results.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "at the start, above -140 dBm, T3402 6 min" in page
    assert "cell search" in page
    assert run("160 dB", "on")["energy_attach_j"] == results.runs["energy_attach_j"][0]
