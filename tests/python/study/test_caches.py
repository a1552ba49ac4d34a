"""A gateway with a cache is a caching proxy: what its devices download it fetches once."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from lasthop.errors import StudyError
from lasthop.study import Study

Load = Callable[..., Study]

STUDY = """\
study: cache
duration: 10 min
paths:
  pc: {delay: 1 ms}
  wlan: {delay: 2 ms}
servers:
  esp: {device: esp8266}
  proxy: {forwards: {to: esp, path: wlan, stack: coap max_age=10s changes=1min, cache: 64 kB}}
fleet:
  readers: {count: 20, path: pc, server: proxy, stack: coap}
traffic:
  reading: {to: readers, download: 45 B, every: 10 s}
  valve: {from: readers, report: 20 B, every: 1 min, resource: valve}
"""


def spec_of(study: Study) -> dict[str, Any]:
    """Give the first run of a study."""
    spec: dict[str, Any] = json.loads(next(study.planned_runs()).spec_json)
    return spec


def test_a_cache_is_a_gateway_that_keeps_something(load: Load) -> None:
    spec = spec_of(load(STUDY))
    esp, proxy = spec["servers"]
    kept = {"room_bytes": 64_000, "stale_if_error_ns": 0}
    expected = {"by": "proxy", "batch": 1, "wait_ns": 0, "room": 10_000, "cache": kept}
    assert proxy["forwards"] == expected
    assert [service["stack"] for service in esp["services"]] == ["proxy"]
    options = spec["stacks"]["proxy"]["application"]["options"]
    assert (options["max_age"], options["changes"]) == (10, 60 * 10**9)
    reading, valve = spec["flows"]
    assert (reading["from"], reading["to"], reading["kind"]) == ("proxy", "readers", "download")
    assert "resource" not in reading
    assert valve["resource"] == "valve"


@pytest.mark.parametrize(
    ("written", "room", "stale_s"),
    [
        ("cache: 0 B", 0, 0),
        ("cache: 16 kB, stale_if_error: 1 min", 16_000, 60),
        ("cache: 1 MB, stale_if_error: 0 s", 1_000_000, 0),
    ],
)
def test_what_it_keeps_is_written(load: Load, written: str, room: int, stale_s: int) -> None:
    forwards = spec_of(load(STUDY.replace("cache: 64 kB", written)))["servers"][1]["forwards"]
    assert forwards["cache"] == {"room_bytes": room, "stale_if_error_ns": stale_s * 10**9}


def test_a_cache_can_be_swept(load: Load) -> None:
    study = STUDY + "sweep: [{name: room, servers.proxy.forwards.cache: [0 B, 1 kB]}]\n"
    rooms = {
        json.loads(run.spec_json)["servers"][1]["forwards"]["cache"]["room_bytes"]
        for run in load(study).planned_runs()
    }
    assert rooms == {0, 1000}


def test_both_sides_may_speak_what_they_like(load: Load) -> None:
    for readers in ("coap", "http", "http/tls", "coap/dtls", "coap/tcp", "http version=2"):
        spec = spec_of(load(STUDY.replace("stack: coap}", f"stack: {readers}}}")))
        assert spec["stacks"]["proxy"]["application"]["name"] == "coap"


# What is replaced in the study, by what, and the message after "study.yaml:".
CASES = {
    "a stack of readers that no cache can keep": (
        "stack: coap}",
        "stack: mqtt}",
        (
            "12:3: traffic.reading: reading goes by mqtt, and a cache cannot keep "
            "its answers; use the stack coap or http"
        ),
    ),
    "a stack of the server that no cache can keep": (
        "stack: coap max_age=10s changes=1min",
        "stack: raw_tcp",
        (
            "8:59: servers.proxy.forwards.cache: proxy fetches by raw_tcp, and a "
            "cache cannot keep its answers; use the stack coap or http"
        ),
    ),
    "a queue": (
        "cache: 64 kB",
        "cache: 64 kB, batch: 12",
        (
            "8:95: servers.proxy.forwards.batch: a cache forwards each request at once, so "
            '"batch" has no effect; remove it'
        ),
    ),
    "stale without a cache": (
        "cache: 64 kB",
        "stale_if_error: 1 min",
        (
            '8:81: servers.proxy.forwards.stale_if_error: "stale_if_error" has no '
            'effect without a cache; write "cache: 64 kB", or remove it'
        ),
    ),
    "a download from a gateway without a cache": (
        ", cache: 64 kB",
        "",
        (
            "12:3: traffic.reading: proxy forwards only reports, and this flow is "
            'a download; add "cache: 64 kB" to the gateway, so that it answers '
            "downloads as a caching proxy"
        ),
    ),
    "what comes back": (
        "report: 20 B, every: 1 min, resource: valve",
        "round_trip: 20 B, every: 1 min",
        (
            "13:3: traffic.valve: the cache proxy serves only downloads and reports, and "
            'this flow is a round_trip; write "download: 40 B", or choose a server '
            "without a cache"
        ),
    ),
    "nobody asks": (
        "server: proxy",
        "server: esp",
        (
            "8:3: servers.proxy: no flow sends requests to proxy, which answers from its "
            'cache; add "to: proxy" to a flow, or remove the server'
        ),
    ),
    "less than nothing": (
        "cache: 64 kB",
        "cache: -1 B",
        None,
    ),
    "seconds that are none": (
        "max_age=10s",
        "max_age=1500ms",
        None,
    ),
}


@pytest.mark.parametrize("case", [name for name, case in CASES.items() if case[2] is not None])
def test_what_cannot_be_is_told_with_its_place(load: Load, case: str) -> None:
    before, after, message = CASES[case]
    assert before in STUDY
    with pytest.raises(StudyError) as caught:
        load(STUDY.replace(before, after))
    assert str(caught.value).partition("study.yaml:")[2] == message


@pytest.mark.parametrize("case", ["less than nothing", "seconds that are none"])
def test_a_bad_value_is_one_line(load: Load, case: str) -> None:
    before, after, _ = CASES[case]
    with pytest.raises(StudyError) as caught:
        load(STUDY.replace(before, after))
    assert "\n" not in str(caught.value)


def test_a_resource_is_for_reports_and_downloads(load: Load) -> None:
    study = STUDY.replace(
        "valve: {from: readers, report: 20 B", "valve: {to: readers, command: 20 B"
    )
    study = study.replace("server: proxy", "server: esp").replace(", cache: 64 kB", "")
    study = study.replace(
        "  proxy: {forwards: {to: esp, path: wlan, stack: coap max_age=10s changes=1min}}\n", ""
    )
    with pytest.raises(StudyError, match="only a download or a report has a resource"):
        load(study)


def test_a_resource_that_nobody_reads_is_told(load: Load) -> None:
    study = """\
study: writes
duration: 10 min
servers: {esp: {device: esp8266}}
fleet: {writers: {count: 1, stack: coap}}
traffic: {valve: {from: writers, report: 20 B, every: 1 min, resource: valve}}
"""
    with pytest.raises(StudyError) as caught:
        load(study)
    message = str(caught.value).partition("study.yaml:")[2]
    assert message == (
        '5:62: traffic.valve.resource: no flow downloads "valve" or anything else from '
        'esp; remove it, or add a flow with "download: 45 B"'
    )


def test_the_conditions_say_what_a_proxy_is(load: Load) -> None:
    study = load(STUDY.replace("cache: 64 kB", "cache: 64 kB, stale_if_error: 1 min"))
    described = study.conditions
    assert (
        described["proxy"]
        == "a caching proxy for esp, path wlan, keeps 64 kB, stale for 1 min on an error"
    )
    assert described["valve"].endswith("about valve")


OBSERVED = """\
study: observed
duration: 10 min
paths: {lan: {delay: 1 ms}, wlan: {delay: 2 ms}}
servers:
  board: {}
  proxy: {forwards: {to: board, path: wlan, stack: coap max_age=10s, cache: 64 kB}}
fleet:
  lever: {count: 1, path: lan, server: board, stack: coap}
  readers: {count: 20, path: lan, server: proxy, stack: coap}
traffic:
  state: {from: lever, to: all of readers, report: 45 B, every: 10 s, start: 1 s}
"""


def test_a_group_hears_by_the_cache_that_it_talks_to(load: Load) -> None:
    spec = spec_of(load(OBSERVED))
    proxy, lever, readers = spec["groups"]
    assert [client["server"] for client in proxy["clients"]] == ["board"]
    assert [client["server"] for client in lever["clients"]] == ["board"]
    assert [client["server"] for client in readers["clients"]] == ["proxy"]
    (state,) = spec["flows"]
    assert (state["from"], state["to"], state["kind"]) == ("lever", "readers", "relay_to_all")
    board, proxy = spec["servers"]
    assert [service["stack"] for service in board["services"]] == ["proxy", "lever"]
    heard_by = [client["stack"] for client in readers["clients"]]
    assert [service["stack"] for service in proxy["services"]] == heard_by


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "server: proxy, stack: coap",
            "server: proxy, stack: http",
            "a report to a group needs topics, and http of readers has no topics; use",
        ),
        (
            "server: proxy, stack: coap",
            "server: proxy, stack: mqtt",
            (
                "the devices of state communicate by mqtt, and a cache cannot keep "
                "its answers; use the stack coap or http"
            ),
        ),
        (
            "stack: coap max_age=10s",
            "stack: http max_age=10s",
            "a report to a group needs topics, and http of proxy has no topics; use",
        ),
        (
            "server: board, stack: coap",
            "server: proxy, stack: coap",
            'write "server: board" at lever; the receivers may use proxy',
        ),
    ],
)
def test_what_no_cache_can_observe_is_told(load: Load, old: str, new: str, told: str) -> None:
    with pytest.raises(StudyError) as error:
        list(load(OBSERVED.replace(old, new)).planned_runs())
    assert told in str(error.value)
