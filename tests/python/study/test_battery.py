"""Batteries, loads and power profiles of a study, and what is refused of them in one line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lasthop.study import Study
from lasthop.study.fleet.energy import Energy
from lasthop.study.fleet.power_profile import power_profiles, shipped_profile
from lasthop.study.plan.batteries import YEAR_S, longest_years

from .conftest import Load

SHORT = """\
study: a
duration: 1 d
traffic: {report: 72 B, every: 1 h}
path: {nbiot: {coupling_loss: 144 dB}}
stacks: [raw_udp]
"""
CELL = "capacity: 8.5 Ah, voltage: 3.6 V"
MODULE = """\
comment: a module
source: data sheet
supply: 3.6 V
deep_sleep: 3 uA
light_sleep: 1 mA
connected_sleep: 8 mA
receive: 66 mA
transmit_floor: 100 mA
transmit: 230 mA
"""

REFUSED = {
    "a charge without a voltage": (
        "energy: {battery: 8.5 Ah}",
        (
            '*energy.battery: "8.5 Ah" is a charge, and its energy depends on the voltage of the '
            'cell; write "{capacity: 8.5 Ah, voltage: 3.6 V}"'
        ),
    ),
    "a charge without a voltage in a mapping": (
        "energy: {battery: {capacity: 8.5 Ah}}",
        (
            '*energy.battery.capacity: "8.5 Ah" is a charge, and the voltage of the cell is '
            'missing; write "voltage: 3.6 V" beside it, or the capacity as an energy in Wh'
        ),
    ),
    "nothing in it": (
        "energy: {battery: {capacity: 0 Ah, voltage: 3.6 V}}",
        '*energy.battery.capacity: "0 Ah" is too small; write for example "8.5 Ah"',
    ),
    "no voltage": (
        "energy: {battery: {capacity: 8.5 Ah, voltage: 0 V}}",
        '*energy.battery.voltage: "0 V" is too small; write for example "3.6 V"',
    ),
    "nothing usable": (
        f"energy: {{battery: {{{CELL}, usable: 0 %}}}}",
        "*energy.battery.usable: the usable share of the battery is 0 %; write more than 0 %, *",
    ),
    "a source without a share": (
        f"energy: {{battery: {{{CELL}, usable_source: a sheet}}}}",
        '*energy.battery.usable_source: a source without a share; write "usable: 85 %" *',
    ),
    "more than all of it usable": (
        f"energy: {{battery: {{{CELL}, usable: 101 %}}}}",
        '*energy.battery.usable: "101 %" is more than 100 %; write "100 %" or less',
    ),
    "a table without a temperature": (
        f"energy: {{battery: {{{CELL}, derating: {{20 C: 100 %}}}}}}",
        '*derating: "derating" has no effect without "temperature"; write "temperature: 5 C" *',
    ),
    "a temperature without a table": (
        f"energy: {{battery: {{{CELL}, temperature: 5 C}}}}",
        '*temperature: "temperature" has no effect without "derating"; write "derating: *',
    ),
    "a temperature outside of the table": (
        (
            f"energy: {{battery: {{{CELL}, temperature: -30 C, "
            "derating: {-20 C: 60 %, 20 C: 100 %}}}"
        ),
        (
            "*energy.battery.temperature: the derating table has no value for -30 °C; write a "
            "temperature from -20 °C to 20 °C, or add a row to the table"
        ),
    ),
    "a temperature twice": (
        f"energy: {{battery: {{{CELL}, temperature: 5 C, derating: {{5 C: 60 %, 5.0 C: 61 %}}}}}}",
        "*energy.battery.derating: 5 °C is in the derating table twice; remove one of the rows",
    ),
    "a derating to nothing": (
        f"energy: {{battery: {{{CELL}, temperature: 5 C, derating: {{5 C: 0 %}}}}}}",
        "*derating.5 C: a cell that gives 0 % is empty; remove the row",
    ),
    "a cut-off above the voltage": (
        f"energy: {{battery: {{{CELL}, cut_off: 3.7 V, resistance: 5 ohm}}}}",
        "*energy.battery.cut_off: the device resets at 3.7 V, and the battery has 3.6 V; write *",
    ),
    "a cut-off without a resistance": (
        f"energy: {{battery: {{{CELL}, cut_off: 2.7 V}}}}",
        '*"cut_off" has no effect without "resistance"; write "resistance: 5 ohm" beside it, *',
    ),
    "a pulse without a voltage": (
        "energy: {battery: {capacity: 5 Wh, max_pulse: 200 mA}}",
        '*max_pulse: "max_pulse" needs the voltage of the battery; write "voltage: 3.6 V" *',
    ),
    "a self-discharge of the usable part": (
        f"energy: {{battery: {{{CELL}, usable: 5 %}}, self_discharge: 5 %}}",
        (
            "*energy.self_discharge: a self-discharge of 5 % a year uses up the usable part of the "
            "battery within a year; write a smaller self-discharge, or a larger usable share"
        ),
    ),
    "a current without a voltage": (
        "energy: {load: {constant: 12 uA}}",
        '*energy.load.constant: "12 uA" is a current, and the battery has no voltage; write *',
    ),
    "a profile that is unknown": (
        "energy: {profile: sara}",
        '*energy.profile: there is no power profile "sara"; did you mean "sara_n2"?*',
    ),
    "a profile without a state": (
        (
            "energy: {profile: {deep_sleep: 3 uW, light_sleep: 1 mW, connected_sleep: 8 mW, "
            "transmit_floor: 60 mW, transmit: 500 mW}}"
        ),
        '*energy.profile: the key "receive" is missing; write "receive: 66 mA"',
    ),
    "a current of a profile without a supply": (
        "energy: {profile: {like: tr_45_820, receive: 66 mA}}",
        (
            '*energy.profile.receive: "66 mA" is a current, and no voltage is given; write '
            '"supply: 3.6 V" beside it, or a power, for example "3 mW"'
        ),
    ),
    "a profile that sends for less": (
        "energy: {profile: {like: sara_n2, transmit: 60 mW}}",
        '*energy.profile.transmit: "60 mW" at 23 dBm is not more than "345 mW" at very low *',
    ),
    "a file that is not there": (
        "energy: {profile: module.yaml}",
        '*energy.profile: the file "module.yaml" cannot be read; write the name of a YAML file *',
    ),
    "a file outside of the folder": (
        "energy: {profile: ../module.yaml}",
        '*energy.profile: the file "../module.yaml" is outside the folder of the study; *',
    ),
    "a share that lasts without a lifetime": (
        "expect: [lifetime_ratio >= 95 %]",
        (
            "*expect: lifetime_ratio cannot be calculated: no group has a lifetime; write for "
            'example "energy: {lifetime: 15 years}"'
        ),
    ),
    "a load that is not there": (
        "decide: {minimise: energy_load}",
        (
            "*decide.minimise: energy_load cannot be calculated: no group has a load; write for "
            'example "energy: {load: {constant: 40 uW}}"'
        ),
    ),
    "a lifetime of nothing": (
        "energy: {lifetime: 0 years}",
        '*energy.lifetime: "0 years" is too small; write for example "15 years"',
    ),
    "a lifetime in months": (
        "energy: {lifetime: 18 months}",
        '*energy.lifetime: "18 months": unknown unit "months"; write *',
    ),
    "a load below zero": (
        "energy: {load: {per_message: -1 mJ}}",
        '*energy.load.per_message: "-1 mJ" is negative; write "0 mJ" or more',
    ),
    "a life that no stack can reach": (
        (
            f"energy: {{battery: {{{CELL}}}, load: {{constant: 1 mA}}}}\n"
            "decide: {maximise: battery_years, require: [battery_years >= 15]}"
        ),
        (
            "*decide.require: no stack can meet this: a battery lasts for 1.0 years where the "
            'radio only sleeps; write a limit below 1.0 years, a larger "battery" or a smaller '
            '"load"'
        ),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_battery_can_be_is_refused(case: str, refused: Callable[[str, str], None]) -> None:
    written, message = REFUSED[case]
    refused(f"{SHORT}{written}\n", message)


def energy_of(study: Study) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(next(iter(study.planned_runs())).spec_json)["groups"][0][
        "energy"
    ]
    return found


def test_a_charge_at_a_voltage_is_an_energy(load: Load) -> None:
    """8.5 Ah at 3.6 V are 30.6 Wh, as written."""
    as_charge = energy_of(load(f"{SHORT}energy: {{battery: {{{CELL}}}}}\n"))
    as_energy = energy_of(load(f"{SHORT}energy: {{battery: 30.6 Wh}}\n"))
    assert as_charge == as_energy
    assert as_charge["battery_wh"] == pytest.approx(30.6)


def test_the_usable_part_is_less_by_share_and_temperature(load: Load) -> None:
    """Of 30.6 Wh 80 % are usable, at 0 C half way from 50 to 100 %: 30.6 x 0.8 x 0.75 = 18.36."""
    cell = f"{CELL}, usable: 80 %, temperature: 0 C, derating: {{-20 C: 50 %, 20 C: 100 %}}"
    found = energy_of(load(f"{SHORT}energy: {{battery: {{{cell}}}, self_discharge: 1 %}}\n"))
    assert found["battery_wh"] == pytest.approx(18.36)
    # 1 % of the nominal 30.6 Wh are 0.306 Wh a year, which 18.36 Wh have to give.
    assert found["self_discharge_per_year"] == pytest.approx(0.306 / 18.36)


def test_a_table_of_one_row_holds_at_its_temperature(load: Load) -> None:
    cell = f"{CELL}, temperature: 5 C, derating: {{5 C: 50 %}}"
    found = energy_of(load(f"{SHORT}energy: {{battery: {{{cell}}}}}\n"))
    assert found["battery_wh"] == pytest.approx(15.3)


def test_a_table_may_be_a_file(load: Load) -> None:
    Path("cell.csv").write_text("temperature_c,capacity,max_pulse_ma\n20,100 %,400\n-20,50 %,100\n")
    cell = f"{CELL}, temperature: 0 C, derating: cell.csv"
    study = load(f"{SHORT}energy: {{profile: sara_n2, battery: {{{cell}}}}}\n")
    assert energy_of(study)["battery_wh"] == pytest.approx(30.6 * 0.75)
    # 828 mW at 3.6 V are 230 mA; the table gives 250 mA at 0 C, and 100 mA at -20 C.
    assert not study.notes
    colder = load(
        f"{SHORT}energy: {{profile: sara_n2, battery: {{{cell.replace('0 C', '-20 C', 1)}}}}}\n"
    )
    assert ["gives pulses of 100 mA" in note for note in colder.notes] == [True]


BAD_FILES = {
    "": "*cell.csv: the file is not a table; write *",
    "temperature,capacity\n20,100 %\n": '*cell.csv:1: "temperature,capacity" is not the header; *',
    "temperature_c,capacity\n": "*cell.csv: the table has 0 rows; write 1 to 1000 rows *",
    "temperature_c,capacity\n20,100 %,3\n": "*cell.csv:2: 3 cells under a header of 2; give *",
    "temperature_c,capacity\n20,100\n": '*cell.csv:2: "100" has no unit; write "100 %"',
    "temperature_c,capacity\nwarm,100 %\n": '*cell.csv:2: "warm C" is not a temperature; write *',
    "temperature_c,capacity\n-300,1 %\n": '*cell.csv:2: "-300 C" is less than -200 °C; write *',
}


@pytest.mark.parametrize("content", BAD_FILES)
def test_a_table_that_cannot_be_is_refused(
    content: str, refused: Callable[[str, str], None]
) -> None:
    Path("cell.csv").write_text(content)
    cell = f"{CELL}, temperature: 0 C, derating: cell.csv"
    refused(f"{SHORT}energy: {{battery: {{{cell}}}}}\n", BAD_FILES[content])


def test_each_limit_of_a_cell_is_named_where_the_module_exceeds_it(load: Load) -> None:
    """SARA-N2 draws 828 mW while it sends with 23 dBm: 230 mA at 3.6 V."""

    def notes(limits: str) -> tuple[str, ...]:
        cell = f"{{{CELL}, {limits}}}"
        return load(f"{SHORT}energy: {{profile: sara_n2, battery: {cell}}}\n").notes

    (pulse,) = notes("max_pulse: 200 mA")
    assert pulse == (
        "energy.battery: the module draws 230 mA while it sends with 23 dBm, and the battery gives "
        "pulses of 200 mA; add a capacitor, or take a cell with a larger max_pulse"
    )
    assert notes("max_pulse: 230 mA") == ()
    (continuous,) = notes("max_continuous: 20 mA")
    assert "more than max_continuous, 20 mA" in continuous
    assert notes("max_continuous: 20 mA, max_pulse: 300 mA") == ()
    # 3.6 V - 0.23 A x 5 ohm = 2.45 V.
    (reset,) = notes("cut_off: 2.7 V, resistance: 5 ohm")
    assert "pulls the battery down to 2.45 V, below the cut_off of 2.7 V" in reset
    assert notes("cut_off: 2.4 V, resistance: 5 ohm") == ()


def test_what_a_device_draws_beside_its_radio_is_in_the_run_spec(load: Load) -> None:
    """12 uA at 3.6 V are 43.2 uW."""
    found = energy_of(
        load(
            f"{SHORT}energy: {{battery: {{{CELL}}}, load: {{constant: 12 uA, per_message: 20 mJ}}, "
            "lifetime: 15 years}\n"
        )
    )
    assert found["load_w"] == pytest.approx(43.2e-6)
    assert found["load_per_message_j"] == pytest.approx(0.02)
    assert found["lifetime_years"] == pytest.approx(15.0)


def test_what_draws_nothing_is_left_out(load: Load) -> None:
    nothing = f"{SHORT}energy: {{load: {{constant: 0 W, per_message: 0 J}}}}\n"
    assert energy_of(load(nothing)) == energy_of(load(SHORT))
    assert energy_of(load(SHORT)).keys() == {"profile", "battery_wh", "self_discharge_per_year"}


def test_the_battery_of_a_group_has_the_voltage_of_its_load(load: Load) -> None:
    fleet = SHORT.replace("traffic: {report: 72 B, every: 1 h}\n", "").replace(
        "path: {nbiot: {coupling_loss: 144 dB}}",
        "paths: {cell: {nbiot: {coupling_loss: {144 dB: 50 %, 154 dB: 50 %}}}}\n"
        "servers: {s: {}}\n"
        f"fleet: {{m: {{count: 20, battery: {{{CELL}}}, energy: {{load: {{constant: 1 uA}}}}}}}}\n"
        "traffic: {r: {from: m, report: 72 B, every: 1 h}}",
    )
    found = energy_of(load(fleet))
    assert found["load_w"] == pytest.approx(3.6e-6)
    assert found["battery_wh"] == pytest.approx(30.6)


def test_a_profile_may_be_a_file(load: Load) -> None:
    Path("module.yaml").write_text(MODULE)
    study = load(f"{SHORT}energy: {{profile: module.yaml}}\n")
    own = energy_of(study)["profile"]["own"]
    assert own["deep_sleep_w"] == pytest.approx(3e-6 * 3.6)
    assert own["transmit_w"] == pytest.approx(0.230 * 3.6)
    assert "module, 5 Wh" in study.conditions["energy"]


def test_a_file_has_the_shape_of_a_shipped_profile(load: Load) -> None:
    values = "\n".join(f"  {line}" for line in MODULE.splitlines()[2:])
    Path("module.yaml").write_text(f"comment: a module\nvalues:\n{values}\n")
    Path("flat.yaml").write_text(MODULE)
    nested = energy_of(load(f"{SHORT}energy: {{profile: module.yaml}}\n"))
    assert nested == energy_of(load(f"{SHORT}energy: {{profile: flat.yaml}}\n"))


def test_a_file_without_a_state_is_refused(refused: Callable[[str, str], None]) -> None:
    Path("module.yaml").write_text(MODULE.replace("receive: 66 mA\n", ""))
    refused(
        f"{SHORT}energy: {{profile: module.yaml}}\n",
        '*energy.profile: module.yaml: the key "receive" is missing; write "receive: 66 mA"',
    )


def test_a_file_with_a_wrong_unit_is_refused(refused: Callable[[str, str], None]) -> None:
    Path("module.yaml").write_text(MODULE.replace("66 mA", "66 mB"))
    refused(
        f"{SHORT}energy: {{profile: module.yaml}}\n",
        '*energy.profile: module.yaml: receive: "66 mB": unknown unit "mB"; write *',
    )


@pytest.mark.parametrize("name", power_profiles())
def test_each_shipped_profile_has_every_state_and_a_source(name: str) -> None:
    profile = shipped_profile(name)
    assert profile.source
    assert profile.spec() == name
    own = Energy.model_validate({"profile": {"like": name}}).radio
    assert own.watts == profile.watts


def test_the_longest_life_is_that_of_a_sleeping_radio() -> None:
    """8.5 Ah at 3.6 V: 110,160 J. 10.8 uW asleep and 36 uW beside it; 1 % a year are 1,101.6 J."""
    energy = Energy.model_validate(
        {
            "profile": "sara_n2",
            "battery": {"capacity": "8.5 Ah", "voltage": "3.6 V"},
            "load": {"constant": "10 uA"},
            "self_discharge": "1 %",
        }
    )
    by_hand = 110_160 / ((10.8e-6 + 36e-6) * YEAR_S + 1101.6)
    assert longest_years(energy) == pytest.approx(by_hand)
    assert by_hand == pytest.approx(42.7, abs=0.05)
