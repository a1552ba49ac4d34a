"""What Rust says of the settings of an NB-IoT network: a field, a value, and no sentence."""

import json
from typing import Any

import pytest

from lasthop import _native


@pytest.fixture
def network() -> dict[str, Any]:
    settings: dict[str, Any] = json.loads(_native.nbiot_preset("single_device"))
    return settings


def test_a_number_that_its_field_cannot_hold_is_found(network: dict[str, Any]) -> None:
    network["levels"][0]["nprach"]["period_ms"] = 100_000
    fault = _native.nbiot_fault(json.dumps(network))
    assert fault is not None
    assert (fault["code"], fault["field"]) == ("too_large", "levels[0].nprach.period_ms")
    assert (fault["problem"], fault["remedy"]) == ("100000", None)


def test_what_is_no_number_is_a_broken_specification(network: dict[str, Any]) -> None:
    network["levels"][0]["nprach"]["period_ms"] = "no number"
    with pytest.raises(_native.SpecError, match="no number"):
        _native.nbiot_fault(json.dumps(network))
