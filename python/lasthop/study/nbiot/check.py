"""Checks a radio network against the 3GPP tables of the simulator."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from lasthop.compiled import compiled_part
from lasthop.study.nbiot.leaves import key_of
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lasthop.study.nbiot.presets import Network

_TOO_LARGE = re.compile(r"invalid value: integer `(\d+)`, expected \w+")


def check(network: Network) -> None:
    """Check a network against the 3GPP tables.

    Raises
    ------
    Fault
        With the key of what no network may have, below ``path.nbiot``, and the table.
    EnvironmentFailure
        The compiled part of lasthop is missing.
    """
    found = _fault(json.dumps(network, sort_keys=True))
    if found is not None:
        field, problem = found
        what, _, hint = problem.partition("; ")
        raise Fault(what, hint=hint or None, location=key_of(field))


@lru_cache(maxsize=64)
def _fault(network_json: str) -> tuple[str, str] | None:
    with compiled_part():
        from lasthop import _native  # noqa: PLC0415  (only a radio network needs it)
    try:
        return _native.nbiot_fault(network_json)
    except _native.SpecError as error:
        # A number that its field cannot hold: no table is asked for it.
        number = _TOO_LARGE.match(str(error))
        if number is None:
            raise
        fields = {value: name for name, value in _numbers(json.loads(network_json), "")}
        return fields[int(number[1])], f"is {number[1]}, which is far too large; write less"


def _numbers(value: object, name: str) -> Iterator[tuple[str, int]]:
    """Give every whole number of the settings with its field."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _numbers(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            is_number = isinstance(inner, int) and not isinstance(inner, bool)
            yield from _numbers(inner, name if is_number else f"{name}[{place}]")
    elif isinstance(value, int) and not isinstance(value, bool):
        yield name, value
