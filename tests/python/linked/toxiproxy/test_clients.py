"""The client libraries of Toxiproxy, from their registries, at the control port."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.python.linked.conftest import Echo

from lasthop.linked.toxiproxy import ControlPort

pytestmark = pytest.mark.soak

HERE = Path(__file__).parent

Use = Callable[[Path, str, str], Any]


def _told(*command: str | Path, folder: Path | None = None, **more: str) -> Any:  # noqa: ANN401  JSON
    environment = {**os.environ, **more}
    done = subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def _go(folder: Path, api: str, upstream: str) -> Any:  # noqa: ANN401  JSON
    if (go := shutil.which("go")) is None:
        pytest.skip("go is missing; scripts/soak installs it")
    subprocess.run([go, "build", "-o", folder / "client", "."], cwd=HERE / "go_client", check=True)
    return _told(folder / "client", api, upstream)


def _node(folder: Path, api: str, upstream: str) -> Any:  # noqa: ANN401  JSON
    if (npm := shutil.which("npm")) is None:
        pytest.skip("npm is missing; apt-get install npm")
    install = [npm, "install", "--silent", "--no-audit", "toxiproxy-node-client@4.1.0"]
    subprocess.run(install, cwd=folder, check=True)
    shutil.copy(HERE / "node_client.cjs", folder)
    return _told("node", folder / "node_client.cjs", api, upstream)


def _python(folder: Path, api: str, upstream: str) -> Any:  # noqa: ANN401  JSON
    packages = ("toxiproxy-python==0.1.1", "requests==2.32.5", "future==1.0.0")
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--target",
        str(folder),
        *packages,
    ]
    subprocess.run(install, check=True)
    client = HERE / "python_client.py"
    return _told(sys.executable, client, api, upstream, PYTHONPATH=str(folder))


@pytest.mark.parametrize("use", [_go, _node, _python])
def test_a_client_makes_slows_cuts_and_removes_a_proxy(
    use: Use, echo: Echo, tmp_path: Path
) -> None:
    host, port = echo.address
    with ControlPort(("127.0.0.1", 0)) as control:
        api = f"{control.address[0]}:{control.address[1]}"
        told = use(tmp_path, api, f"{host}:{port}")
    assert told["slow"] >= 0.3  # of a latency of 300 ms
    assert told["before"] < told["slow"] > told["after"]
    assert told["refused"]
    assert (told["toxics"], told["proxies"], told["finished"]) == (1, 1, 0)
    assert told["unknown"]
