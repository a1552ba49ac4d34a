"""Arms that show each other different credentials are not compared by protocol alone."""

from dataclasses import replace

import pytest

from lasthop.study.stacks import APPLICATIONS, parse_stack
from lasthop.study.stacks.catalogue import Option

from .conftest import Bench

PSK, CERTIFICATE = {"on": "pre-shared key"}, {"on": "certificate"}


def secure(monkeypatch: pytest.MonkeyPatch, name: str, *options: Option) -> None:
    """Give an application of the catalogue options that it does not have."""
    application = APPLICATIONS[name]
    changed = replace(application, options=(*application.options, *options))
    monkeypatch.setitem(APPLICATIONS, name, changed)


def lock(shown: dict[str, str]) -> Option:
    return Option("locked", "for tests", words=("on", "off"), default="on", credentials=shown)


@pytest.mark.parametrize(
    ("other", "flagged"),
    [
        ("raw_tcp", True),
        # Nothing against something is a comparison of what security costs.
        ("raw_tcp locked=off", False),
    ],
)
def test_a_certificate_against_a_pre_shared_key_is_invalid(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, *, other: str, flagged: bool
) -> None:
    secure(monkeypatch, "raw_udp", lock(PSK))
    secure(monkeypatch, "raw_tcp", lock(CERTIFICATE))
    results = bench.run(bench.study("raw_udp", other))
    findings = results.ruling.comparisons
    assert [found.check for found in findings] == ["different_credentials"] * flagged
    if flagged:
        assert findings[0].stacks == ("raw_udp", "raw_tcp")
        assert findings[0].figure == "raw_udp: pre-shared key; raw_tcp: certificate"
    assert results.ruling.valid is not flagged


def test_equal_credentials_are_no_matter(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("raw_udp", "raw_tcp"):
        secure(monkeypatch, name, lock(PSK))
    results = bench.run(bench.study("raw_udp", "raw_tcp"))
    assert results.ruling.valid


def test_what_did_not_run_is_not_compared(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    secure(monkeypatch, "raw_udp", lock(PSK))
    results = bench.run(bench.study("raw_udp", "mqtt auth=jwt"))
    assert parse_stack("mqtt auth=jwt").credentials == ("token",)
    assert results.ruling.valid


def test_stacks_without_credentials_have_none() -> None:
    for text in ("raw_udp", "mqtt", "coap", "coap/tcp", "json_udp", "raw_tcp"):
        assert parse_stack(text).credentials == ()
