"""Descriptions of an NB-IoT network for the report and the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.study.fields.quantity import DECIBEL, LENGTH, POWER_LEVEL, TIME, format_quantity
from lasthop.study.nbiot.presets import NETWORK_TIMES, network_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lasthop.study.nbiot.presets import Network

_MODES = {"standalone": "standalone", "guard_band": "guard band"}
_PROCEDURES = {
    "service_request": "service request",
    "resume": "resume (user plane)",
    "control_plane": "data in NAS messages (control plane)",
}
_ASSISTANCE = {
    "off": "",
    "after_reply": ", release assistance",
    "after_last_uplink": ", release assistance with the last uplink",
}
_MS_NS = 1_000_000

IDEAL_NETWORK = (
    "ideal network: no time in base station and core, so battery years and latencies are the best "
    "that there can be"
)
"""Caution on results of a network without delays in base station and core."""


def network_caution(networks: Iterable[Mapping[str, Any]]) -> str | None:
    """Describe the source of the delays if they are ideal or of one network only."""
    times = [network["network"] for network in networks]
    if not times or any(time != times[0] for time in times):
        return None
    names = [name for name in NETWORK_TIMES if network_time(name) == times[0]]
    if names == ["ideal"]:
        return IDEAL_NETWORK
    if not names:
        return None
    others = ", ".join(name for name in NETWORK_TIMES if name != "ideal")
    return (
        f"base station, core and module take their time as {names[0]}; networks that were measured "
        f"differ, and a part with path.nbiot.network: [{others}] shows what hangs on it"
    )


def network_in_words(network: Network) -> dict[str, str]:
    """Return the most important settings of a network as texts, in reading order."""
    connection, carrier = network["connection"], network["carrier"]
    described = {
        "radio network": _placement(network["placement"]),
        "carrier": f"NB-IoT, {_mode(carrier['mode'])}, {_dbm(carrier['downlink_power_dbm'])}",
        "CE levels": _levels(network),
        "fading": _fading(network["channel"]["fading"]),
        "procedure": _procedure(connection),
        "inactivity": _ms(connection["inactivity_ms"]),
        "core delay": f"{_ms(network['core_delay_ms'])} each way",
        "time in the network": _network_time(network["network"]),
    }
    own = [cell for settings in network["cell_settings"] for cell in settings["cells"]]
    if own:
        described["cells with settings of their own"] = ", ".join(map(str, sorted(own)))
    attach = network["idle"]["attach"]
    if attach is not None:
        lowest = _dbm(attach["q_rx_lev_min_dbm"])
        described["attach"] = f"at the start, above {lowest}, T3402 {_ms(attach['t3402_ms'])}"
    if network["idle"]["power_saving_mode"] is not None:
        saving = network["idle"]["power_saving_mode"]
        described["PSM"] = f"T3324 {_ms(saving['t3324_ms'])}, T3412 {_ms(saving['t3412_ms'])}"
    if network["idle"]["extended_drx"] is not None:
        described["eDRX"] = f"every {_ms(network['idle']['extended_drx']['cycle_ms'])}"
    return described


def _placement(placement: dict[str, Any]) -> str:
    stated = placement.get("stated_coupling_loss")
    if stated is not None:
        loss = f"coupling loss {_db(stated['coupling_loss_db'])}"
        if stated["cells"] == 1:
            return f"one cell, {loss}"
        return f"{stated['cells']} cells that do not hear each other, {loss}"
    deployment = placement["deployment"]
    cells = f"{deployment['cells']} cells"
    distance = format_quantity(deployment["inter_site_distance_m"], LENGTH)
    indoor = deployment["indoor_loss"]
    loss = "TR 45.820" if isinstance(indoor, str) else _db(indoor["fixed"]["loss_db"])
    return f"{cells}, sites {distance} apart, indoor loss {loss}"


def _mode(mode: str | dict[str, Any]) -> str:
    return _MODES[mode] if isinstance(mode, str) else "in-band"


def _levels(network: Network) -> str:
    power = network["carrier"]["downlink_power_dbm"]
    thresholds = ", ".join(_dbm(round(one, 1)) for one in network["rsrp_thresholds_dbm"])
    count = len(network["levels"])
    return f"{count}, meeting at {thresholds} of {_dbm(power)}" if thresholds else f"{count}"


def _fading(fading: str | dict[str, Any]) -> str:
    if isinstance(fading, str):
        return "none"
    (kind, values), *_ = fading.items()
    return f"{kind.replace('_', ' ').capitalize()}, Doppler {values['doppler_hz']:g} Hz"


def _procedure(connection: dict[str, Any]) -> str:
    words = _PROCEDURES[connection["procedure"]]
    if connection["early_data_bits"] is not None:
        words += f", early data up to {connection['early_data_bits']} bit"
    return words + _ASSISTANCE[connection["release_assistance"]]


def _network_time(time: Network) -> str:
    """Return the name of a network delay preset, or a description of the delays."""
    for name in NETWORK_TIMES:
        if time == network_time(name):
            return name
    nas = time["base_station_ms"] + time["s1_round_trip_ms"] + time["mme_ms"]
    return f"{_ms(nas)} for an answer of the MME, {_ms(time['user_plane_ms'])} each way for packets"


def _ms(time_ms: float) -> str:
    return format_quantity(round(time_ms * _MS_NS), TIME)


def _db(value: float) -> str:
    return format_quantity(value, DECIBEL)


def _dbm(value: float) -> str:
    return format_quantity(value, POWER_LEVEL)
