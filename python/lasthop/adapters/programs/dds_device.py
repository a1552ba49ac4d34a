"""The parts that all DDS device programs share."""

import socket
import time
from collections.abc import Callable
from typing import Any

_LOOK_AGAIN_S = 0.02
_UNTIL_THE_OTHER_MATCHES_S = 1.0
"""Seconds to wait after a match, because the other side may not have discovered us yet."""


def key_of(errand: Any) -> int:  # noqa: ANN401  plain values
    """Return the key of the device's samples, which is the device's number."""
    return int(errand["name"].rpartition("-")[2])


def own_address(errand: Any) -> str:  # noqa: ANN401  plain values
    """Return the local IP address of the route to the server."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((errand["address"], errand["port"]))
        address: str = probe.getsockname()[0]
    return address


def await_match(is_matched: Callable[[], bool]) -> None:
    """Wait until readers and writers of both sides have discovered each other."""
    while not is_matched():
        time.sleep(_LOOK_AGAIN_S)
    time.sleep(_UNTIL_THE_OTHER_MATCHES_S)
