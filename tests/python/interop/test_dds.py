"""Our device beside a participant of Cyclone DDS, which sends back what it gets."""

import sys
from typing import Literal

import pytest

from lasthop.adapters.programs import cyclonedds_server
from lasthop.testbed import Namespace, Tun

from .conftest import KERNEL, LiveHost, StartHost

MESSAGES = 50
SIZE = 100
LOSSY: dict[str, float] = {"loss": 0.1, "delay_ms": 5}

Reliability = Literal["reliable", "best_effort"]


def serve(namespace: Namespace, reliability: Reliability) -> None:
    """Start the participant that the adapter starts, with room for all messages."""
    server = str(cyclonedds_server.__file__)
    namespace.start(sys.executable, server, KERNEL, "7400", reliability, "volatile", "1000")


def send_from_ours(live_host: StartHost, reliability: Reliability, **link: float) -> LiveHost:
    """Start a device of ours; its types go by their names."""
    settings = f"{reliability},untyped"
    return live_host("dds-device", KERNEL, settings, MESSAGES, MESSAGES, SIZE, **link)


def check(host: LiveHost) -> None:
    """See that all came back, once and whole, and that nothing failed."""
    told = host.finish()
    assert {"ready": True} in told
    received = [line["received"] for line in told if "received" in line]
    assert len(set(received)) == len(received) == MESSAGES
    assert {line["bytes"] for line in told if "received" in line} == {SIZE}
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
