"""Small studies of DDS under loss and restarts, with the right values."""

from pathlib import Path

import polars as pl
import pytest

from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

RESTARTED = """study: restarted
duration: 5 min
traffic: {report: 50 B, every: 1 s, at: 0 s}
path: {delay: 50 ms}
events: [{start: 10500 ms, restart: WHO, for: 5 s}]
stacks: [dds, dds durability=transient_local, dds history_depth=1000]
repeat: 1
"""

SUPPRESSED = """study: suppressed
duration: 20 s
measure: {overload: allow, drain: 5 s}
traffic: {report: 10 kB, every: 200 ms, at: 0 s}
path: {delay: 15 ms, loss: 20 %}
stacks: [dds, dds nack_suppression=29ms, dds nack_suppression=31ms, dds nack_suppression=50ms]
repeat: 1
"""


MOST_BYTES = 3.1e6
"""With all copies that a reader asks for, of which a suppression takes some out."""


def _runs(text: str, folder: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    study = folder / "study.yaml"
    study.write_text(text, encoding="utf-8")
    results = carry_out(Plan(load_study(study)), out=folder / "results", jobs=1).results
    return results.runs, results.messages


@pytest.mark.parametrize("who", ["server", "device"])
def test_a_participant_that_comes_again_loses_only_what_was_due_meanwhile(
    who: str, tmp_path: Path
) -> None:
    runs, messages = _runs(RESTARTED.replace("WHO", who), tmp_path)
    assert set(runs["status"]) == {"completed"}
    for stack, of_stack in messages.join(runs.select("run_id", "stack"), on="run_id").group_by(
        "stack"
    ):
        due_s = of_stack.filter(pl.col("status") != "delivered")["intended_ns"] / 10**9
        assert len(due_s) <= 12, stack
        assert due_s.is_between(10, 25).all(), stack


def test_suppression_costs_no_message_and_takes_out_copies(tmp_path: Path) -> None:
    runs, _ = _runs(SUPPRESSED, tmp_path)
    assert set(runs["delivery_ratio"]) == {1.0}
    sizes = runs["wire_bytes_up_offered"] + runs["wire_bytes_down_offered"]
    of_stack = dict(zip(runs["stack"], sizes, strict=True))
    without = of_stack.pop("dds")
    assert without < MOST_BYTES
    assert max(of_stack.values()) < MOST_BYTES
