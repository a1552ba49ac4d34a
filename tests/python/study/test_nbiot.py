"""A radio network is resolved with every default, and defaults follow what a study changes."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from lasthop import _native
from lasthop.study.fields.form import Form
from lasthop.study.nbiot.form import Nbiot
from lasthop.study.nbiot.leaves import key_of, places
from lasthop.study.nbiot.network_time import NetworkTimeName
from lasthop.study.nbiot.presets import (
    NETWORK_TIMES,
    PRESETS,
    network_time,
    preset,
    usual_attach,
)

from .conftest import Load

HEAD = """\
study: a
duration: 10 min
traffic: {report: 25 B}
devices: {arrive: 2 /s}
stacks: [raw_udp]
"""


def spec_of(load: Load, nbiot: str, head: str = HEAD) -> dict[str, Any]:
    study = load(f"{head}path: {{nbiot: {nbiot}}}\n")
    spec: dict[str, Any] = json.loads(next(study.planned_runs()).spec_json)
    return spec


def network_of(load: Load, nbiot: str) -> dict[str, Any]:
    network: dict[str, Any] = spec_of(load, nbiot)["paths"]["path"]["hops"][0]["nbiot"]
    return network


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_what_the_simulator_makes(name: str) -> None:
    assert preset(name) == json.loads(_native.nbiot_preset(name)), "run make generate"


@pytest.mark.parametrize("name", NETWORK_TIMES)
def test_a_network_time_is_what_the_simulator_makes(name: NetworkTimeName) -> None:
    assert network_time(name) == json.loads(_native.nbiot_network_time(name)), "run make generate"


def test_the_usual_attach_is_that_of_the_simulator() -> None:
    assert usual_attach() == json.loads(_native.nbiot_attach()), "run make generate"


def test_what_a_study_writes_of_a_network_lies_over_its_preset(load: Load) -> None:
    written = "network: {base: operator_norway_2019, user_plane: 5 ms, module: {receive: 0 ms}}"
    expected = network_time("operator_norway_2019")
    expected["user_plane_ms"] = 5
    expected["module"]["receive_ms"] = 0
    for base in ("base: larmo_2019", "coupling_loss: 144 dB"):
        assert network_of(load, f"{{{base}, {written}}}")["network"] == expected


def test_a_network_takes_the_time_of_a_measured_one_unless_its_preset_is_ideal(load: Load) -> None:
    measured, ideal = network_time("operator_norway_2019"), network_time("ideal")
    for written, expected in (
        ("{coupling_loss: 144 dB}", measured),
        ("{base: single_device, coupling_loss: 144 dB}", measured),
        ("{deployment: {cells: 3}}", measured),
        ("{coupling_loss: 144 dB, network: {mme: 100 ms}}", measured | {"mme_ms": 100}),
        ("{base: larmo_2019}", ideal),
        ("{base: larmo_2019, network: {mme: 100 ms}}", ideal | {"mme_ms": 100}),
        ("{coupling_loss: 144 dB, network: ideal}", ideal),
    ):
        assert network_of(load, written)["network"] == expected, written


def test_a_preset_alone_is_taken_as_it_is(load: Load) -> None:
    assert network_of(load, "{base: larmo_2019}") == preset("larmo_2019")
    assert network_of(load, "{coupling_loss: 154 dB}") == preset("single_device")
    city = network_of(load, "{deployment: {cells: 21}}")
    assert city == preset("larmo_2019") | {"network": network_time("operator_norway_2019")}


def test_devices_that_come_are_a_population(load: Load) -> None:
    spec = spec_of(load, "{base: larmo_2019}")
    (group,), (server,), (flow,) = spec["groups"], spec["servers"], spec["flows"]
    assert group["population"] == {
        "arriving": {
            "per_second_per_cell": 2.0,
            "until_ns": 600 * 10**9,
            "linger_ns": 2 * 10**9,
            "give_up_ns": 60 * 10**9,
        }
    }
    assert server["layout"] == "per_device"
    assert flow["arrivals"] == "once"
    assert spec["measure"]["messages"] == "summed"


def test_devices_may_come_to_the_whole_network(load: Load) -> None:
    head = HEAD.replace("{arrive: 2 /s}", "{arrive: 126 /min, per: network}")
    head += "measure: {messages: each}\n"
    spec = spec_of(load, "{base: larmo_2019}", head)
    (group,) = spec["groups"]
    assert group["population"]["arriving"]["per_second_per_cell"] == pytest.approx(0.1)
    assert spec["measure"]["messages"] == "each"


def test_devices_may_stay_behind_a_coupling_loss(load: Load) -> None:
    head = HEAD.replace("report: 25 B", "report: 25 B, every: 1 h").replace("{arrive: 2 /s}", "3")
    spec = spec_of(load, "{coupling_loss: 164 dB}", head)
    (group,), (server,) = spec["groups"], spec["servers"]
    assert group["population"] == {"staying": {"devices": 3}}
    assert (server["layout"], spec["measure"]["messages"]) == ("shared", "each")
    assert spec["paths"]["path"]["hops"][0]["nbiot"]["placement"] == {
        "stated_coupling_loss": {"cells": 1, "coupling_loss_db": 164.0}
    }


def test_devices_may_fill_many_cells_behind_a_coupling_loss(load: Load) -> None:
    head = HEAD.replace("report: 25 B", "report: 25 B, every: 1 h").replace("{arrive: 2 /s}", "3")
    spec = spec_of(load, "{coupling_loss: {144 dB: 100 %}, deployment: {cells: 21}}", head)
    assert spec["paths"]["path"]["hops"][0]["nbiot"]["placement"] == {
        "stated_coupling_loss": {"cells": 21, "coupling_loss_db": 144.0}
    }
    assert [one["coupling_loss_db"] for one in spec["groups"][0]["strata"]] == [144.0]


def test_messages_of_devices_that_stay_may_be_summed(load: Load) -> None:
    head = HEAD.replace("report: 25 B", "report: 25 B, every: 1 h").replace("{arrive: 2 /s}", "3")
    spec = spec_of(load, "{coupling_loss: 164 dB}", head + "measure: {messages: summed}\n")
    assert spec["measure"]["messages"] == "summed"


@pytest.mark.parametrize(
    ("written", "field", "value"),
    [
        (
            "deployment: {inter_site_distance: 0.5 km}",
            "placement.deployment.inter_site_distance_m",
            500.0,
        ),
        ("deployment: {antenna: {gain: 15 dB}}", "placement.deployment.antenna.gain_dbi", 15.0),
        (
            "deployment: {indoor_loss: 10 dB}",
            "placement.deployment.indoor_loss.fixed.loss_db",
            10.0,
        ),
        ("deployment: {indoor_loss: tr_45_820}", "placement.deployment.indoor_loss", "tr45820"),
        ("carrier: {noise_figure: 4 dB}", "carrier.base_station_noise_figure_db", 4.0),
        ("random_access: {back_off: 0 s}", "random_access.back_off_ms", 0),
        ("coverage_levels: {ce2: {nprach: {repetitions: 64}}}", "levels.2.nprach.repetitions", 64),
        ("coverage_levels: {ce0: {response_window: 8}}", "levels.0.response_window_pp", 8),
        (
            "coverage_levels: {ce1: {early_data: {bits: 328}}}",
            "levels.1.early_data.bits",
            328,
        ),
        (
            "coverage_levels: {ce1: {early_data: {nprach: {start: 512 ms}}}}",
            "levels.1.early_data.nprach.start_ms",
            512,
        ),
        ("coverage_levels: {ce2: {early_data: off}}", "levels.2.early_data", None),
        (
            "random_access: {reject: {above_waiting: 50, wait: 60 s}}",
            "random_access.reject",
            {"above_waiting": 50, "wait_s": 60},
        ),
        ("random_access: {reject: off}", "random_access.reject", None),
        (
            "random_access: {access_barring: {classes: 5, moves_on: 30 s}}",
            "random_access.access_barring",
            {"barred_classes": 5, "moves_on_ms": 30_000},
        ),
        (
            "reestablishment: {t311: 10 s, t301: 25 s}",
            "connection.reestablishment",
            {"t311_ms": 10_000, "t301_ms": 25_000},
        ),
        (
            "non_anchor_carriers: {count: 3, anchor_sixteenths: 4}",
            "non_anchor_carriers",
            {"count": 3, "anchor_sixteenths": 4, "serve": "everything"},
        ),
        (
            "non_anchor_carriers: {count: 2, anchor_sixteenths: 0, serve: data}",
            "non_anchor_carriers",
            {"count": 2, "anchor_sixteenths": 0, "serve": "data"},
        ),
        (
            "wake_up_signal: {duration_divisor: 64, time_offset: 80 ms}",
            "idle.wake_up_signal",
            {"duration_divisor": 64, "time_offset_ms": 80},
        ),
        ("channel: {combining: estimates}", "channel.combining", "estimates"),
        (
            "channel: {downlink_estimation: symbol}",
            "channel.downlink_estimation",
            "symbol",
        ),
        (
            "channel: {acknowledgement_estimation: slot}",
            "channel.acknowledgement_estimation",
            "slot",
        ),
        ("channel: {frequency_offset: 20 Hz}", "channel.frequency_offset_hz", 20.0),
        (
            "channel: {silence_as_acknowledgement: 1 %}",
            "channel.silence_as_acknowledgement",
            0.01,
        ),
        ("channel: {estimation_window: ts_36_104}", "channel.estimation_window_15_khz_ms", 4),
        (
            "channel: {estimation_window_15_khz: fitted_by_level}",
            "channel.estimation_window_15_khz_ms",
            [4, 4, 1],
        ),
        ("channel: {estimation_window_15_khz: 2 ms}", "channel.estimation_window_15_khz_ms", 2),
        ("grants: one_per_request", "connection.grants", "one_per_request"),
        ("largest_block: {uplink_bits: 344}", "connection.largest_block.uplink_bits", 344),
        ("largest_block: {downlink_bits: 256}", "connection.largest_block.downlink_bits", 256),
        ("rlc: {polls: each}", "connection.rlc.polls", "each"),
        ("procedure: control_plane", "connection.procedure", "control_plane"),
        ("release_assistance: on", "connection.release_assistance", "after_reply"),
        ("release_assistance: off", "connection.release_assistance", "off"),
        (
            "release_assistance: after_last_uplink",
            "connection.release_assistance",
            "after_last_uplink",
        ),
        ("inactivity: 10 s", "connection.inactivity_ms", 10_000),
        ("rlc: {t_poll_retransmit: 2 s}", "connection.rlc.t_poll_retransmit_ms", 2000),
        ("drx_cycle: 1280 ms", "idle.drx_cycle_frames", 128),
        (
            "psm: {t3324: 10 s, t3412: 5 d}",
            "idle.power_saving_mode",
            {"t3324_ms": 10_000, "t3412_ms": 432_000_000},
        ),
        ("core_delay: 2.5 ms", "core_delay_ms", 2.5),
        ("packet_give_up: 30 s", "give_up_ms", 30_000),
        ("network: operator_norway_2019", "network", network_time("operator_norway_2019")),
        ("clock_ppm: 20", "idle.clock_ppm", 20.0),
        ("cell_search: 2 min", "idle.cell_search_ms", 120_000),
        ("attach: on", "idle.attach", usual_attach()),
        ("attach: off", "idle.attach", None),
        ("attach: {t3402: 6 min}", "idle.attach", usual_attach() | {"t3402_ms": 360_000}),
        (
            "attach: {q_rx_lev_min: -120 dBm, search_waits: [1 min, 1 h]}",
            "idle.attach",
            usual_attach() | {"q_rx_lev_min_dbm": -120.0, "search_waits_ms": [60_000, 3_600_000]},
        ),
        ("coverage_levels: {ce2: {synchronisation: 2 s}}", "levels.2.synchronisation_ms", 2000),
        ("network: {module: {wake_up: 500 ms}}", "network.module.wake_up_ms", 500),
        ("network: {mme: 100 ms}", "network.mme_ms", 100),
        ("network: {module: {send: 90 ms}}", "network.module.send_ms", 90),
        ("switches: {block_errors: off}", "switches.block_errors", False),
        (
            "channel: {interference_cut_off: off}",
            "channel.interference_cut_off_below_noise_db",
            None,
        ),
        ("channel: {doppler: 5 Hz}", "channel.fading", {"rayleigh": {"doppler_hz": 5.0}}),
        ("subframes: {downlink_gap: off}", "subframes.downlink_gap", None),
        (
            "subframes: {system_information: [{bits: 56, periodicity: 640 ms, every: 20 ms}]}",
            "subframes.system_information",
            [{"transport_block_bits": 56, "periodicity_frames": 64, "every_frames": 2}],
        ),
        ("uplink: {tones: [1, 3]}", "uplink.tones", [1, 3]),
    ],
)
def test_a_key_is_one_field(load: Load, written: str, field: str, value: object) -> None:
    network = network_of(load, f"{{base: larmo_2019, {written}}}")
    expected = preset("larmo_2019")
    *way, last = (int(step) if step.isdigit() else step for step in field.split("."))
    inner: Any = expected
    for step in way:
        inner = inner[step]
    inner[last] = value
    assert network == expected


def test_cells_have_what_they_write_over_what_the_network_has(load: Load) -> None:
    written = (
        "coverage_levels: {ce2: {nprach: {attempts: 5}}}, cell_settings: ["
        "{cells: [4, 5], coverage_levels: {ce1: {nprach: {repetitions: 4}}}}, "
        "{cells: [0], coupling_loss_thresholds: [140 dB], "
        "non_anchor_carriers: {count: 3, anchor_sixteenths: 4}}]"
    )
    network = network_of(load, f"{{base: larmo_2019, {written}}}")
    first, second = network["cell_settings"]
    levels = json.loads(json.dumps(network["levels"]))
    assert levels[2]["nprach"]["attempts"] == 5
    levels[1]["nprach"]["repetitions"] = 4
    assert first == {
        "cells": [4, 5],
        "rsrp_thresholds_dbm": network["rsrp_thresholds_dbm"],
        "levels": levels,
        "non_anchor_carriers": None,
    }
    assert second["levels"] == network["levels"][:2]
    assert second["rsrp_thresholds_dbm"] == pytest.approx([46 - 10.7918 - 140], abs=1e-4)
    assert second["non_anchor_carriers"] == {
        "count": 3,
        "anchor_sixteenths": 4,
        "serve": "everything",
    }
    words = load(f"{HEAD}path: {{nbiot: {{base: larmo_2019, {written}}}}}\n").conditions
    assert words["cells with settings of their own"] == "0, 4, 5"


def test_a_window_of_estimation_is_that_of_both_spacings(load: Load) -> None:
    channel = network_of(load, "{base: larmo_2019, channel: {estimation_window: 8 ms}}")["channel"]
    assert (channel["estimation_window_ms"], channel["estimation_window_15_khz_ms"]) == (8, 8)


def test_thresholds_stay_at_their_coupling_losses(load: Load) -> None:
    weaker = network_of(load, "{base: larmo_2019, carrier: {mode: in_band, power: 35 dBm}}")
    moved = [old - 11 for old in preset("larmo_2019")["rsrp_thresholds_dbm"]]
    assert weaker["rsrp_thresholds_dbm"] == pytest.approx(moved)
    stated = "{base: larmo_2019, coupling_loss_thresholds: [150 dB]}"
    network = network_of(load, stated)
    assert network["rsrp_thresholds_dbm"] == pytest.approx([46 - 10.7918 - 150], abs=1e-4)
    assert len(network["levels"]) == 2
    power = network_of(load, "{base: larmo_2019, rsrp_thresholds: [-115.5 dBm, -127.5 dBm]}")
    assert power["rsrp_thresholds_dbm"] == [-115.5, -127.5]


def test_a_wider_search_space_has_other_repetitions(load: Load) -> None:
    space = "random_access_search_space: {rmax: 64}, user_search_space: {rmax: 128, g: 4}"
    level = network_of(load, f"{{base: larmo_2019, coverage_levels: {{ce1: {{{space}}}}}}}")
    level = level["levels"][1]
    assert level["random_access_formats"]["dci_repetitions"] == 8
    assert level["link_adaptation"]["adaptive"]["dci_repetitions"] == [16, 32, 64, 128]


def test_transport_blocks_that_the_carrier_does_not_allow_are_left_out(load: Load) -> None:
    in_band = network_of(load, "{base: larmo_2019, carrier: {mode: in_band, power: 35 dBm}}")
    narrow = network_of(load, "{base: larmo_2019, uplink: {subcarrier_spacing: 3.75 kHz}}")
    for level in in_band["levels"]:
        assert max(level["link_adaptation"]["adaptive"]["npdsch_i_tbs"]) == 10
    assert narrow["uplink"] == {"subcarrier_spacing": "khz3_75", "tones": [1]}
    for level in narrow["levels"]:
        assert max(level["link_adaptation"]["adaptive"]["npusch_i_tbs"]) == 10


def test_a_level_is_served_in_one_way(load: Load) -> None:
    fixed = (
        "{dci_repetitions: 2, npdsch_i_tbs: 4, npdsch_repetitions: 2, npusch_tones: 1, "
        "npusch_i_tbs: 3, npusch_repetitions: 4, ack_repetitions: 4}"
    )
    levels = f"coverage_levels: {{ce1: {{link_adaptation: {{fixed: {fixed}}}}}}}"
    network = network_of(load, f"{{base: larmo_2019, {levels}}}")
    assert list(network["levels"][1]["link_adaptation"]) == ["fixed"]
    assert list(network["levels"][0]["link_adaptation"]) == ["adaptive"]


def test_keys_of_a_network_are_swept(load: Load) -> None:
    text = HEAD + "path: {nbiot: {base: larmo_2019}}\nsweep:\n"
    text += "  - {name: load, devices.arrive: [0.5 /s, 60 /min, 2 /s], "
    text += "path.nbiot.deployment.inter_site_distance: [500 m, 1.7 km]}\n"
    text += "  - {name: way, path.nbiot.procedure: [resume, service_request]}\n"
    study = load(text)
    assert [(one.column, one.unit) for part in study.parts for one in part.swept] == [
        ("devices_arrive_per_s", "/s"),
        ("path_nbiot_deployment_inter_site_distance_m", "m"),
        ("path_nbiot_procedure", "text"),
    ]
    loads = [point.parameters["devices_arrive_per_s"] for point in study.points]
    assert loads == [0.5, 0.5, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0]
    assert len({run.case_id for run in study.planned_runs()}) == 8


def test_what_matters_of_a_network_is_told_in_words(load: Load) -> None:
    words = load(HEAD + "path: {nbiot: {base: larmo_2019, release_assistance: on}}\n").conditions
    assert words["devices"] == "2 /s arrive in each cell, stay 2 s after, give up after 1 min"
    assert words["traffic"] == "report of 25 B, one a device"
    assert words["radio network"] == "21 cells, sites 1732 m apart, indoor loss 20 dB"
    assert words["carrier"] == "NB-IoT, standalone, 46 dBm"
    assert words["CE levels"] == "3, meeting at -108.8 dBm, -118.8 dBm of 46 dBm"
    assert words["fading"] == "Rayleigh, Doppler 1 Hz"
    assert words["procedure"] == "service request, release assistance"
    assert words["core delay"] == "4 ms each way"


@pytest.mark.parametrize("name", PRESETS)
def test_every_field_of_a_preset_has_a_key(name: str) -> None:
    # A coupling loss is a value, or a survey.
    holding_values = {*keys_with_values(Nbiot, ()), ("coupling_loss",)}
    lacking = [
        field
        for field, value in fields_of(preset(name), "")
        if value is not None and key_of(field) not in holding_values
    ]
    assert not lacking


def keys_with_values(form: type[Form], key: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Give every key of a network that holds a value and no mapping."""
    for place in places(form):
        if place.below is None:
            yield (*key, place.name)
        else:
            yield from keys_with_values(place.below, (*key, place.name))


def fields_of(value: object, name: str) -> Iterator[tuple[str, object]]:
    """Give every field of a network that holds a value, with its place."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from fields_of(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for place, inner in enumerate(value):
            yield from fields_of(inner, f"{name}[{place}]")
    else:
        yield name, value
