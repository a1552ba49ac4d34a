"""What 3GPP allows of a radio network; the tables are the simulator's."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from lasthop.errors import EnvironmentFailure
from lasthop.study.faults import Fault
from lasthop.study.nbiot.leaves import key_of

if TYPE_CHECKING:
    from lasthop.study.nbiot.presets import Network


def check(network: Network) -> None:
    """Hold a network against the tables of 3GPP.

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
    try:
        from lasthop import _native  # noqa: PLC0415  (only a radio network needs it)
    except ImportError as error:
        message = f"lasthop's compiled part cannot be loaded ({error}); install lasthop again"
        raise EnvironmentFailure(message) from error
    return _native.nbiot_fault(network_json)
