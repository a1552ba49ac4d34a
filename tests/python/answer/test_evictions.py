"""Peers that a server evicts are counted, and the answer names them."""

import polars as pl
import pytest

import lasthop
from lasthop.answer.cautions import cautions
from lasthop.outcome.results import Results

STUDY = """
study: crowded
duration: 90 min
measure: {warm_up: 0 s, drain: 2 min}
paths: {lan: {delay: 10 ms, duplicate: 20 %}}
servers: {host: {}}
fleet: {meters: {count: 2, path: lan}}
traffic:
  readings: {from: meters, to: host, report: 20 B, every: 10 min, spread: 10 min}
stacks: {one: coap/dtls/udp peers=1, two: coap/dtls/udp peers=2}
repeat: 2
decide: {maximise: delivery_ratio}
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Two devices, and a server with room for one of them, or for both."""
    folder = tmp_path_factory.mktemp("crowded")
    study = folder / "crowded.yaml"
    study.write_text(STUDY, encoding="utf-8")
    return lasthop.run(study, out=folder / "out")


def test_the_answer_names_the_stack_whose_server_evicted_peers(results: Results) -> None:
    evicted = {row["stack"]: row["peers_evicted"] for row in results.runs.iter_rows(named=True)}
    assert evicted["one"] > 0
    assert evicted["two"] == 0
    said = [it for it in cautions([results.path], {}) if "evicted peers" in it]
    assert len(said) == 1
    assert said[0].startswith("servers of one evicted peers to make room for others in 2 of 2 runs")


def test_packets_name_why_a_server_had_no_use_for_them(results: Results) -> None:
    found = results.packets.filter(pl.col("fate") == "discarded", pl.col("direction") == "up")
    reasons = set(found["reason"].to_list())
    # The path duplicates records, and who was evicted goes on in a session that is gone.
    assert {"replayed", "no_session"} <= reasons
