"""The presets of radio networks, as the simulator makes them."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, cast

Network = dict[str, Any]
"""The settings of a radio network as the simulator reads them."""

PRESETS = ("larmo_2019", "single_device")


def preset(name: str) -> Network:
    """Give the settings of a preset."""
    text = resources.files(__package__).joinpath(f"{name}.json").read_text("utf-8")
    return cast("Network", json.loads(text))
