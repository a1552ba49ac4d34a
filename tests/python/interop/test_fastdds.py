"""Our device and our server beside one of Fast DDS; servers send back what they get."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from lasthop.testbed import Namespace, Tun

from .conftest import KERNEL, OURS, StartHost, skip
from .test_dds import LOSSY, MESSAGES, SIZE, Reliability, check, send_from_ours

SOURCE = Path(__file__).with_name("fastdds_participant.cpp")
HEADER = Path("/usr/include/fastdds/dds/domain/DomainParticipant.hpp")


@pytest.fixture(scope="module")
def participant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the participant that is made with Fast DDS."""
    compiler = shutil.which("g++")
    if compiler is None or not HEADER.exists():
        skip("Fast DDS is missing; apt-get install g++ libfastrtps-dev")
    program = tmp_path_factory.mktemp("fastdds") / "participant"
    options = ["-std=c++17", "-Wall", "-Wextra", "-o", str(program)]
    subprocess.run([compiler, *options, str(SOURCE), "-lfastrtps"], check=True)
    return program


@pytest.mark.parametrize("reliability", ["reliable", "best_effort"])
def test_samples_go_both_ways(
    namespace: Namespace,
    device: Tun,
    live_host: StartHost,
    participant: Path,
    reliability: Reliability,
) -> None:
    del device  # It has the address that the other speaks from.
    namespace.start(participant, KERNEL, reliability)
    check(send_from_ours(live_host, reliability))


def test_losses_are_made_up_for_both_ways(
    namespace: Namespace, device: Tun, live_host: StartHost, participant: Path
) -> None:
    del device
    namespace.start(participant, KERNEL, "reliable")
    check(send_from_ours(live_host, "reliable", **LOSSY))


@pytest.mark.parametrize("reliability", ["reliable", "best_effort"])
def test_a_device_of_fast_dds_is_served(
    namespace: Namespace,
    device: Tun,
    live_host: StartHost,
    participant: Path,
    reliability: Reliability,
) -> None:
    del device
    live_host("dds-server", f"{reliability},untyped")
    words = [KERNEL, reliability, OURS, str(MESSAGES), str(SIZE)]
    told = namespace.run(participant, *words, timeout=100)
    check([json.loads(line) for line in told.splitlines()])
