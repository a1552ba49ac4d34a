"""The presets of radio networks, as the simulator makes them."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, cast, get_args

from lasthop.study.nbiot.network_time import NetworkTimeName

Network = dict[str, Any]
"""The settings of a radio network as the simulator reads them."""

PRESETS = ("larmo_2019", "single_device")

NETWORK_TIMES: tuple[NetworkTimeName, ...] = get_args(NetworkTimeName)
"""Presets of the delays of base station, core and module, by name."""


def preset(name: str) -> Network:
    """Give the settings of a preset."""
    return _read(name)


def network_time(name: NetworkTimeName) -> Network:
    """Give how long base station, core and module take in a preset."""
    return cast("Network", _read("network_times")[name])


def _read(name: str) -> Network:
    text = resources.files(__package__).joinpath(f"{name}.json").read_text("utf-8")
    return cast("Network", json.loads(text))
