"""Settings that a run of half a minute shows at work, against hand arithmetic."""

from pathlib import Path
from typing import Any

import pytest

from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study


def _rows(folder: Path, text: str) -> dict[str, dict[str, Any]]:
    """Run a study; give the row of each stack."""
    study = folder / "study.yaml"
    study.write_text(f"study: small\nrepeat: 1\nmeasure: {{drain: 10 s}}\n{text}", encoding="utf-8")
    runs = carry_out(Plan(load_study(study)), out=folder / "results", jobs=1).results.runs
    return {row["stack"]: row for row in runs.iter_rows(named=True)}


def test_a_client_that_takes_one_message_at_a_time_gets_a_burst_a_round_trip_apart(
    tmp_path: Path,
) -> None:
    # Of five commands the last waits for four acknowledgements: 4 x 200 ms more.
    one = "mqtt version=5 receive_maximum=1"
    rows = _rows(
        tmp_path,
        f"duration: 20 s\ntraffic: {{command: 40 B, every: 5 s, burst: 5}}\n"
        f"path: {{delay: 100 ms}}\nstacks: [mqtt version=5, {one}]\n",
    )
    longest = {stack: row["latency_max_ms"] for stack, row in rows.items()}
    assert longest["mqtt version=5"] < 200
    assert longest[one] - longest["mqtt version=5"] == pytest.approx(800, abs=10)


def test_errors_of_bits_cost_large_messages_more(tmp_path: Path) -> None:
    # 1 - (1 - 1e-4)^(8 n): 3.8 % of packets of 48 B, 56 % of those of 1028 B. 600 each.
    rows: dict[int, dict[str, Any]] = {}
    for size in (20, 1000):
        (folder := tmp_path / str(size)).mkdir()
        text = f"duration: 10 min\ntraffic: {{report: {size} B, every: 1 s}}\nstacks: [raw_udp]\n"
        rows |= {size: _rows(folder, f"{text}path: {{loss: {{bit_errors: 0.01 %}}}}\n")["raw_udp"]}
    assert rows[20]["delivery_ratio"] == pytest.approx(0.962, abs=0.03)
    assert rows[1000]["delivery_ratio"] == pytest.approx(0.439, abs=0.08)


def test_what_is_lost_is_paid_by_what_arrives(tmp_path: Path) -> None:
    text = "duration: 10 s\ntraffic: {report: 72 B, every: 1 s}\nstacks: [raw_udp]\n"
    (row,) = _rows(tmp_path, f"{text}path: {{loss: {{packets: [1, 2, 3, 4, 5]}}}}\n").values()
    # Ten packets of 100 B for five messages.
    assert row["messages_delivered"] == 5
    assert row["wire_bytes_per_message"] == 200.0
