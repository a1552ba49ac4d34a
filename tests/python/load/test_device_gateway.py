"""`lasthop load` against our device gateway: each device shows tokens of its own."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lasthop import Results

from .conftest import await_listener, free_port

COMMAND = (sys.executable, "-c", "import sys; from lasthop.cli import main; sys.exit(main())")
DEVICE = "projects/p/locations/l/registries/r/devices/d"
PATIENCE_S = 120.0

STUDY = """
study: reports
duration: 3 s
measure: {warm_up: 1 s, drain: 5 s}
devices: 20
traffic: {report: 100 B, every: 100 ms}
stacks: [mqtt qos=1, mqtt qos=1 version=5, http, "http connection=per_message"]
expect: ["delivery_ratio == 100 %", "messages_duplicated == 0"]
repeat: 1
"""


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    file = tmp_path / "fleet.keys"
    words = ("gateway", "device", "add", DEVICE, "--count", "20", "--data", str(tmp_path / "data"))
    done = run(*words, "--new-key", str(file))
    assert done.stdout == f"added 20 devices; the keys are in {file}\n", done.stderr
    assert file.stat().st_mode & 0o777 == 0o600
    return file


@pytest.fixture
def places(tmp_path: Path, keys: Path) -> Iterator[list[str]]:
    assert keys.is_file()
    ports = {scheme: free_port() for scheme in ("mqtt", "http")}
    urls = [f"{scheme}://127.0.0.1:{port}" for scheme, port in ports.items()]
    listen = [f"--listen={url}" for url in urls]
    command = [*COMMAND, "serve", "gateway", "--http", f"--data={tmp_path / 'data'}", *listen]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        for port in ports.values():
            await_listener(port)
        yield [f"--against={url}" for url in urls]
        process.terminate()


def load(folder: Path, keys: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    study = folder / "study.yaml"
    study.write_text(STUDY)
    return run("load", str(study), "--devices", str(keys), f"--out={folder / 'out'}", *arguments)


def test_each_device_reports_by_its_own_token_and_all_is_in_the_log(
    tmp_path: Path, keys: Path, places: list[str]
) -> None:
    done = load(tmp_path, keys, *places)
    assert done.returncode in {0, 3}, done.stderr  # 3: this machine was too busy to be believed
    runs = Results(tmp_path / "out").runs
    assert runs["delivery_ratio"].to_list() == [1.0] * 4
    assert (runs["latency_p50_ms"] > 0).all()
    logged = run("gateway", "log", "--data", str(tmp_path / "data"), "--json").stdout.splitlines()
    rows = [json.loads(line) for line in logged]
    # The messages of the warm-up are there as well: 3 s of 20 devices at 10 a second, by 4 stacks.
    assert {row["device"] for row in rows} == {f"{DEVICE}-{number + 1}" for number in range(20)}
    assert len(rows) == 4 * 600
    secret = keys.read_text().splitlines()[2]
    held = [file for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert held
    assert not any(secret.encode() in file.read_bytes() for file in held)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--set", "devices=21"), "21 devices, but --devices has only 20"),
        (("--set", "stacks=[mqtt qos=0]"), "qos=1"),
        (("--set", "stacks=[coap]", "--against=coap://127.0.0.1:1"), "over mqtt and http"),
        (("--set", "traffic={round_trip: 9 B, every: 1 s}"), "accepts only reports"),
        (("--user", "ann:x"), "--user"),
    ],
)
def test_what_a_gateway_does_not_take_is_one_line(
    tmp_path: Path, keys: Path, places: list[str], arguments: tuple[str, ...], told: str
) -> None:
    done = load(tmp_path, keys, *places, *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("stack", "told"),
    [
        ("mqtt qos=1", "CONNACK with code"),
        ("http", "HTTP status 401, it does not know the token; look at --user or --devices"),
    ],
)
def test_tokens_of_other_keys_are_told_at_once(
    tmp_path: Path, keys: Path, places: list[str], stack: str, told: str
) -> None:
    others = tmp_path / "others.keys"
    data = str(tmp_path / "elsewhere")
    words = ("gateway", "device", "add", DEVICE, "--count", "20", "--data", data)
    assert run(*words, "--new-key", str(others)).returncode == 0
    assert keys.read_bytes() != others.read_bytes()
    done = load(tmp_path, others, *places, "--set", f"stacks=[{stack}]")
    assert done.returncode == 4, done.stdout
    (line,) = done.stderr.splitlines()
    # Whoever is answered first.
    assert re.search(rf"device-\d+ is not let in: {re.escape(told)}", line), line


def test_a_file_of_something_else_is_one_line(tmp_path: Path) -> None:
    junk = tmp_path / "junk"
    for text in ("", "projects/p\n", "-----BEGIN PRIVATE KEY-----\n"):
        junk.write_text(text)
        done = load(tmp_path, junk, "--against=mqtt://127.0.0.1:1")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "is not a devices file" in done.stderr
    done = load(tmp_path, tmp_path / "none", "--against=mqtt://127.0.0.1:1")
    assert (done.returncode, "cannot be read" in done.stderr) == (2, True)


def test_keys_are_never_written_over(tmp_path: Path, keys: Path) -> None:
    before = keys.read_bytes()
    data = ("--data", str(tmp_path / "data"))
    done = run("gateway", "device", "add", f"{DEVICE}x", "--new-key", str(keys), *data)
    assert (done.returncode, "exists already" in done.stderr) == (2, True)
    assert keys.read_bytes() == before
    other = tmp_path / "other.keys"
    namesake = DEVICE.replace("registries/r", "registries/s")
    words = ("gateway", "device", "add", namesake, "--count", "2", "--new-key", str(other))
    done = run(*words, *data)
    assert (done.returncode, "already" in done.stderr) == (2, True)
    assert not other.exists()
    for wrong in (("--count", "2", "--key", str(keys)), ("--new-key", str(other), "--key", "x")):
        done = run("gateway", "device", "add", DEVICE, *wrong, *data)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
