"""A key is rotated or a device blocked while it is connected: what ends, and what goes on."""

import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from .asking import publish
from .conftest import PATIENCE_S, RunClient, Server, StartServer
from .test_gateway import Client, Device, add

LISTEN = ("mqtt://127.0.0.1:0", "ws://127.0.0.1:0", "http://127.0.0.1:0")

Say = Callable[..., str]


def fresh(name: str = "d1") -> Device:
    return Device(name, ec.generate_private_key(ec.SECP256R1()))


@pytest.fixture
def say(lasthop: RunClient, place: str) -> Say:
    """Return a function that runs a command of the gateway, and gives what it prints."""

    def run(*words: str) -> str:
        done = lasthop("gateway", *words, "--data", place)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def device(lasthop: RunClient, place: str) -> Device:
    device = fresh()
    add(lasthop, place, device)
    return device


def start(serve: StartServer, place: str) -> Server:
    return serve("gateway", "--http", "--ws", "--data", place, listen=LISTEN)


def key_file(device: Device, folder: Path, name: str) -> str:
    folder = folder / name
    folder.mkdir()
    return str(device.public_key(folder))


def await_answer(server: Server, device: Device, status: int) -> None:
    """Wait until the server has heard of a change, and answers a device so."""
    end = time.monotonic() + PATIENCE_S
    while publish(server, device, device.token(), b"x") != status:
        assert time.monotonic() < end, f"it is never answered {status}"
        time.sleep(0.02)


def is_refused(server: Server, device: Device) -> bool:
    """Return whether nothing serves a device: over MQTT, over WebSocket and over HTTP alike."""
    refused = [Client(server, device, scheme=it).refusal is not None for it in ("mqtt", "ws")]
    refused.append(publish(server, device, device.token(), b"x") == 401)
    assert len(set(refused)) == 1, refused
    return refused[0]


def test_a_rotated_key_ends_the_connection_of_the_old_one_and_a_restart_changes_nothing(
    serve: StartServer, device: Device, say: Say, place: str, tmp_path: Path
) -> None:
    server = start(serve, place)
    client = Client(server, device)
    assert client.refusal is None
    client.client.reconnect_delay_set(60, 60)
    token = device.token()
    assert publish(server, device, token, b"before") == 200
    new = fresh()
    say("device", "add", device.path, "--key", key_file(new, tmp_path, "new"))
    assert client.gone.wait(PATIENCE_S)
    client.leave()
    assert publish(server, device, token, b"after") == 401
    assert is_refused(server, device)
    assert not is_refused(server, new)
    assert server.stop() == 0
    again = start(serve, place)
    assert is_refused(again, device)
    assert not is_refused(again, new)


def test_keep_leaves_the_connection_of_the_old_key_and_lets_no_other_one_come(
    serve: StartServer, device: Device, say: Say, place: str, tmp_path: Path
) -> None:
    server = start(serve, place)
    client = Client(server, device, scheme="ws")
    new = fresh()
    say("device", "add", device.path, "--key", key_file(new, tmp_path, "new"), "--keep-connections")
    await_answer(server, device, 401)
    client.publish("/devices/d1/events", "on the old connection").wait_for_publish(PATIENCE_S)
    assert not client.gone.is_set()
    # The rotation after that ends the connections of the keys that it takes away.
    say("device", "add", device.path, "--key", key_file(fresh(), tmp_path, "third"))
    await_answer(server, new, 401)
    client.publish("/devices/d1/events", "still").wait_for_publish(PATIENCE_S)
    assert not client.gone.is_set()
    client.leave()


def test_one_key_comes_and_goes_beside_another(
    serve: StartServer, device: Device, say: Say, place: str, tmp_path: Path
) -> None:
    server = start(serve, place)
    new = fresh()
    file = key_file(new, tmp_path, "new")
    assert say("key", "add", device.path, "--key", file) == f"added a key to {device.path}\n"
    assert say("key", "add", device.path, "--key", file) == f"{device.path} has this key already\n"
    old_client = Client(server, device)
    await_answer(server, new, 200)
    old, added = (line.split()[0] for line in say("key", "list", device.path).splitlines())
    der = subprocess.run(
        ["openssl", "pkey", "-pubin", "-in", file, "-outform", "der"],
        capture_output=True,
        check=True,
    ).stdout
    summed = subprocess.run(["sha256sum"], input=der, capture_output=True, check=True).stdout
    assert added == summed.decode().split()[0]
    gone = say("key", "remove", device.path, "--fingerprint", old[:12])
    assert gone == f"removed key {old} of {device.path}\n"
    assert old_client.gone.wait(PATIENCE_S)
    old_client.leave()
    assert publish(server, device, device.token(), b"x") == 401
    new_client = Client(server, new)
    assert new_client.refusal is None
    new_client.publish("/devices/d1/events", "x").wait_for_publish(PATIENCE_S)
    new_client.leave()


def test_a_device_that_is_blocked_is_served_by_nothing_until_it_is_not(
    serve: StartServer, device: Device, say: Say, place: str
) -> None:
    server = start(serve, place)
    client = Client(server, device)
    client.client.reconnect_delay_set(60, 60)
    token = device.token()
    assert say("device", "block", device.path) == f"blocked {device.path}\n"
    assert client.gone.wait(PATIENCE_S)
    client.leave()
    assert publish(server, device, token, b"x") == 401
    assert is_refused(server, device)
    assert say("device", "block", device.path) == f"{device.path} was blocked already\n"
    assert say("device", "list").rstrip().endswith("blocked")
    assert server.stop() == 0
    again = start(serve, place)
    assert is_refused(again, device)
    assert say("device", "unblock", device.path) == f"unblocked {device.path}\n"
    await_answer(again, device, 200)
    assert not is_refused(again, device)
    assert say("device", "unblock", device.path) == f"{device.path} was not blocked\n"


def test_keys_that_are_added_at_once_are_all_there_and_no_more_than_may_be(
    lasthop: RunClient, device: Device, say: Say, place: str, tmp_path: Path
) -> None:
    files = [key_file(fresh(), tmp_path, f"k{number}") for number in range(4)]
    codes: list[int] = []

    def add_one(file: str) -> None:
        done = lasthop("gateway", "key", "add", device.path, "--key", file, "--data", place)
        codes.append(done.returncode)

    threads = [threading.Thread(target=add_one, args=(file,)) for file in files]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert sorted(codes) == [0, 0, 2, 2]
    assert len(say("key", "list", device.path).splitlines()) == 3


def test_the_last_key_of_a_device_stays(lasthop: RunClient, device: Device, place: str) -> None:
    words = ("gateway", "key", "remove", device.path, "--fingerprint", "", "--data", place)
    done = lasthop(*words)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"this is the only key of {device.path}" in done.stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("key", "list", "projects/p1/locations/eu/registries/r1/devices/d9"), "no device is"),
        (("device", "block", "projects/p1/locations/eu/registries/r1/devices/d9"), "no device is"),
        (("key", "remove", "DEVICE", "--fingerprint", "00ff"), 'no key of fingerprint "00ff"'),
        (("key", "remove", "DEVICE"), "--key: name one public key"),
        (("key", "add", "DEVICE"), "--key: name one public key"),
        (
            ("device", "list", "--keep-connections"),
            "--keep-connections: it works only with device add and key remove",
        ),
        (("device", "list", "--fingerprint", "00"), "--fingerprint: it works only with key remove"),
    ],
    ids=lambda it: " ".join(it) if isinstance(it, tuple) else None,
)
def test_bad_input_is_one_line(
    lasthop: RunClient, device: Device, place: str, words: tuple[str, ...], complaint: str
) -> None:
    words = tuple(device.path if word == "DEVICE" else word for word in words)
    done = lasthop("gateway", *words, "--data", place)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert complaint in done.stderr
