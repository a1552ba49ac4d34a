"""Checks a radio network against the 3GPP tables of the simulator."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from lasthop.compiled import compiled_part
from lasthop.study.nbiot.leaves import key_of
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from lasthop._native import NbiotFault
    from lasthop.study.nbiot.presets import Network


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
    if found is None:
        return
    what, hint = found["problem"], found["remedy"]
    if found["code"] == "too_large":
        what, hint = f"is {what}, which is far too large", "write less"
    raise Fault(what, hint=hint, location=key_of(found["field"]))


@lru_cache(maxsize=64)
def _fault(network_json: str) -> NbiotFault | None:
    with compiled_part():
        from lasthop import _native  # noqa: PLC0415  (only a radio network needs it)
    return _native.nbiot_fault(network_json)
