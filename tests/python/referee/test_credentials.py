"""Arms that authenticate differently are not compared by protocol alone, which is said."""

from dataclasses import replace
from typing import Any, cast

import pytest

from lasthop.study.stacks import catalogue, parse_stack

from .conftest import Bench

PSK, CERTIFICATE = "pre-shared key", "certificate"


def secure(monkeypatch: pytest.MonkeyPatch, layer: str, shown: str) -> None:
    """Let an option that is off stand for credentials, as none that is built has any yet."""
    options = tuple(
        replace(option, credentials={"off": shown}) if option.name == _LOCK[layer] else option
        for option in catalogue().options_of(layer)
    )
    known = catalogue()
    holder = known.applications if layer in known.applications else known.layers
    monkeypatch.setitem(cast("Any", holder), layer, replace(holder[layer], options=options))


_LOCK = {"raw_udp": "ack", "tcp": "tcp.fast_open"}


@pytest.mark.parametrize(
    ("other", "flagged"),
    [
        ("raw_tcp", True),
        # Nothing against something is a comparison of what security costs.
        ("raw_tcp tcp.fast_open=on", False),
    ],
)
def test_a_certificate_against_a_pre_shared_key_is_noted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, *, other: str, flagged: bool
) -> None:
    secure(monkeypatch, "raw_udp", PSK)
    secure(monkeypatch, "tcp", CERTIFICATE)
    results = bench.run(bench.study("raw_udp", other))
    findings = results.ruling.comparisons
    assert [found.check for found in findings] == ["different_credentials"] * flagged
    if flagged:
        assert findings[0].stacks == ("raw_udp", "raw_tcp")
        assert findings[0].figure == "raw_udp: pre-shared key; raw_tcp: certificate"
    assert results.ruling.valid


def test_equal_credentials_are_no_matter(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for layer in ("raw_udp", "tcp"):
        secure(monkeypatch, layer, PSK)
    results = bench.run(bench.study("raw_udp", "raw_tcp"))
    assert results.ruling.valid


def test_what_did_not_run_is_not_compared(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    secure(monkeypatch, "raw_udp", PSK)
    not_built = "mqtt_sn/dtls dtls.auth=certificate"
    results = bench.run(bench.study("raw_udp", not_built))
    assert parse_stack(not_built).credentials not in ((), (PSK,))
    assert results.ruling.valid


def test_stacks_without_credentials_have_none() -> None:
    for text in ("raw_udp", "mqtt", "coap", "coap/tcp", "json_udp", "raw_tcp"):
        assert parse_stack(text).credentials == ()


def test_who_believes_anybody_is_named_on_the_first_screen(bench: Bench) -> None:
    results = bench.run(bench.study("raw_tcp", "raw_tcp/tls tls.verify=off"))
    (finding,) = results.ruling.runs
    assert (finding.check, finding.invalid) == ("believes_anybody", False)
    assert finding.stacks == ("raw_tcp/tls tls.verify=off",)
    assert results.ruling.valid
    assert "believes every certificate" in str(finding)
