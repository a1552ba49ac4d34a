"""Payloads of several blocks arrive wherever the path carries them."""

from pathlib import Path

import polars as pl
import pytest

from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

STACKS = ("coap", "coap nstart=4", "coap type=non", "coap/tcp", "mqtt")


@pytest.mark.parametrize("kind", ["report", "command"])
def test_every_stack_delivers_large_payloads_over_a_path_without_loss(
    tmp_path: Path, kind: str
) -> None:
    study = tmp_path / "study.yaml"
    study.write_text(
        "study: large-payloads\nduration: 1000 s\nrepeat: 2\n"
        f"traffic: {{{kind}: 2000 B, every: 2 s, arrivals: poisson}}\n"
        f"path: {{delay: 100 ms}}\nstacks: [{', '.join(STACKS)}]\n",
        encoding="utf-8",
    )
    runs = carry_out(Plan(load_study(study)), out=tmp_path / "results", jobs=1).results.runs
    assert set(runs["delivery_ratio"]) == {1.0}
    assert set(runs["status"]) == {"completed"}
    assert set(runs["stack"]) == set(STACKS)


def test_a_non_confirmable_block_may_be_waited_for_as_long_as_a_slow_path_takes(
    tmp_path: Path,
) -> None:
    study = tmp_path / "study.yaml"
    study.write_text(
        "study: slow-path\nduration: 30 min\ntraffic: {report: 2000 B, every: 1 min}\n"
        "path: {delay: 2 s}\nstacks: [coap type=non, coap type=non ack_timeout=5s]\nrepeat: 1\n",
        encoding="utf-8",
    )
    results = carry_out(Plan(load_study(study)), out=tmp_path / "results", jobs=1).results
    delivered = dict(results.runs.select("stack", "delivery_ratio").iter_rows())
    assert delivered == {"coap type=non": 0.0, "coap type=non ack_timeout=5s": 1.0}
    messages = pl.read_parquet(results.path / "messages.parquet")
    assert set(messages.filter(status="failed")["failure"]) == {"no_acknowledgement"}
