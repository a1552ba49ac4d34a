"""WebSocket judged by Autobahn's test suite, in both roles, in namespaces of their own."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.python.examples import build_example

from lasthop.testbed import Namespace, missing_requirement

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

ROOT = Path(__file__).parents[3]
SUITE = Path.home() / ".cache/lasthop/autobahn-0.8.2/wstest"
CASES = 301
CHOSEN = {"cases": ["*"], "exclude-cases": ["12.*", "13.*"]}
"""All but compression, which is not offered."""
NO_VERDICT = {
    "7.1.6": "256 KiB, a close frame and a ping at once: whether the echo comes first is left open",
    "7.13.1": "a close frame of 5000: what is answered is left open",
    "7.13.2": "a close frame of 65535: what is answered is left open",
}
"""Cases that tell what an end does and do not judge it."""


@pytest.fixture(scope="module")
def echo() -> Path:
    """Return the program that sends back what it receives."""
    return build_example("websocket_echo")


@pytest.fixture
def namespace() -> Iterator[Namespace]:
    """Return one in which the suite may listen everywhere, as it does."""
    if not SUITE.exists():
        pytest.skip("Autobahn's test suite is missing; scripts/autobahn brings it")
    if (missing := missing_requirement()) is not None:
        pytest.skip(f"a namespace needs {missing}")
    with Namespace() as namespace:
        yield namespace


def settings_in(folder: Path, **settings: Any) -> tuple[Path, Path]:  # noqa: ANN401  JSON
    """Write what the suite is told, and say where its verdicts will be."""
    file, reports = folder / "settings.json", folder / "reports"
    told = {"outdir": str(reports), "exclude-agent-cases": {}, **CHOSEN, **settings}
    file.write_text(json.dumps(told), encoding="utf-8")
    return file, reports / "index.json"


def judged(index: Path) -> dict[str, str]:
    """Return the verdict of each case: of what was said, and of how it was closed."""
    cases = json.loads(index.read_text(encoding="utf-8"))["lasthop"]
    return {
        name: " ".join(sorted({case["behavior"], case["behaviorClose"]}))
        for name, case in cases.items()
    }


def expect_all_well(verdicts: dict[str, str]) -> None:
    assert len(verdicts) == CASES
    others = {name: verdict for name, verdict in verdicts.items() if verdict != "OK"}
    assert others == dict.fromkeys(NO_VERDICT, "INFORMATIONAL")


def test_autobahn_finds_no_fault_with_our_server(
    echo: Path, namespace: Namespace, tmp_path: Path
) -> None:
    address = "127.0.0.1:9001"
    servers = [{"agent": "lasthop", "url": f"ws://{address}", "options": {"version": 18}}]
    settings, index = settings_in(tmp_path, servers=servers)
    namespace.start(echo, "serve", address)
    namespace.run(SUITE, "-m", "fuzzingclient", "-s", settings, timeout=1500)
    expect_all_well(judged(index))


def test_autobahn_finds_no_fault_with_our_client(
    echo: Path, namespace: Namespace, tmp_path: Path
) -> None:
    address = "127.0.0.1:9001"
    settings, index = settings_in(tmp_path, url=f"ws://{address}")
    suite = (SUITE, "-m", "fuzzingserver", "-s", settings)
    process = namespace.start(*suite, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    begins = f"Ok, will run {CASES} "
    assert any(line.startswith(begins) for line in iter(process.stdout.readline, ""))
    ask = f'for asked; do "$0" ask {address} "$asked&agent=lasthop" || exit; done'
    cases = [f"/runCase?case={number}" for number in range(1, CASES + 1)]
    namespace.run("sh", "-c", ask, echo, *cases, "/updateReports?", timeout=1500)
    expect_all_well(judged(index))
