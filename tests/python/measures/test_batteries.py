"""Batteries, loads, profiles and lifetimes of runs, against what is computed by hand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lasthop
from lasthop import Results
from lasthop.study.fleet.power_profile import power_profiles

YEAR_S = 31_557_600.0
DAY_S = 86_400.0
CELL_J = 8.5 * 3.6 * 3600

METER = """\
study: meter
duration: 1 d
devices: 2
traffic: {report: 72 B, every: 1 h}
path: {nbiot: {coupling_loss: 144 dB}}
stacks: [raw_udp]
repeat: 1
"""
CELL = "battery: {capacity: 8.5 Ah, voltage: 3.6 V}"
FLEET = """\
study: fleet
duration: 1 d
stacks: [raw_udp]
fleet:
  meters:
    count: 1000
    simulate: 10
    path: cell
    energy: {lifetime: LIFETIME}
paths: {cell: {nbiot: {coupling_loss: {144 dB: 80 %, 164 dB: 20 %}}}}
servers: {head_end: {}}
traffic: {index: {from: meters, report: 72 B, every: 1 h}}
repeat: 1
"""

Run = Callable[[str], Results]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a study once, however often it is asked for."""
    done: dict[str, Results] = {}

    def once(text: str) -> Results:
        if text not in done:
            folder = tmp_path_factory.mktemp("battery")
            (folder / "study.yaml").write_text(text, encoding="utf-8")
            done[text] = lasthop.run(folder / "study.yaml", out=folder / "results", jobs=1)
        return done[text]

    return once


def row_of(results: Results) -> dict[str, Any]:
    """Return the only run."""
    (row,) = results.runs.to_dicts()
    assert row["status"] == "completed", row["reason"]
    return row


def years(row: dict[str, Any], capacity_j: float, *, lost_j: float = 0.0) -> float:
    """Compute the life of the battery of one of two devices."""
    drawn = row["energy_steady_j"] + (row["energy_load_j"] or 0.0)
    a_year = drawn / 2 / DAY_S * YEAR_S + lost_j
    return float((capacity_j - row["energy_set_up_j"] / 2) / a_year)


def test_a_charge_at_a_voltage_lasts_as_long_as_its_energy(run: Run) -> None:
    charge, energy = (
        row_of(run(f"{METER}energy: {{{battery}}}\n")) for battery in (CELL, "battery: 30.6 Wh")
    )
    assert charge["battery_years"] == pytest.approx(energy["battery_years"])
    assert charge["battery_years"] == pytest.approx(years(charge, CELL_J))
    assert charge["energy_load_j"] is None
    assert charge["lifetime_ratio"] is None


def test_the_usable_part_feeds_the_self_discharge_of_the_whole(run: Run) -> None:
    """80 % of 8.5 Ah at 3.6 V, of which 2 % of the whole go each year."""
    cell = CELL.replace("}", ", usable: 80 %}")
    row = row_of(run(f"{METER}energy: {{{cell}, self_discharge: 2 %}}\n"))
    by_hand = years(row, 0.8 * CELL_J, lost_j=0.02 * CELL_J)
    assert row["battery_years"] == pytest.approx(by_hand)


def test_a_load_beside_the_radio_is_counted_apart_from_it(run: Run) -> None:
    """Two devices draw 100 uA at 3.6 V for a day, and 0.5 J for each of 24 messages."""
    plain = row_of(run(f"{METER}energy: {{{CELL}}}\n"))
    load = "load: {constant: 100 uA, per_message: 500 mJ}"
    row = row_of(run(f"{METER}energy: {{{CELL}, {load}}}\n"))
    assert row["messages_offered"] == 48
    assert row["energy_load_j"] == pytest.approx(2 * 100e-6 * 3.6 * DAY_S + 48 * 0.5)
    assert row["energy_j"] == plain["energy_j"]
    assert row["battery_years"] == pytest.approx(years(row, CELL_J))
    assert row["battery_years"] < plain["battery_years"]


def test_a_load_that_empties_a_battery_within_a_year_is_a_result(run: Run) -> None:
    """1 W empties 30.6 Wh in 30.6 h."""
    row = row_of(run(f"{METER}energy: {{{CELL}, load: {{constant: 1 W}}}}\n"))
    assert row["battery_years"] == pytest.approx(30.6 * 3600 / YEAR_S, rel=0.01)


@pytest.mark.parametrize("name", power_profiles())
def test_a_profile_of_ones_own_draws_what_the_shipped_one_of_its_values_draws(
    run: Run, name: str
) -> None:
    shipped = row_of(run(f"{METER}energy: {{profile: {name}}}\n"))
    own = row_of(run(f"{METER}energy: {{profile: {{like: {name}}}}}\n"))
    for column in ("energy_j", "energy_set_up_j", "energy_steady_j", "battery_years"):
        assert own[column] == pytest.approx(shipped[column], rel=1e-9), column


def test_a_state_that_draws_more_takes_its_time_times_the_difference(run: Run) -> None:
    """TR 45.820 listens for 80 mW; 50 mA at 3.6 V are 180 mW."""
    shipped = row_of(run(f"{METER}energy: {{profile: tr_45_820}}\n"))
    own = row_of(
        run(f"{METER}energy: {{profile: {{like: tr_45_820, supply: 3.6 V, receive: 50 mA}}}}\n")
    )
    assert own["radio_receive_s"] == shipped["radio_receive_s"]
    more = own["energy_j"] - shipped["energy_j"]
    assert more == pytest.approx(0.1 * shipped["radio_receive_s"])


def test_a_profile_of_ones_own_may_be_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "module.yaml").write_text("like: tr_45_820\nsupply: 3.6 V\nreceive: 50 mA\n")
    (tmp_path / "study.yaml").write_text(f"{METER}energy: {{profile: module.yaml}}\n")
    of_file = row_of(lasthop.run(tmp_path / "study.yaml", out=tmp_path / "results", jobs=1))
    mapping = "{like: tr_45_820, supply: 3.6 V, receive: 50 mA}"
    assert (
        of_file["energy_j"] == row_of(run(f"{METER}energy: {{profile: {mapping}}}\n"))["energy_j"]
    )


@pytest.mark.parametrize(("factor", "ratio"), [(0.9, 1.0), (1.1, 0.0)])
def test_a_lifetime_is_reached_by_those_that_last(run: Run, factor: float, ratio: float) -> None:
    """Both devices are alike up to the chance of the radio, so both last or none does."""
    lasts = row_of(run(f"{METER}energy: {{{CELL}}}\n"))["battery_years"]
    asked = f"{METER}energy: {{{CELL}, lifetime: {lasts * factor:.3f} years}}\n"
    assert row_of(run(asked))["lifetime_ratio"] == ratio


def test_the_share_that_lasts_counts_real_devices_and_is_told_by_stratum(run: Run) -> None:
    plain = run(FLEET.replace("{lifetime: LIFETIME}", "{}")).groups
    near, far = (plain.filter(stratum=name)["battery_years"][0] for name in ("144 dB", "164 dB"))
    assert far < 0.9 * near
    results = run(FLEET.replace("LIFETIME", f"{(near + far) / 2:.3f} years"))
    assert row_of(results)["lifetime_ratio"] == pytest.approx(0.8)
    by_stratum = dict(results.groups.select("stratum", "lifetime_ratio").rows())
    assert by_stratum == {"144 dB": 1.0, "164 dB": 0.0}


def test_a_study_can_be_decided_by_the_share_that_lasts(run: Run) -> None:
    asked = (
        "expect: [lifetime_ratio >= 95 %, \"lifetime_ratio == 0 % where stratum == '164 dB'\"]\n"
    )
    plain = run(FLEET.replace("{lifetime: LIFETIME}", "{}")).groups["battery_years"]
    middle = f"{(plain.min() + plain.max()) / 2:.3f} years"  # type: ignore[operator]
    results = run(FLEET.replace("LIFETIME", middle) + asked)
    assert [found.verdict.value for found in results.expectations] == ["failed", "held"]
