"""Our device and our server beside one of Fast DDS; servers send back what they get."""

import json
import sys
from pathlib import Path

import pytest

from lasthop.adapters.fastdds import FAST_DDS
from lasthop.adapters.programs import fastdds_server
from lasthop.errors import EnvironmentFailure
from lasthop.testbed import Namespace, Tun

from .conftest import KERNEL, OURS, StartHost
from .test_dds import (
    LOSSY,
    MESSAGES,
    SEVERAL_FRAGMENTS,
    SIZE,
    Reliability,
    check,
    send_from_ours,
)

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def library() -> Path:
    """Compile what is around Fast DDS."""
    try:
        return FAST_DDS.path()
    except EnvironmentFailure as missing:
        pytest.skip(str(missing))


def serve(
    namespace: Namespace, library: Path, reliability: Reliability, *, transport: str = "udp"
) -> None:
    """Start the participant that the adapter starts, with room for all messages."""
    words = [str(library), KERNEL, transport, "7400", "on", reliability, "volatile", "1000"]
    namespace.start(sys.executable, "-m", fastdds_server.__name__, *words)


@pytest.mark.parametrize("reliability", ["reliable", "best_effort"])
def test_samples_go_both_ways(
    namespace: Namespace,
    device: Tun,
    live_host: StartHost,
    library: Path,
    reliability: Reliability,
) -> None:
    del device  # It has the address that the other speaks from.
    serve(namespace, library, reliability)
    check(send_from_ours(live_host, reliability))


def test_losses_are_made_up_for_both_ways(
    namespace: Namespace, device: Tun, live_host: StartHost, library: Path
) -> None:
    del device
    serve(namespace, library, "reliable")
    check(send_from_ours(live_host, "reliable", **LOSSY))


def test_lost_fragments_are_made_up_for_both_ways(
    namespace: Namespace, device: Tun, live_host: StartHost, library: Path
) -> None:
    del device
    serve(namespace, library, "reliable")
    told = send_from_ours(live_host, "reliable", SEVERAL_FRAGMENTS, **LOSSY)
    check(told, SEVERAL_FRAGMENTS)


@pytest.mark.parametrize("reliability", ["reliable", "best_effort"])
def test_a_device_of_fast_dds_is_served(
    namespace: Namespace,
    device: Tun,
    live_host: StartHost,
    library: Path,
    reliability: Reliability,
) -> None:
    del device
    live_host("dds-server", f"{reliability},untyped")
    program = Path(__file__).with_name("fastdds_device.py")
    words = [str(library), KERNEL, OURS, reliability, str(MESSAGES), str(SIZE)]
    told = namespace.run(sys.executable, program, *words, timeout=100)
    check([json.loads(line) for line in told.splitlines()])


@pytest.mark.parametrize("reliability", ["reliable", "best_effort"])
def test_samples_go_both_ways_over_tcp(
    namespace: Namespace,
    device: Tun,
    live_host: StartHost,
    library: Path,
    reliability: Reliability,
) -> None:
    del device
    serve(namespace, library, reliability, transport="tcp")
    # TCP repairs the losses of both.
    check(send_from_ours(live_host, f"{reliability},tcp", **LOSSY))


def test_samples_of_several_fragments_go_both_ways_over_tcp(
    namespace: Namespace, device: Tun, live_host: StartHost, library: Path
) -> None:
    del device
    serve(namespace, library, "reliable", transport="tcp")
    told = send_from_ours(live_host, "reliable,tcp", SEVERAL_FRAGMENTS, **LOSSY)
    check(told, SEVERAL_FRAGMENTS)


@pytest.mark.parametrize("reliability", ["reliable", "best_effort"])
def test_a_device_of_fast_dds_is_served_over_tcp(
    namespace: Namespace,
    device: Tun,
    live_host: StartHost,
    library: Path,
    reliability: Reliability,
) -> None:
    del device
    live_host("dds-server", f"{reliability},untyped,tcp")
    program = Path(__file__).with_name("fastdds_device.py")
    words = [str(library), KERNEL, OURS, reliability, str(MESSAGES), str(SIZE), "7400"]
    told = namespace.run(sys.executable, program, *words, timeout=100)
    check([json.loads(line) for line in told.splitlines()])
