"""`make test` has one smoke test for each program of others; `make soak` has the further ones."""

import json
import subprocess
import sys
from collections import Counter

import pytest

from lasthop.adapters.registry import adapters, clients

from .conftest import ROOT

SERVERS = {
    *("aiocoap", "californium", "cyclonedds", "fastdds"),
    *("libcoap", "lwip", "mosquitto", "nginx"),
}
DEVICES = {
    *("aiocoap", "aioquic", "curl", "cyclonedds", "fastdds"),
    *("libcoap", "lwip", "mosquitto", "paho"),
}
OTHERS = {
    "Chromium",
    "GnuTLS",
    "Linux UDP",
    "OpenSSL",
    "PostgreSQL",
    "R",
    "Scandium",
    "mosquitto_pub and mosquitto_sub",
    "tshark",
    "websockets",
}
SOAK_ALONE = {
    "hivemq": "it takes 18 s to start and serve",
    "rabbitmq": "it takes 38 s to start and serve",
    "mochi": "Go, its compiler and its modules are brought by scripts/soak",
    "mqtt5": "it is built from its sources, in minutes",
    "rmqtt": "it is built from its sources, in minutes",
    "locust as a device": "scripts/soak installs it",
    "pika as a device": "it is a client of RabbitMQ",
}
"""The adapters without a smoke test, and why. Caddy, quic-go, pion, h2spec, MsQuic, BoringSSL and
Autobahn's suite have no adapter and are built from their sources, in `make soak` alone, too."""

COLLECT = """\
import json, sys
import pytest

class Marks:
    def pytest_collection_finish(self, session):
        marks = [mark for item in session.items for mark in item.iter_markers("smoke")]
        self.names = [name for mark in marks for name in mark.args]

marks = Marks()
pytest.main(["--collect-only", "-qq", "-m", "smoke", "tests/python"], plugins=[marks])
print(json.dumps(marks.names))
"""


@pytest.fixture(scope="module")
def smoke_tests() -> Counter[str]:
    """Count the tests that are marked as the smoke test of a program."""
    done = subprocess.run(
        [sys.executable, "-c", COLLECT], check=True, capture_output=True, text=True, cwd=ROOT
    )
    return Counter(json.loads(done.stdout.splitlines()[-1]))


def test_each_program_has_one_smoke_test(smoke_tests: Counter[str]) -> None:
    expected = SERVERS | {f"{name} as a device" for name in DEVICES} | OTHERS
    assert smoke_tests == Counter(dict.fromkeys(expected, 1))


def test_each_adapter_has_a_smoke_test_or_a_reason() -> None:
    ours = {"gateway", "lasthop"}
    known = {*adapters(), *(f"{name} as a device" for name in clients())} - ours
    smoked = SERVERS | {f"{name} as a device" for name in DEVICES}
    assert smoked | SOAK_ALONE.keys() == known
    assert smoked.isdisjoint(SOAK_ALONE)
