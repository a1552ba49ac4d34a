"""Our device and our server beside one of Cyclone DDS; servers send back what they get."""

import json
import sys
from pathlib import Path
from typing import Any, Literal

import pytest

from lasthop.adapters.programs import cyclonedds_server
from lasthop.testbed import Namespace, Tun

from .conftest import KERNEL, OURS, StartHost

pytestmark = pytest.mark.soak

MESSAGES = 50
SIZE = 100
SEVERAL_FRAGMENTS = 20_000
LOSSY: dict[str, float] = {"loss": 0.1, "delay_ms": 5}

Reliability = Literal["reliable", "best_effort"]


def serve(namespace: Namespace, reliability: Reliability) -> None:
    """Start the participant that the adapter starts, with room for all messages."""
    server = str(cyclonedds_server.__file__)
    namespace.start(sys.executable, server, KERNEL, "7400", reliability, "volatile", "1000")


def send_from_ours(
    live_host: StartHost, settings: str, size: int = SIZE, /, **link: float
) -> list[dict[str, Any]]:
    """Send from a device of ours; its types go by their names."""
    settings = f"{settings},untyped"
    words = [KERNEL, settings, MESSAGES, MESSAGES, size]
    return live_host("dds-device", *words, **link).finish()


def send_from_cyclone(namespace: Namespace, reliability: Reliability) -> list[dict[str, Any]]:
    """Send from a device made with Cyclone DDS."""
    device = Path(__file__).with_name("cyclonedds_device.py")
    words = [KERNEL, OURS, reliability, str(MESSAGES), str(SIZE)]
    told = namespace.run(sys.executable, device, *words, timeout=100)
    return [json.loads(line) for line in told.splitlines()]


def check(told: list[dict[str, Any]], size: int = SIZE) -> None:
    """See that all came back, once and whole, and that nothing failed."""
    assert {"ready": True} in told
    received = [line["received"] for line in told if "received" in line]
    assert len(set(received)) == len(received) == MESSAGES
    assert {line["bytes"] for line in told if "received" in line} == {size}
    assert not [line for line in told if "failed" in line]


@pytest.mark.parametrize("reliability", ["reliable", "best_effort"])
def test_samples_go_both_ways(
    namespace: Namespace, device: Tun, live_host: StartHost, reliability: Reliability
) -> None:
    del device  # It has the address that the other speaks from.
    serve(namespace, reliability)
    check(send_from_ours(live_host, reliability))


def test_losses_are_made_up_for_both_ways(
    namespace: Namespace, device: Tun, live_host: StartHost
) -> None:
    del device
    serve(namespace, "reliable")
    check(send_from_ours(live_host, "reliable", **LOSSY))


def test_lost_fragments_are_made_up_for_both_ways(
    namespace: Namespace, device: Tun, live_host: StartHost
) -> None:
    del device
    serve(namespace, "reliable")
    told = send_from_ours(live_host, "reliable", SEVERAL_FRAGMENTS, **LOSSY)
    check(told, SEVERAL_FRAGMENTS)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 52))
def test_losses_are_made_up_whatever_is_lost(
    namespace: Namespace, device: Tun, live_host: StartHost, seed: int
) -> None:
    del device
    serve(namespace, "reliable")
    check(send_from_ours(live_host, "reliable", seed=seed, **LOSSY))


@pytest.mark.parametrize("reliability", ["reliable", "best_effort"])
def test_a_device_of_cyclone_is_served(
    namespace: Namespace, device: Tun, live_host: StartHost, reliability: Reliability
) -> None:
    del device
    live_host("dds-server", f"{reliability},untyped")
    check(send_from_cyclone(namespace, reliability))
