"""Presets of NB-IoT networks, as the simulator defines them."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, cast, get_args

from lasthop.study.nbiot.network_time import NetworkTimeName

Network = dict[str, Any]
"""Resolved settings of an NB-IoT network, as the simulator reads them."""

PRESETS = ("larmo_2019", "single_device")

NETWORK_TIMES: tuple[NetworkTimeName, ...] = get_args(NetworkTimeName)
"""Presets of the delays of base station, core and module, by name."""


def preset(name: str) -> Network:
    """Return the settings of a preset."""
    return _read(name)


def network_time(name: NetworkTimeName) -> Network:
    """Return the delays of base station, core and module in a preset."""
    return cast("Network", _read("network_times")[name])


def usual_attach() -> Network:
    """Return the timers and limits of a usual registration."""
    return _read("attach")


def _read(name: str) -> Network:
    text = resources.files(__package__).joinpath(f"{name}.json").read_text("utf-8")
    return cast("Network", json.loads(text))
