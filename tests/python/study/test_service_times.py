"""A server whose work takes time: what the study says becomes what a run has."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from lasthop.errors import StudyError
from lasthop.study import Study, load_study

Load = Callable[..., Study]

STUDY = """\
study: service
duration: 10 min
servers:
  broker:
    service_time:
      mqtt/tls: {connection: 1 ms, resumption: 400 us, message: 20 us}
      mqtt: {packet: 2 us}
fleet:
  meters: {count: 20}
traffic:
  reading: {from: meters, report: 24 B, every: 10 s}
stacks: [mqtt/tls, mqtt, mqtt qos=0]
"""

WRITTEN = STUDY.partition("broker:")[2].partition("fleet:")[0]


def servers_of(study: Study) -> dict[str, dict[str, Any]]:
    """Give the server of the first run of each arm."""
    return {run.stack: json.loads(run.spec_json)["servers"][0] for run in study.planned_runs()}


def test_each_protocol_has_its_own_and_every_default_is_written(load: Load) -> None:
    servers = servers_of(load(STUDY))
    assert servers["mqtt/tls"]["service_time"] == {
        "workers": 1,
        "queue_bytes": 16_000_000,
        "packet_ns": 0,
        "byte_ns": 0,
        "connection_ns": 1_000_000,
        "resumption_ns": 400_000,
        "message_ns": 20_000,
    }
    plain = servers["mqtt"]["service_time"]
    assert (plain["packet_ns"], plain["connection_ns"], plain["resumption_ns"]) == (2_000, 0, 0)
    assert servers["mqtt qos=0"]["service_time"] == plain


def test_who_resumes_takes_as_long_as_others_unless_it_is_said(load: Load) -> None:
    servers = servers_of(load(STUDY.replace("resumption: 400 us, ", "")))
    assert servers["mqtt/tls"]["service_time"]["resumption_ns"] == 1_000_000


def test_a_server_without_it_has_no_word_of_it(load: Load) -> None:
    servers = servers_of(load(STUDY.replace(WRITTEN, " {}\n")))
    assert all("service_time" not in server for server in servers.values())


def test_real_software_takes_its_own_time(load: Load) -> None:
    study = STUDY.replace("report", "round_trip")
    study = study.replace("stacks: [mqtt/tls, mqtt, mqtt qos=0]", "stacks: [mqtt impl=mosquitto]")
    (server,) = servers_of(load(f"{study}engine: live\n")).values()
    assert "service_time" not in server
    (ours,) = servers_of(load_study("study.yaml", modelled=True)).values()
    assert ours["service_time"]["packet_ns"] == 2_000


def test_workers_and_times_can_be_swept(load: Load) -> None:
    study = STUDY.replace("    service_time", "    workers: 2\n    queue: 64 kB\n    service_time")
    study += (
        "sweep: [{name: speed, servers.broker.service_time.mqtt/tls.message: [1 us, 1 ms], "
        "servers.broker.workers: [1, 4]}]\n"
    )
    found = [json.loads(run.spec_json)["servers"][0] for run in load(study).planned_runs()]
    times = [it["service_time"] for it in found if it["service_time"]["connection_ns"]]
    assert {(it["workers"], it["message_ns"]) for it in times} == {
        (1, 1_000),
        (1, 1_000_000),
        (4, 1_000),
        (4, 1_000_000),
    }
    assert {it["queue_bytes"] for it in times} == {64_000}


# What is replaced in the study, by what, and the message after "study.yaml:".
CASES = {
    "a protocol that is spoken and not said": (
        "      mqtt: {packet: 2 us}\n",
        "",
        (
            "5:5: servers.broker.service_time: the service time of broker for mqtt/tcp is missing; "
            'add "mqtt/tcp: {message: 20 us}", or "mqtt/tcp: {}" for zero'
        ),
    ),
    "a protocol that is not there": (
        "mqtt/tls: {connection",
        "mqtt/tsl: {connection",
        '6:7: servers.broker.service_time.mqtt/tsl: mqtt does not run over "tsl"; write one of: ',
    ),
    "no unit": (
        "message: 20 us",
        "message: 20",
        '6:65: servers.broker.service_time.mqtt/tls.message: "20" has no unit; write "20 ms"',
    ),
    "a key that is not there": (
        "message: 20 us",
        "handshake: 20 us",
        (
            '6:56: servers.broker.service_time.mqtt/tls.handshake: unknown key "handshake"; '
            "known keys: packet, byte, connection, resumption, message"
        ),
    ),
    "workers without work": (
        WRITTEN,
        "\n    workers: 3\n",
        (
            '5:5: servers.broker.workers: "workers" has no effect without "service_time"; '
            'add "service_time: {mqtt: '
            '{message: 20 us}}", or remove it'
        ),
    ),
    "nobody at work": (
        "    service_time",
        "    workers: 0\n    service_time",
        '5:14: servers.broker.workers: "0" is too small; write 1 or more',
    ),
    "a queue without room": (
        "    service_time",
        "    queue: 0 B\n    service_time",
        '5:12: servers.broker.queue: "0 B" is too small; write for example "16 MB"',
    ),
    "two protocols at one server": (
        "stacks: [mqtt/tls, mqtt, mqtt qos=0]",
        "  other: {from: others, report: 24 B, every: 10 s}\nstacks: [mqtt/tls]",
        (
            "5:5: servers.broker.service_time: broker serves mqtt/tls/tcp and "
            "mqtt/tcp with the same workers, so their service times must be equal; write "
            "the same service time for both, or use two servers"
        ),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_is_told_with_its_place(load: Load, case: str) -> None:
    old, new, message = CASES[case]
    study = STUDY.replace(old, new)
    if "others" in new:
        study = study.replace(
            "meters: {count: 20}", "meters: {count: 20}\n  others: {count: 1, stack: mqtt}"
        )
    assert study != STUDY
    with pytest.raises(StudyError) as error:
        load(study)
    assert str(error.value).startswith(f"study.yaml:{message}")
