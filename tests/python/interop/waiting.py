"""Wait until a program of others is ready."""

import time
from typing import Literal

import pytest

from lasthop.testbed import Namespace

_PATIENCE_S = 120.0


def wait_for_port(namespace: Namespace, protocol: Literal["tcp", "udp"], port: int) -> None:
    """Wait until somebody in the namespace has the port."""
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        table = namespace.run("cat", f"/proc/net/{protocol}")
        local_addresses = [line.split()[1] for line in table.splitlines()[1:]]
        if any(address.endswith(f":{port:04X}") for address in local_addresses):
            return
        time.sleep(0.02)
    pytest.fail(f"nobody listens at {protocol} port {port}")
