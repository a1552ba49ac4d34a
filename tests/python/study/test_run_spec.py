"""A run spec says everything, every default written out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lasthop.study import Study
from lasthop.study.run_spec import run_spec, run_specs

Load = Callable[..., Study]

HEAD = "study: a\nduration: 10 min\nseed: 3\nrepeat: 1\nstacks: [{stack}]\ntraffic: {traffic}\n"


def spec_of(
    load: Load, *, path: str = "", stack: str = "raw_udp", traffic: str = ""
) -> dict[str, Any]:
    """Give the run spec of a study with one run."""
    traffic = traffic or "{round_trip: 409 B, every: 250 ms}"
    text = HEAD.format(stack=stack, traffic=traffic) + (f"path: {path}\n" if path else "")
    (run,) = load(text).planned_runs()
    spec: dict[str, Any] = json.loads(run.spec_json)
    return spec


def link_of(load: Load, path: str) -> dict[str, Any]:
    """Give the link of a study's path."""
    link: dict[str, Any] = spec_of(load, path=path)["paths"]["path"]["hops"][0]["link"]
    return link


EMPTY_DIRECTION = {
    "mtu_bytes": 1500,
    "outages": [],
    "loss": None,
    "delay": None,
    "rate": None,
    "duplicate": None,
    "corrupt": None,
}


def test_every_default_is_written_out(load: Load) -> None:
    spec = spec_of(load)
    seed = spec.pop("seed")
    assert 0 <= seed < 2**63
    link = {
        "order": ["mtu", "outage", "loss", "rate", "delay", "corrupt", "duplicate"],
        "shared": False,
        "up": EMPTY_DIRECTION,
        "down": EMPTY_DIRECTION,
    }
    assert spec == {
        "format": 2,
        "engine": "virtual",
        "stacks": {
            "device": {
                "application": {"name": "raw_udp", "options": {"ack": False}},
                "layers": [
                    {"name": "udp", "options": {}},
                    {"name": "ip", "options": {"version": "4"}},
                ],
            }
        },
        "paths": {"path": {"hops": [{"name": "path", "scope": "own", "link": link}]}},
        "servers": [
            {
                "name": "server",
                "layout": "shared",
                "services": [{"stack": "device", "port": 40_000}],
            }
        ],
        "groups": [
            {
                "name": "device",
                "population": {"staying": {"devices": 1}},
                "weight": 1.0,
                "strata": [],
                "path": "path",
                "clients": [{"stack": "device", "server": "server"}],
                "energy": None,
            }
        ],
        "flows": [
            {
                "name": "traffic",
                "from": "device",
                "to": "server",
                "client": 0,
                "kind": "round_trip",
                "payload": {"text": {"bytes": 409}},
                "arrivals": {"periodic": {"every_ns": 250_000_000}},
                "burst": 1,
                "start_ns": 0,
                "spread_ns": 250_000_000,
                "duration_ns": 600 * 10**9,
                "session": "keep",
                "batch": 1,
                "share": 1.0,
            }
        ],
        "events": [],
        "measure": {
            "warm_up_ns": 0,
            "drain_ns": 120 * 10**9,
            "set_up_ns": 120 * 10**9,
            "messages": "each",
        },
    }


@pytest.mark.parametrize(
    ("energy", "expected"),
    [
        ("", {"profile": "tr_45_820", "battery_wh": 5.0, "self_discharge_per_year": 0.0}),
        (
            "energy: {profile: bg96, battery: 9 kJ, self_discharge: 2 %}",
            {"profile": "bg96", "battery_wh": 2.5, "self_discharge_per_year": 0.02},
        ),
    ],
)
def test_what_devices_live_on(load: Load, energy: str, expected: object) -> None:
    text = HEAD.format(stack="raw_udp", traffic="{report: 40 B, every: 1 min}")
    radio = "path: {nbiot: {coupling_loss: 154 dB}}\n"
    (run,) = load(f"{text}{radio}{energy}\n").planned_runs()
    (group,) = json.loads(run.spec_json)["groups"]
    assert group["energy"] == expected


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        (
            "raw_udp ack=on ack_timeout=2s ip.version=6",
            {
                "application": {
                    "name": "raw_udp",
                    "options": {
                        "ack": True,
                        "ack_timeout": 2 * 10**9,
                        "ack_random_factor": 1.5,
                        "max_retransmit": 4,
                    },
                },
                "layers": [
                    {"name": "udp", "options": {}},
                    {"name": "ip", "options": {"version": "6"}},
                ],
            },
        ),
        (
            "mqtt qos=0 keep_alive=90s tcp.nodelay_client=off",
            {
                "application": {
                    "name": "mqtt",
                    "options": {
                        "qos": "0",
                        "version": "3.1.1",
                        "keep_alive": 90,
                        "ping_after": "own_silence",
                        "back_off": 10**9,
                        "connect_pipelining": False,
                        "auth": "none",
                    },
                },
                "layers": [
                    {
                        "name": "tcp",
                        "options": {
                            "profile": "linux",
                            "nodelay": True,
                            "nodelay_client": False,
                            "nodelay_server": True,
                            "congestion": "cubic",
                            "timestamps": True,
                            "path_mtu": "icmp",
                            "fast_open": False,
                        },
                    },
                    {"name": "ip", "options": {"version": "4"}},
                ],
            },
        ),
        (
            "coap/dtls/udp dtls.cid=8B dtls.timeout=9s",
            {
                "application": {
                    "name": "coap",
                    "options": {
                        "type": "con",
                        "nstart": 1,
                        "ack_timeout": 2 * 10**9,
                        "ack_random_factor": 1.5,
                        "max_retransmit": 4,
                        "push": "post",
                        "block_size": "1024",
                        "echo": False,
                    },
                },
                "layers": [
                    {
                        "name": "dtls",
                        "options": {
                            "auth": "psk",
                            "cookie": True,
                            "cid": 8,
                            "resume": "none",
                            "unanswered": "handshake",
                            "timeout": 9 * 10**9,
                            "retries": 5,
                        },
                    },
                    {"name": "udp", "options": {}},
                    {"name": "ip", "options": {"version": "4"}},
                ],
            },
        ),
    ],
)
def test_a_stack_is_its_layers_with_typed_options(stack: str, expected: object, load: Load) -> None:
    assert spec_of(load, stack=stack)["stacks"] == {"device": expected}


@pytest.mark.parametrize(
    ("stack", "port"),
    [
        ("raw_udp", 40_000),
        ("json_udp", 40_001),
        ("raw_tcp", 40_001),
        ("mqtt", 1883),
        ("coap", 5683),
        ("coap/tcp", 5683),
        ("mqtt/tls", 8883),
        ("mqtt/ws", 1883),
        ("mqtt/ws/tls", 8883),
        ("coap/tls/tcp", 5684),
        ("coap/dtls", 5684),
        ("raw_tcp/tls", 40_001),
    ],
)
def test_a_service_listens_on_the_usual_port_of_its_protocol(
    stack: str, port: int, load: Load
) -> None:
    (server,) = spec_of(load, stack=stack)["servers"]
    assert server["services"] == [{"stack": "device", "port": port}]


@pytest.mark.parametrize(
    ("path", "key", "expected"),
    [
        ("{loss: 10 %}", "loss", {"bernoulli": {"probability": 0.1}}),
        ("{loss: 0 %}", "loss", None),
        (
            "{loss: {bit_errors: 0.001 %}}",
            "loss",
            {"bit_errors": {"ratio": 1e-5}},
        ),
        (
            "{loss: {gilbert_elliott: {to_bad: 2 %, to_good: 18 %}}}",
            "loss",
            {
                "gilbert_elliott_packet": {
                    "good_to_bad": 0.02,
                    "bad_to_good": 0.18,
                    "loss_in_good": 0.0,
                    "loss_in_bad": 1.0,
                }
            },
        ),
        (
            "{loss: {gilbert_elliott: {good: 5 s, bad: 500 ms, loss_in_bad: 80 %}}}",
            "loss",
            {
                "gilbert_elliott_time": {
                    "mean_good_ns": 5 * 10**9,
                    "mean_bad_ns": 5 * 10**8,
                    "loss_in_good": 0.0,
                    "loss_in_bad": 0.8,
                }
            },
        ),
        ("{loss: {packets: [1, 7]}}", "loss", {"packets": {"indices": [1, 7]}}),
        (
            "{outages: [{start: 7 s, for: 30 s}, {start: 0 s, for: 1 s, every: 60 s}]}",
            "outages",
            [
                {"start_ns": 7 * 10**9, "duration_ns": 30 * 10**9, "every_ns": None},
                {"start_ns": 0, "duration_ns": 10**9, "every_ns": 60 * 10**9},
            ],
        ),
        (
            "{delay: 100 ms, reordering: off}",
            "delay",
            {"model": {"constant": {"delay_ns": 10**8}}, "reordering": False},
        ),
        ("{delay: 0 ms}", "delay", None),
        (
            "{rate: 6.25 kB/s, burst: 3 kB, queue: 100 packets}",
            "rate",
            {
                "bits_per_second": 50_000,
                "kind": {"token_bucket": {"burst_bytes": 3000}},
                "queue": {"packets": 100},
                "background": None,
            },
        ),
        (
            "{rate: 20 kbit/s, rate_kind: serial}",
            "rate",
            {
                "bits_per_second": 20_000,
                "kind": "serial",
                "queue": {"bytes": 64_000},
                "background": None,
            },
        ),
        (
            # 500 B of 60 % of 20 kbit/s are a third of a second.
            "{rate: 20 kbit/s, rate_kind: serial, background: {share: 60 %, packet: 500 B}}",
            "rate",
            {
                "bits_per_second": 20_000,
                "kind": "serial",
                "queue": {"bytes": 64_000},
                "background": {"packet_bytes": 500, "every_ns": 333_333_333},
            },
        ),
        (
            "{rate: 20 kbit/s, rate_kind: serial, background: {rate: 8 kbit/s, packet: 1 kB}}",
            "rate",
            {
                "bits_per_second": 20_000,
                "kind": "serial",
                "queue": {"bytes": 64_000},
                "background": {"packet_bytes": 1_000, "every_ns": 10**9},
            },
        ),
        ("{duplicate: 1 %}", "duplicate", {"probability": 0.01}),
        ("{corrupt: 0.1 %}", "corrupt", {"probability": 0.001}),
        ("{mtu: 1280 B}", "mtu_bytes", 1280),
    ],
)
def test_an_impairment_applies_both_ways(path: str, key: str, expected: object, load: Load) -> None:
    spec = link_of(load, path)
    assert spec["up"][key] == expected
    assert spec["down"][key] == expected


@pytest.mark.parametrize(
    ("delay", "expected"),
    [
        (
            "{around: 100 ms, spread: 20 %}",
            {"uniform": {"from_ns": 8 * 10**7, "to_ns": 12 * 10**7}},
        ),
        ("{around: 100 ms, spread: 0 %}", {"constant": {"delay_ns": 10**8}}),
        ("{around: 0 ms, spread: 20 %}", {"constant": {"delay_ns": 0}}),
        ("{uniform: {from: 1 ms, to: 2 ms}}", {"uniform": {"from_ns": 10**6, "to_ns": 2 * 10**6}}),
        ("{normal: {mean: 1 s, sd: 1 ms}}", {"normal": {"mean_ns": 10**9, "sd_ns": 10**6}}),
        (
            "{exponential: {minimum: 5 ms, mean: 8 ms}}",
            {"exponential": {"minimum_ns": 5_000_000, "mean_ns": 8_000_000}},
        ),
        ("{pareto: {minimum: 5 ms, shape: 2}}", {"pareto": {"minimum_ns": 5000000, "shape": 2.0}}),
        (
            "{trace: [1 ms, 2 ms], every: 1 s}",
            {
                "trace": {
                    "times_ns": [0, 10**9],
                    "delays_ns": [10**6, 2 * 10**6],
                    "period_ns": 2 * 10**9,
                }
            },
        ),
        (
            "{trace: trace.csv}",
            {
                "trace": {
                    "times_ns": [0, 1_500_000_000],
                    "delays_ns": [100_000_000, 20_500_000],
                    "period_ns": None,
                }
            },
        ),
    ],
)
def test_a_delay_is_a_model(delay: str, expected: object, load: Load, tmp_path: Path) -> None:
    (tmp_path / "trace.csv").write_text("time_s,delay_ms\n0,100\n1.5,20.5\n")
    assert link_of(load, f"{{delay: {delay}}}")["up"]["delay"]["model"] == expected


def test_a_direction_lays_its_keys_over_those_of_both(load: Load) -> None:
    path = "{loss: 10 %, delay: {around: 100 ms, spread: 20 %}, up: {delay: {spread: 50 %}},"
    link = link_of(load, path + " down: {loss: 0 %, delay: {normal: {mean: 1 s, sd: 0 s}}}}")
    up, down = link["up"], link["down"]
    assert up["loss"] == {"bernoulli": {"probability": 0.1}}
    assert down["loss"] is None
    assert up["delay"]["model"] == {"uniform": {"from_ns": 50_000_000, "to_ns": 150_000_000}}
    assert down["delay"]["model"] == {"normal": {"mean_ns": 10**9, "sd_ns": 0}}


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("[loss, rate, delay]", "mtu outage loss rate delay corrupt duplicate"),
        ("[delay, loss]", "mtu outage delay rate loss corrupt duplicate"),
        ("[duplicate, mtu]", "duplicate outage loss rate delay corrupt mtu"),
        ("[]", "mtu outage loss rate delay corrupt duplicate"),
    ],
)
def test_named_impairments_change_places_among_themselves(
    order: str, expected: str, load: Load
) -> None:
    assert link_of(load, f"{{order: {order}}}")["order"] == expected.split()


def test_a_nat_is_a_hop_behind_the_link(load: Load) -> None:
    path = "{shared: on, rate: 20 kbit/s, nat: {udp: 2 min, rebind_every: 5 min}}"
    link, nat = spec_of(load, path=path)["paths"]["path"]["hops"]
    assert link["link"]["shared"] is True
    assert nat == {
        "name": "path",
        "scope": "own",
        "nat": {
            "udp_timeout_ns": 120 * 10**9,
            "tcp_timeout_ns": 7440 * 10**9,
            "rebind_every_ns": 300 * 10**9,
            "ports": 64_512,
        },
    }


def test_a_radio_network_is_one_for_all(load: Load) -> None:
    spec = spec_of(load, path="{nbiot: {coupling_loss: 154 dB}}")
    (hop,) = spec["paths"]["path"]["hops"]
    assert (hop["name"], hop["scope"]) == ("path", "all")
    assert hop["nbiot"]["placement"] == {
        "stated_coupling_loss": {"cells": 1, "coupling_loss_db": 154.0}
    }


@pytest.mark.parametrize(
    ("traffic", "expected"),
    [
        (
            "{command: 40 B, every: 1 s}",
            {
                "kind": "command",
                "from": "server",
                "to": "device",
                "payload": {"text": {"bytes": 40}},
            },
        ),
        (
            "{report: 40 B, every: 1 s, arrivals: poisson, burst: 3, spread: 2 s, start: 5 s}",
            {
                "kind": "report",
                "arrivals": {"poisson": {"mean_ns": 10**9}},
                "burst": 3,
                "spread_ns": 2 * 10**9,
                "start_ns": 5 * 10**9,
            },
        ),
        # Each device has a moment of its own in a period, or in the duration if it is shorter.
        ("{report: 40 B, every: 1 s}", {"start_ns": 0, "spread_ns": 10**9}),
        ("{report: 40 B, every: 1 d}", {"start_ns": 0, "spread_ns": 600 * 10**9}),
        ("{report: 40 B, every: 1 s, arrivals: poisson}", {"start_ns": 0, "spread_ns": 0}),
        ("{report: 40 B, every: 1 s, spread: 0 s}", {"start_ns": 0, "spread_ns": 0}),
        ("{report: 40 B, every: 1 s, at: 0 s}", {"start_ns": 0, "spread_ns": 0}),
        (
            "{report: 40 B, every: 1 s, at: 300 ms, start: 5 s, spread: 100 ms}",
            {"start_ns": 53 * 10**8, "spread_ns": 10**8},
        ),
        (
            (
                "{report: {json: {rate: 72, temp: 36.6, text: 'é 1', on: true},"
                " size: 99 B}, every: 1 s}"
            ),
            {
                "payload": {
                    "json": {
                        "fields": '{"rate":72,"temp":36.6,"text":"é 1","on":true}',
                        "bytes": 99,
                    }
                }
            },
        ),
        (
            "{report: {json: {rate: 72}}, every: 1 s}",
            {"payload": {"json": {"fields": '{"rate":72}', "bytes": None}}},
        ),
    ],
)
def test_traffic_is_spelt_for_the_simulator(
    traffic: str, expected: dict[str, object], load: Load
) -> None:
    (spec,) = spec_of(load, traffic=traffic)["flows"]
    assert {key: spec[key] for key in expected} == expected


def test_the_specs_of_many_seeds_are_those_of_each(load: Load) -> None:
    text = HEAD.format(stack="raw_udp, mqtt qos=1", traffic="{report: 40 B, every: 1 s}")
    study = load(text)
    (point,) = study.points
    seeds = (0, 7, 2**62)
    for stack in study.arms:
        one_by_one = [run_spec(point.conditions, stack, seed=seed) for seed in seeds]
        assert list(run_specs(point.conditions, stack, seeds)) == one_by_one
