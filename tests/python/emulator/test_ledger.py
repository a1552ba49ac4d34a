"""What the bytes of real software are for, told while the emulator carries them."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.python.interop.waiting import wait_for_port

from .conftest import FAR, Ends, constant, emulation, link, way

MESSAGE = "21.5 degrees"


@pytest.fixture
def programs() -> dict[str, str]:
    """Find what Debian has."""
    found = {}
    for name, package in (("mosquitto", "mosquitto"), ("mosquitto_pub", "mosquitto-clients")):
        path = shutil.which(name) or shutil.which(name, path="/usr/sbin")
        if path is None:
            pytest.skip(f"{name} is missing; apt-get install {package}")
        found[name] = path
    return found


@pytest.mark.soak
def test_each_byte_that_an_end_gave_has_a_layer_and_a_cause(
    ends: Ends, programs: dict[str, str], tmp_path: Path
) -> None:
    settings = tmp_path / "mosquitto.conf"
    settings.write_text(f"listener 1883 {FAR}\nallow_anonymous true\n", encoding="ascii")
    broker = (programs["mosquitto"], "-c", str(settings))
    ends.far.start(*broker, stderr=subprocess.DEVNULL)
    wait_for_port(ends.far, "tcp", 1883)
    lossy = way(delay=constant(5), loss={"bernoulli": {"probability": 0.05}})
    spec = emulation(link(lossy), ledger=True)
    with ends.behind(spec) as path:
        for _ in range(10):
            ends.near.run(
                programs["mosquitto_pub"], "-h", FAR, "-q", "1", "-t", "room", "-m", MESSAGE
            )
    cells: dict[tuple[str, str, str], int] = {}
    for row in path.summary["ledger"]:
        cells[row["direction"], row["layer"], row["cause"]] = row["bytes"]
    for direction in ("up", "down"):
        told = sum(count for (way_of, *_), count in cells.items() if way_of == direction)
        assert told == path.summary[direction]["offered"]["bytes"]
    # What TCP sent again is not payload a second time.
    assert cells["up", "application", "payload"] == 10 * len(MESSAGE)
    assert cells["down", "application", "acknowledgement"] == 10 * 4
    opaque: list[Any] = [cell for cell in cells if cell[2] == "opaque"]
    assert opaque == []
