"""Writes the simulator's NB-IoT presets: ``python -m lasthop.study.nbiot.generate``."""

from __future__ import annotations

import json
from pathlib import Path

from lasthop import _native
from lasthop.study.nbiot.presets import NETWORK_TIMES, PRESETS


def main() -> None:
    """Write every preset into the folder of this file."""
    for name in PRESETS:
        _write(name, json.loads(_native.nbiot_preset(name)))
    times = {name: json.loads(_native.nbiot_network_time(name)) for name in NETWORK_TIMES}
    _write("network_times", times)
    _write("attach", json.loads(_native.nbiot_attach()))


def _write(name: str, value: object) -> None:
    text = json.dumps(value, indent=1) + "\n"
    Path(__file__).with_name(f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
