"""The folder of a gateway: who reads makes nothing, and nobody else of the machine reads it."""

import signal
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from .conftest import PATIENCE_S, RunClient, StartServer
from .test_gateway import Device

LISTEN = ("mqtt://127.0.0.1:0",)


@pytest.fixture
def device() -> Device:
    return Device("meter-1", ec.generate_private_key(ec.SECP256R1()))


@pytest.mark.parametrize(
    "words",
    [
        ("log",),
        ("device", "list"),
        ("log", "trim", "--keep", "1"),
        ("config", "set", "projects/p/locations/l/registries/r/devices/d", "x"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("is_there", [False, True], ids=["no folder", "an empty folder"])
def test_who_reads_a_gateway_makes_none(
    lasthop: RunClient, tmp_path: Path, words: tuple[str, ...], *, is_there: bool
) -> None:
    data = tmp_path / "data"
    if is_there:
        data.mkdir(mode=0o700)
    done = lasthop("gateway", *words, "--data", str(data))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert f"--data: {data} has no gateway; choose the folder of a gateway" in line
    assert data.exists() is is_there
    assert not is_there or not list(data.iterdir())


def _modes(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.lstat().st_mode) for file in folder.iterdir()}


def test_files_are_private_in_a_folder_that_is_new(
    serve: StartServer, lasthop: RunClient, tmp_path: Path, device: Device
) -> None:
    data = tmp_path / "data"
    key = device.public_key(tmp_path)
    done = lasthop("gateway", "device", "add", device.path, "--key", str(key), "--data", str(data))
    assert done.returncode == 0, done.stderr
    serve("gateway", "--data", str(data), listen=LISTEN)
    modes = _modes(data)
    names = {f"gateway.sqlite{beside}" for beside in ("", "-wal", "-shm")}
    assert set(modes) == names | {"lock", "bell", "reserve"}
    assert set(modes.values()) == {0o600}


def test_files_are_private_in_a_folder_that_is_open(
    serve: StartServer, lasthop: RunClient, tmp_path: Path, device: Device
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o755)
    key = device.public_key(tmp_path)
    done = lasthop("gateway", "device", "add", device.path, "--key", str(key), "--data", str(data))
    assert done.returncode == 0, done.stderr
    warning = f"--data: other users of this machine can enter {data} (755); run chmod 700 {data}"
    assert warning in done.stderr
    assert _modes(data) == {"gateway.sqlite": 0o600}
    (data / "gateway.sqlite").chmod(0o644)  # as an earlier version left it
    server = serve("gateway", f"--data={data}", listen=LISTEN)
    modes = _modes(data)
    assert {"gateway.sqlite", "gateway.sqlite-wal", "lock"} <= modes.keys()
    del modes["bell"]  # a socket, by which nothing is told but that there is something
    assert set(modes.values()) == {0o600}, modes
    server.process.send_signal(signal.SIGTERM)
    assert warning in server.process.communicate(timeout=PATIENCE_S)[1]


def test_a_folder_that_a_gateway_made_is_not_warned_about(
    lasthop: RunClient, tmp_path: Path, device: Device
) -> None:
    data, key = tmp_path / "data", device.public_key(tmp_path)
    add = ("gateway", "device", "add", device.path, "--key", str(key), "--data", str(data))
    assert lasthop(*add).stderr == ""
    listed = lasthop("gateway", "device", "list", "--data", str(data))
    assert (listed.returncode, listed.stderr) == (0, "")
    assert device.path in listed.stdout
