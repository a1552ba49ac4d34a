"""Devices whose addresses change are answered where they are, by real software too."""

from collections.abc import Callable
from pathlib import Path

import polars as pl

import lasthop

STUDY = """\
study: moving
duration: 8 s
measure: {warm_up: 1 s, drain: 5 s, overload: allow}
servers: {server: {}}
fleet: {trackers: {count: 3, path: radio, server: server}}
paths: {radio: {delay: 20 ms}}
traffic: {position: {from: trackers, round_trip: 96 B, every: 500 ms}}
events: [{start: 4 s, new_address: trackers, notify: application}]
stacks: [mqtt qos=1 impl=mosquitto]
repeat: 1
"""


def test_each_of_several_devices_is_answered_at_its_new_address(
    needs: Callable[..., None], tmp_path: Path
) -> None:
    needs("mosquitto")
    study = tmp_path / "moving.yaml"
    study.write_text(STUDY, encoding="utf-8")
    results = lasthop.run(study, out=tmp_path / "out", set={"engine": "live"})
    for device in range(3):
        fates = results.messages.filter(pl.col("device") == device)["status"].to_list()
        # The message that was on its way may have gone to the old address.
        assert fates.count("delivered") >= len(fates) - 1 >= 10, (device, fates)
