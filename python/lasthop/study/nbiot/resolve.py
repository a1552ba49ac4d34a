"""Resolves the keys of a study to all settings of a radio network."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from lasthop.study.fields.form import Form
from lasthop.study.fields.quantity import TIME, format_quantity
from lasthop.study.fields.shares import Shares
from lasthop.study.nbiot.amounts import SUBFRAME_NS
from lasthop.study.nbiot.defaults import follow
from lasthop.study.nbiot.leaves import Place, places
from lasthop.study.nbiot.network_time import NetworkTime
from lasthop.study.nbiot.presets import network_time, preset, usual_attach
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from lasthop.study.nbiot.cell_settings import CellSettings
    from lasthop.study.nbiot.form import Nbiot
    from lasthop.study.nbiot.leaves import Steps
    from lasthop.study.nbiot.presets import Network

_SPACINGS = {15_000.0: "khz15", 3_750.0: "khz3_75"}
_ESTIMATION_TS_36_104_MS = (16, 4)
"""Lengths of channel estimation at 3.75 and 15 kHz in ms (TS 36.104 annex A.14, A.16)."""
_ESTIMATION_FITTED_BY_LEVEL_MS = (4, 4, 1)
"""Lengths of channel estimation at 15 kHz by coverage level in ms. The first two are those of TS
36.104, the third is fitted to row V-L8 of lasthop_nbiot's MODEL.md."""
_TWELVE_TONES_DB = 10.791812460476248
"""Power of the carrier over that of one of its twelve tones, in dB."""
_RSRP_RANGE_DBM = (-140.5, -43.5)


def resolve(form: Nbiot) -> Network:
    """Return a preset with the keys of the study applied.

    A default that depends on what the study changes follows it: the thresholds stay at their
    coupling losses when the carrier gets another power, and lists lose what the carrier or the
    search space does not allow.

    Raises
    ------
    Fault
        If keys contradict each other.
    """
    network = preset(form.preset)
    if form.coupling_loss is not None:
        network["placement"] = {"stated_coupling_loss": {"cells": form.cells}}
    elif "deployment" not in network["placement"]:
        network["placement"] = preset("larmo_2019")["placement"]
    if form.base is None:
        network["network"] = preset("single_device")["network"]
    if isinstance(form.network, NetworkTime):
        if form.network.base is not None:
            network["network"] = network_time(form.network.base)
    elif form.network is not None:
        network["network"] = network_time(form.network)
    before = json.loads(json.dumps(network))
    written: set[Steps] = set()
    _overlay(form, network, (), (), written)
    _mode(form, network)
    _fading(form, network)
    _estimation(form, network)
    _assistance(form, network)
    _attach(form, network)
    _thresholds(form, network, before)
    _link_adaptations(form, network)
    follow(network, before, written)
    _cell_settings(form, network)
    return network


def _assistance(form: Nbiot, network: Network) -> None:
    """Set when the network releases devices that send release assistance."""
    if form.release_assistance is not None:
        released = {"on": "after_reply"}.get(form.release_assistance, form.release_assistance)
        network["connection"]["release_assistance"] = released


def _attach(form: Nbiot, network: Network) -> None:
    """Set the registration: usual values with the keys of the study applied."""
    attach = form.attach
    if attach is None or isinstance(attach, bool):
        network["idle"]["attach"] = usual_attach() if attach else None
        return
    usual = usual_attach()
    _overlay(attach, usual, ("attach",), (), set())
    if attach.search_waits is not None:
        key = ("attach", "search_waits")
        usual["search_waits_ms"] = [
            _counted(wait_ns, SUBFRAME_NS, (*key, place))
            for place, wait_ns in enumerate(attach.search_waits)
        ]
    network["idle"]["attach"] = usual


def _cell_settings(form: Nbiot, network: Network) -> None:
    """Set the own settings of single cells. Missing ones are those of the network."""
    made = []
    for place, own in enumerate(form.cell_settings or ()):
        try:
            made.append(_of_cells(own, network))
        except Fault as fault:
            raise fault.within(("cell_settings", place)) from None
    network["cell_settings"] = made


def _of_cells(own: CellSettings, network: Network) -> Network:
    before = json.loads(json.dumps(network))
    changed = json.loads(json.dumps(network))
    written: set[Steps] = set()
    _overlay(own, changed, (), (), written)
    _thresholds(own, changed, before)
    _link_adaptations(own, changed)
    follow(changed, before, written)
    return {name: changed[name] for name in _OF_A_CELL}


def _overlay(
    form: Form, network: Network, key: tuple[str, ...], at: Steps, written: set[Steps]
) -> None:
    for place in places(type(form)):
        value = getattr(form, place.name)
        steps, own = (*at, *place.steps), (*key, place.name)
        if value is None or own in _SPECIAL or (own == ("deployment",) and _is_stated(network)):
            continue
        if own == ("network",) and not isinstance(value, Form):
            continue
        if isinstance(value, Form):
            _overlay(value, network, own, steps, written)
        else:
            _store(network, steps, _converted(value, place, own))
            written.add(steps)


def _is_stated(network: Network) -> bool:
    """Return whether coupling losses are stated.

    A deployment then only sets the number of cells.
    """
    return "stated_coupling_loss" in network["placement"]


_SPECIAL = {
    ("carrier", "mode"),
    ("carrier", "control_symbols"),
    ("channel", "fading"),
    ("channel", "doppler"),
    ("channel", "estimation_window"),
    ("channel", "estimation_window_15_khz"),
    ("rsrp_thresholds",),
    ("release_assistance",),
    ("attach",),
    ("attach", "search_waits"),
    ("cell_settings",),
}
"""Keys that do not correspond to a single field."""
_OF_A_CELL = ("cells", "rsrp_thresholds_dbm", "levels", "non_anchor_carriers")
"""Fields that single cells can override."""


def _store(network: Network, steps: Steps, value: object) -> None:
    inner: Any = network
    for step in steps[:-1]:
        if isinstance(step, str) and inner.get(step) is None:
            inner[step] = {}
        inner = inner[step]
    before = inner.get(steps[-1]) if isinstance(inner, dict) else None
    whole = isinstance(value, int) and not isinstance(value, bool)
    inner[steps[-1]] = float(cast("int", value)) if whole and isinstance(before, float) else value


def _converted(value: object, place: Place, key: tuple[str, ...]) -> object:
    if value == "off":
        return None
    if isinstance(value, Shares):
        return value.shares[0].value
    if place.name == "indoor_loss":
        return "tr45820" if isinstance(value, str) else {"fixed": {"loss_db": value}}
    if place.name == "subcarrier_spacing":
        return _spacing(cast("float", value), key)
    if isinstance(value, list):
        return [_item(item, key) for item in value]
    return value if place.unit_ns is None else _counted(cast("int", value), place.unit_ns, key)


def _item(item: object, key: tuple[str, ...]) -> object:
    if not isinstance(item, Form):
        return item
    made: Network = {}
    _overlay(item, made, key, (), set())
    return made


def _counted(time_ns: int, unit_ns: int, key: tuple[str | int, ...]) -> int | float:
    if time_ns % unit_ns == 0:
        return time_ns // unit_ns
    if key == ("core_delay",):
        return time_ns / unit_ns
    raise Fault(
        f"{format_quantity(time_ns, TIME)} is not a multiple of {format_quantity(unit_ns, TIME)}",
        hint=f'write "{format_quantity(max(1, time_ns // unit_ns) * unit_ns, TIME)}"',
        location=key,
    )


def _spacing(hz: float, key: tuple[str, ...]) -> str:
    if hz not in _SPACINGS:
        raise Fault(
            "NPUSCH does not have this subcarrier spacing",
            hint='write "15 kHz" or "3.75 kHz" (TS 36.211 section 10.1.2)',
            location=key,
        )
    return _SPACINGS[hz]


def _mode(form: Nbiot, network: Network) -> None:
    carrier = form.carrier
    if carrier is None:
        return
    mode = carrier.mode
    if mode == "in_band":
        symbols = 3 if carrier.control_symbols is None else carrier.control_symbols
        network["carrier"]["mode"] = {"in_band": {"control_symbols": symbols}}
        return
    if carrier.control_symbols is not None:
        raise Fault(
            "only an in-band carrier has LTE control symbols",
            hint='remove it, or write "mode: in_band"',
            location=("carrier", "control_symbols"),
            at_key=True,
        )
    if mode is not None:
        network["carrier"]["mode"] = mode


def _fading(form: Nbiot, network: Network) -> None:
    channel = form.channel
    if channel is None or (channel.fading is None and channel.doppler is None):
        return
    before = network["channel"]["fading"]
    known, doppler = (before, 1.0) if isinstance(before, str) else next(iter(before.items()))
    doppler = doppler["doppler_hz"] if isinstance(doppler, dict) else doppler
    kind = channel.fading or known
    if kind == "none":
        if channel.doppler is not None:
            raise Fault(
                '"doppler" has no effect without fading',
                hint='remove it, or write "fading: rayleigh"',
                location=("channel", "doppler"),
                at_key=True,
            )
        network["channel"]["fading"] = "none"
        return
    shift = doppler if channel.doppler is None else channel.doppler
    network["channel"]["fading"] = {kind: {"doppler_hz": shift}}


def _estimation(form: Nbiot, network: Network) -> None:
    """Set the channel estimation window of both tone spacings."""
    if form.channel is None:
        return
    own = form.channel.estimation_window_15_khz
    if isinstance(own, str):
        network["channel"]["estimation_window_15_khz_ms"] = list(_ESTIMATION_FITTED_BY_LEVEL_MS)
    elif own is not None:
        key = ("channel", "estimation_window_15_khz")
        network["channel"]["estimation_window_15_khz_ms"] = _counted(own, SUBFRAME_NS, key)
    window = form.channel.estimation_window
    if window is None:
        return
    if isinstance(window, str):
        narrow_ms, wide_ms = _ESTIMATION_TS_36_104_MS
    else:
        counted = _counted(window, SUBFRAME_NS, ("channel", "estimation_window"))
        narrow_ms = wide_ms = cast("int", counted)
    network["channel"]["estimation_window_ms"] = narrow_ms
    if own is None:
        network["channel"]["estimation_window_15_khz_ms"] = wide_ms


def _thresholds(form: Nbiot | CellSettings, network: Network, before: Network) -> None:
    power, power_before = (
        one["carrier"]["downlink_power_dbm"] - _TWELVE_TONES_DB for one in (network, before)
    )
    if form.rsrp_thresholds is not None:
        thresholds = list(form.rsrp_thresholds)
    elif form.coupling_loss_thresholds is not None:
        thresholds = [_measured(power, loss) for loss in form.coupling_loss_thresholds]
    elif power != power_before:
        moved = power - power_before
        thresholds = [threshold + moved for threshold in network["rsrp_thresholds_dbm"]]
    else:
        return
    network["rsrp_thresholds_dbm"] = thresholds
    levels = form.coverage_levels
    for place in places(type(levels)) if levels is not None else ():
        number = cast("int", place.steps[0])
        if number > len(thresholds) and getattr(levels, place.name) is not None:
            raise Fault(
                f"the CE level {place.name} does not exist with {len(thresholds)} thresholds",
                hint="remove it, or add a threshold",
                location=("coverage_levels", place.name),
                at_key=True,
            )
    network["levels"] = network["levels"][: len(thresholds) + 1]


def _measured(power_dbm: float, loss_db: float) -> float:
    """Return the RSRP of a coupling loss."""
    rsrp = power_dbm - loss_db
    low, high = _RSRP_RANGE_DBM
    if not low <= rsrp <= high:
        raise Fault(
            f"a coupling loss of {loss_db:g} dB is an RSRP of {rsrp:.1f} dBm, which "
            "is out of range",
            hint=f"write a loss that gives {low} to {high} dBm (TS 36.331 RSRP-Range)",
            location=("coupling_loss_thresholds",),
        )
    return rsrp


def _link_adaptations(form: Nbiot | CellSettings, network: Network) -> None:
    """Keep only the written one of the two link adaptation modes of a level."""
    for place in places(type(form.coverage_levels)) if form.coverage_levels else ():
        level = getattr(form.coverage_levels, place.name)
        if level is not None and level.link_adaptation is not None:
            way = next(iter(level.link_adaptation.model_fields_set))
            own = network["levels"][cast("int", place.steps[0])]
            own["link_adaptation"] = {way: own["link_adaptation"][way]}
