"""Many devices of a gateway are added by one call; a server that runs hears of each."""

import contextlib
import os
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from .asking import publish
from .conftest import COMMAND, PATIENCE_S, RunClient, StartServer
from .test_gateway import REGISTRY, Device

MANY = 12_000


@pytest.fixture(scope="module")
def device() -> Device:
    return Device("d1", ec.generate_private_key(ec.SECP256R1()))


def write(file: Path, lines: list[str]) -> str:
    file.write_text("\n".join(lines), encoding="utf-8")
    return str(file)


def test_a_server_that_runs_serves_the_first_and_the_last_of_many(
    serve: StartServer, lasthop: RunClient, tmp_path: Path, device: Device
) -> None:
    data = tmp_path / "gateway"
    server = serve(
        "gateway", "--http", f"--data={data}", listen=("mqtt://127.0.0.1:0", "http://127.0.0.1:0")
    )
    key = device.public_key(tmp_path).name
    lines = ["device,key", *(f"{REGISTRY}/d{number},{key}" for number in range(1, MANY + 1)), ""]
    file = write(tmp_path / "devices.csv", lines)
    words = ("gateway", "device", "add", "--from", file, "--data", str(data))
    done = lasthop(*words)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"added {MANY} devices\n", "")
    last, *others = (Device(f"d{number}", device.key) for number in (MANY, 1, 1001))
    end = time.monotonic() + PATIENCE_S
    while publish(server, last, last.token(), b"x") != 200:
        assert time.monotonic() < end, "the server has not heard of them"
        time.sleep(0.05)
    assert [publish(server, one, one.token(), b"x") for one in others] == [200, 200]
    again = lasthop(*words)
    assert again.stdout == f"added 0 devices, changed {MANY}\n"
    with closing(sqlite3.connect(data / "gateway.sqlite")) as database:
        told = database.execute("SELECT count(*) FROM changes").fetchone()
    assert told == (2 * MANY // 1000,)


def test_keys_stand_in_files_beside_or_in_the_lines_themselves(
    lasthop: RunClient, tmp_path: Path, device: Device
) -> None:
    folder = tmp_path / "keys"
    folder.mkdir()
    pem = device.public_key(folder).read_text()
    lines = [f"{REGISTRY}/d1,keys/d1.pub.pem", "", f'{REGISTRY}/d2,"{pem}",keys/d1.pub.pem']
    file = write(tmp_path / "devices.csv", lines)
    data = ("--data", str(tmp_path / "gateway"))
    assert lasthop("gateway", "device", "add", "--from", file, *data).returncode == 0
    listed = lasthop("gateway", "device", "list", *data).stdout.splitlines()
    assert listed == [
        f"{REGISTRY}/d1 ES256 configuration 0",
        f"{REGISTRY}/d2 ES256 ES256 configuration 0",
    ]


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ([f"{REGISTRY}/d1,d1.pub.pem", f"{REGISTRY}/d2"], ":2: projects"),
        ([f"{REGISTRY}/d1,d1.pub.pem", f"{REGISTRY}/d1,d1.pub.pem"], ":2: projects"),
        ([f"{REGISTRY}/d1,other.pem"], ":1: "),
        ([f"{REGISTRY}/d1,d1.pub.pem", f'{REGISTRY}/d2,"d1'], ":2: this is no CSV"),
        ([f"{REGISTRY}/d1,d1.pub.pem", "d2,d1.pub.pem"], '"d2": '),
        ([f"{REGISTRY}/d1,d1.pub.pem", f"{REGISTRY}/d2,junk.pem"], "d2: this is no public key"),
        (["device,key"], "names no device"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_added(
    lasthop: RunClient, tmp_path: Path, device: Device, lines: list[str], complaint: str
) -> None:
    device.public_key(tmp_path)
    (tmp_path / "junk.pem").write_text("junk")
    file = write(tmp_path / "devices.csv", lines)
    data = ("--data", str(tmp_path / "gateway"))
    done = lasthop("gateway", "device", "add", "--from", file, *data)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert complaint in done.stderr
    assert lasthop("gateway", "device", "list", *data).stdout == ""


def test_from_stands_alone(lasthop: RunClient, tmp_path: Path) -> None:
    words = ("gateway", "device", "add", f"{REGISTRY}/d1", "--from", "x.csv")
    done = lasthop(*words, "--data", str(tmp_path))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--from: it works only with device add, and without DEVICE" in done.stderr


def test_a_terminal_shows_how_many_are_added(tmp_path: Path, device: Device) -> None:
    key = device.public_key(tmp_path).name
    lines = [f"{REGISTRY}/d{number},{key}" for number in range(2000)]
    file = write(tmp_path / "devices.csv", lines)
    words = [*COMMAND, "gateway", "device", "add", "--from", file, "--data", str(tmp_path / "data")]
    outside, inside = os.openpty()
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=inside) as process:
        os.close(inside)
        shown = b""
        # A terminal whose other end is gone is an error of input and output.
        with contextlib.suppress(OSError):
            while part := os.read(outside, 4096):
                shown += part
        os.close(outside)
        assert process.wait(PATIENCE_S) == 0
    assert b"adding devices" in shown
    assert b"2000/2000" in shown
