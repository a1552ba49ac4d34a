"""The presets of radio networks, as the simulator makes them.

``python -m lasthop.study.nbiot.presets`` writes them beside this file.
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any, cast

Network = dict[str, Any]
"""The settings of a radio network as the simulator reads them."""

PRESETS = ("larmo_2019", "single_device")


def preset(name: str) -> Network:
    """Give the settings of a preset."""
    text = resources.files(__package__).joinpath(f"{name}.json").read_text("utf-8")
    return cast("Network", json.loads(text))


def text_of(network: Network) -> str:
    """Give the settings of a network as they stand in a file."""
    return json.dumps(network, indent=1) + "\n"


def main() -> None:
    """Write every preset as the simulator makes it."""
    from lasthop import _native  # noqa: PLC0415  (only this writes them)

    for name in PRESETS:
        network = json.loads(_native.nbiot_preset(name))
        Path(__file__).with_name(f"{name}.json").write_text(text_of(network), encoding="utf-8")


if __name__ == "__main__":
    main()
