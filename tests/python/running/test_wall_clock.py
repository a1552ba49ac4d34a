"""One study in virtual time and on the wall clock, with the same hosts, links and meter."""

from collections.abc import Mapping

import polars as pl
import pytest

import lasthop

STUDY = """\
study: both-clocks
duration: 1 s
devices: 3
measure: {drain: 200 ms}
traffic: {report: 60 B, every: 100 ms}
path: {delay: 5 ms}
stacks:
  [raw_udp, json_udp, coap type=non, coap type=con, coap/dtls, coap/tcp,
   mqtt qos=0, mqtt qos=1, mqtt/tls, http, raw_tcp]
repeat: 1
"""
BELOW_MESSAGES = ("ip", "tcp")
"""Acknowledgements of TCP go with what comes by in time; how late a machine is changes them."""


OVER_TCP = ("coap/tcp", "mqtt qos=0", "mqtt qos=1", "mqtt/tls", "http", "raw_tcp")

ENGINES = ("virtual", "wall_clock")

ByEngine = Mapping[str, lasthop.Results]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> ByEngine:
    folder = tmp_path_factory.mktemp("both-clocks")
    found = {}
    for engine in ENGINES:
        (folder / f"{engine}.yaml").write_text(f"{STUDY}engine: {engine}\n")
        found[engine] = lasthop.run(folder / f"{engine}.yaml", out=folder / engine)
    return found


def offered(results: lasthop.Results) -> pl.DataFrame:
    runs = results.runs.select("run_id", "stack")
    rows = results.ledger.join(runs, on="run_id").filter(pl.col("fate") == "offered")
    over_tcp = pl.col("stack").is_in(OVER_TCP)
    rows = rows.filter(~over_tcp | ~pl.col("layer").is_in(BELOW_MESSAGES)).drop("run_id")
    return rows.sort("stack", "direction", "layer", "cause")


def test_the_same_bytes_are_offered_on_both_clocks(results: ByEngine) -> None:
    for engine in ENGINES:
        runs = results[engine].runs
        assert set(runs["status"]) == {"completed"}
        assert set(runs["messages_delivered"]) == {30}
        assert set(offered(results[engine])["stack"]) == set(runs["stack"])
    assert offered(results["virtual"]).equals(offered(results["wall_clock"]))


def test_a_run_knows_its_clock_and_how_late_it_was(results: ByEngine) -> None:
    virtual, live = (results[engine].runs for engine in ENGINES)
    assert [set(runs["engine"]) for runs in (virtual, live)] == [{"virtual"}, {"wall_clock"}]
    for name in ("lateness_p50_ms", "lateness_p99_ms", "lateness_max_ms"):
        assert virtual[name].null_count() == virtual.height
        assert live[name].null_count() == 0
    assert (live["lateness_p50_ms"] <= live["lateness_p99_ms"]).all()
    assert (live["lateness_p99_ms"] <= live["lateness_max_ms"]).all()
    assert not set(virtual["run_id"]) & set(live["run_id"])
    assert not set(virtual["case_id"]) & set(live["case_id"])
