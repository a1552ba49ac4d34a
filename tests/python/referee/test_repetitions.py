"""Repetitions with other seeds and the same packets are one run."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from lasthop.running.engine import NativeEngine, Switch

from .conftest import LOSSY, STEADY, Bench


class Deaf(NativeEngine):
    """Does not hear the seed."""

    def simulate(
        self,
        spec_json: str,
        /,
        *,
        run_id: str,
        captures: Mapping[str, Path],
        switch: Switch,
        messages: Path | None = None,
    ) -> Mapping[str, bytes | Path]:
        spec = json.dumps(json.loads(spec_json) | {"seed": 1})
        return super().simulate(
            spec, run_id=run_id, captures=captures, switch=switch, messages=messages
        )


def test_an_engine_that_ignores_the_seed_is_found_out(bench: Bench) -> None:
    results = bench.run(bench.study("raw_udp", "raw_tcp", repeat=3), engine=Deaf())
    assert set(results.runs["status"]) == {"invalid"}
    assert set(results.runs["reason"]) == {"repeated_run"}
    findings = results.ruling.runs
    assert [(found.check, found.stacks) for found in findings] == [
        ("repeated_run", ("raw_udp",)),
        ("repeated_run", ("raw_tcp",)),
    ]
    trace = results.runs.filter(results.runs["stack"] == "raw_udp")["trace_hash"].unique().item()
    assert findings[0].figure == f"trace_hash {trace} in repetitions 1, 2, 3"
    assert results.manifest.counts == {"invalid": 6}


@pytest.mark.parametrize(
    "path",
    [
        STEADY,
        "{loss: 100 %, delay: 100 ms}",
        "{loss: {packets: [1, 5]}, delay: 100 ms}",
        # A full queue drops much, but not by chance.
        "{delay: 100 ms, rate: 10 B/s, queue: 200 B}",
        # So little is lost that two runs may well lose nothing.
        "{loss: 0.01 %, delay: 100 ms}",
    ],
)
def test_where_chance_has_no_say_repetitions_may_be_equal(bench: Bench, path: str) -> None:
    results = bench.run(bench.study("raw_udp", path=path), engine=Deaf())
    assert "repeated_run" not in results.runs["reason"].to_list()


@pytest.mark.parametrize(
    "path",
    [
        LOSSY,
        "{delay: {uniform: {from: 10 ms, to: 11 ms}}}",
        "{delay: 100 ms, duplicate: 30 %}",
        "{delay: 100 ms, corrupt: 30 %}",
        "{delay: 100 ms, loss: {gilbert_elliott: {to_bad: 30 %, to_good: 30 %}}}",
        "{delay: 100 ms, loss: {gilbert_elliott: {good: 3 s, bad: 1 s}}}",
    ],
)
def test_whatever_is_drawn_parts_repetitions(bench: Bench, path: str) -> None:
    study = bench.study("raw_udp", path=path)
    heard = bench.run(study)
    assert heard.runs["trace_hash"].n_unique() == 2
    assert set(heard.runs["status"]) == {"completed"}


@pytest.mark.parametrize(
    "path",
    [
        "{delay: {uniform: {from: 10 ms, to: 11 ms}}}",
        "{delay: 100 ms, duplicate: 30 %}",
        "{delay: 100 ms, corrupt: 30 %}",
        "{delay: 100 ms, loss: {gilbert_elliott: {to_bad: 30 %, to_good: 30 %}}}",
        "{delay: 100 ms, loss: {gilbert_elliott: {good: 3 s, bad: 1 s}}}",
    ],
)
def test_equal_draws_are_found_whatever_is_drawn(bench: Bench, path: str) -> None:
    results = bench.run(bench.study("raw_udp", path=path), engine=Deaf())
    assert set(results.runs["reason"]) == {"repeated_run"}
