"""Gateways that speak for other devices: attach, detach, and what they are told of errors."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from .conftest import PATIENCE_S, RunClient, StartServer
from .test_gateway import REGISTRY, Client, Device, log

SENSOR = f"{REGISTRY}/s1"


@pytest.fixture
def gateway() -> Device:
    return Device("g1", ec.generate_private_key(ec.SECP256R1()))


@pytest.fixture
def data(place: str, tmp_path: Path, gateway: Device, lasthop: RunClient) -> str:
    """Return data in which a gateway is known, and a sensor without a key."""
    key = str(gateway.public_key(tmp_path))
    told = run(lasthop, place, "device", "add", gateway.path, "--key", key, "--attaches", "bound")
    assert told == f"added {gateway.path}\n"
    told = run(lasthop, place, "device", "add", SENSOR, "--gateway", gateway.path)
    assert told == f"added {SENSOR}\n{SENSOR} is bound to {gateway.path}\n"
    return place


def run(lasthop: RunClient, data: str, *words: str) -> str:
    done = lasthop("gateway", *words, "--data", data)
    assert done.returncode == 0, done.stderr
    return done.stdout


def await_error(client: Client, gateway: Device) -> dict[str, object]:
    """Wait for the next error that the gateway is told of."""
    topic = f"/devices/{gateway.name}/errors"
    with client.hears:
        assert client.hears.wait_for(
            lambda: any(heard[0] == topic for heard in client.heard), PATIENCE_S
        )
        found = next(heard for heard in client.heard if heard[0] == topic)
        client.heard.remove(found)
    error = json.loads(found[1])
    assert isinstance(error, dict)
    return error


def test_a_gateway_speaks_for_a_bound_device_and_hears_what_that_is_told(
    serve: StartServer, lasthop: RunClient, data: str, gateway: Device
) -> None:
    server = serve("gateway", "--data", data)
    client = Client(server, gateway)
    client.subscribe("/devices/g1/errors", qos=0)
    assert client.subscribe("/devices/s1/config") == 0x80
    client.publish("/devices/s1/attach", "").wait_for_publish(PATIENCE_S)
    assert client.subscribe("/devices/s1/config") == 1
    assert client.subscribe("/devices/s1/commands/#") == 1
    client.publish("/devices/s1/events/soil", "31").wait_for_publish(PATIENCE_S)
    client.publish("/devices/s1/state", "up").wait_for_publish(PATIENCE_S)
    client.publish("/devices/g1/events", "own").wait_for_publish(PATIENCE_S)
    run(lasthop, data, "config", "set", SENSOR, "slow")
    client.await_message("/devices/s1/config", "slow")
    run(lasthop, data, "command", "send", SENSOR, "open")
    client.await_message("/devices/s1/commands", "open")
    # Detached, it hears no more, of what was said before what it hears itself.
    client.publish("/devices/s1/detach", "").wait_for_publish(PATIENCE_S)
    client.subscribe("/devices/g1/config")
    run(lasthop, data, "config", "set", SENSOR, "unheard")
    run(lasthop, data, "config", "set", gateway.path, "heard")
    client.await_message("/devices/g1/config", "heard")
    assert ("/devices/s1/config", "unheard") not in client.heard
    client.leave()
    said = [(row["device"], row["kind"], row["folder"]) for row in log(lasthop, data)]
    assert said == [(SENSOR, "event", "soil"), (SENSOR, "state", ""), (gateway.path, "event", "")]


def test_who_is_not_bound_is_not_attached_and_the_gateway_is_told(
    serve: StartServer, lasthop: RunClient, data: str, gateway: Device
) -> None:
    server = serve("gateway", "--data", data)
    client = Client(server, gateway)
    client.subscribe("/devices/g1/errors", qos=0)
    client.publish("/devices/nobody/attach", "").wait_for_publish(PATIENCE_S)
    error = await_error(client, gateway)
    assert (error["error_type"], error["device_id"]) == ("GATEWAY_ATTACHMENT_ERROR", "nobody")
    client.publish("/devices/s1/attach", "").wait_for_publish(PATIENCE_S)
    client.publish("/devices/s1/events", "1").wait_for_publish(PATIENCE_S)
    # What is changed while it is attached holds from when the server hears of it, in order.
    client.subscribe("/devices/g1/config")
    told = run(lasthop, data, "unbind", gateway.path, SENSOR)
    assert told == f"{SENSOR} is not bound to {gateway.path} any more\n"
    run(lasthop, data, "config", "set", gateway.path, "unbound")
    client.await_message("/devices/g1/config", "unbound")
    client.client.reconnect_delay_set(60, 60)
    refused = client.publish("/devices/s1/events", "2")
    error = await_error(client, gateway)
    assert (error["error_type"], error["device_id"]) == ("GATEWAY_DEVICE_NOT_FOUND", "s1")
    assert client.gone.wait(PATIENCE_S)
    assert not refused.is_published()
    client.client.loop_stop()
    assert [row["payload_base64"] for row in log(lasthop, data)] == ["MQ=="]
    # Another word mends it, and holds after a new start.
    assert run(lasthop, data, "bind", gateway.path, SENSOR).endswith(
        f"is bound to {gateway.path}\n"
    )
    assert server.stop() == 0
    server = serve("gateway", "--data", data)
    client = Client(server, gateway)
    client.publish("/devices/s1/attach", "").wait_for_publish(PATIENCE_S)
    client.publish("/devices/s1/events", "3").wait_for_publish(PATIENCE_S)
    client.leave()
    assert len(log(lasthop, data)) == 2


def test_a_device_shows_its_own_token_by_the_gateway(
    serve: StartServer, lasthop: RunClient, data: str, gateway: Device, tmp_path: Path
) -> None:
    sensor = Device("s2", ec.generate_private_key(ec.SECP256R1()))
    keys = [str(device.public_key(tmp_path)) for device in (gateway, sensor)]
    run(lasthop, data, "device", "add", gateway.path, "--key", keys[0], "--attaches", "token")
    run(lasthop, data, "device", "add", sensor.path, "--key", keys[1])
    server = serve("gateway", "--data", data)
    client = Client(server, gateway)
    client.subscribe("/devices/g1/errors", qos=0)
    for token in ("", gateway.token(), sensor.token(begins_s=-8000)):
        payload = json.dumps({"authorization": token})
        client.publish("/devices/s2/attach", payload).wait_for_publish(PATIENCE_S)
        assert await_error(client, gateway)["error_type"] == "GATEWAY_ATTACHMENT_ERROR"
    payload = json.dumps({"authorization": sensor.token()})
    client.publish("/devices/s2/attach", payload).wait_for_publish(PATIENCE_S)
    client.publish("/devices/s2/events", "1").wait_for_publish(PATIENCE_S)
    # A device that comes itself has its gateway no more.
    itself = Client(server, sensor)
    assert itself.refusal is None
    client.client.reconnect_delay_set(60, 60)
    client.publish("/devices/s2/events", "2")
    assert await_error(client, gateway)["error_type"] == "GATEWAY_DEVICE_NOT_FOUND"
    client.client.loop_stop()
    itself.leave()
    assert [row["device"] for row in log(lasthop, data)] == [sensor.path]


def test_devices_are_listed_with_whom_they_speak_for(
    lasthop: RunClient, data: str, gateway: Device, tmp_path: Path
) -> None:
    told = run(lasthop, data, "device", "list")
    both = f"{gateway.path} ES256 configuration 0 attaches bound\n"
    assert told == both + f"{SENSOR} configuration 0 bound to {gateway.path}\n"
    # Other keys change nothing of that; without the gateway nobody is bound to it.
    key = str(gateway.public_key(tmp_path))
    run(lasthop, data, "device", "add", gateway.path, "--key", key)
    assert run(lasthop, data, "device", "list") == told
    run(lasthop, data, "device", "remove", gateway.path)
    assert run(lasthop, data, "device", "list") == f"{SENSOR} configuration 0\n"


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_database_of_the_version_before_is_taken_over(
    lasthop: RunClient, data: str, gateway: Device
) -> None:
    with closing(sqlite3.connect(f"{data}/gateway.sqlite")) as database:
        database.executescript(
            "ALTER TABLE devices DROP COLUMN attaches; ALTER TABLE devices DROP COLUMN blocked;"
            "DROP TABLE bindings; PRAGMA user_version = 1"
        )
    told = f"{gateway.path} ES256 configuration 0\n{SENSOR} configuration 0\n"
    assert run(lasthop, data, "device", "list") == told
    with closing(sqlite3.connect(f"{data}/gateway.sqlite")) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (3,)


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("bind", f"{REGISTRY}/g1", f"{REGISTRY}/s9"), "no device is called"),
        (("bind", f"{REGISTRY}/g9", SENSOR), "no device is called"),
        (("bind", SENSOR, f"{REGISTRY}/g1"), "attaches no devices"),
        (("bind", SENSOR, SENSOR), "two devices of one registry"),
        (("bind", f"{REGISTRY}/g1", SENSOR.replace("r1", "r2")), "two devices of one registry"),
        (("bind", f"{REGISTRY}/g1"), "is not a known action"),
        (("unbind", SENSOR, f"{REGISTRY}/g1"), "is not bound to"),
        (("device", "add", f"{REGISTRY}/s3", "--gateway", SENSOR), "is not a gateway"),
        (("device", "add", SENSOR, "--gateway", f"{REGISTRY}/g1"), "is there already"),
        (
            ("device", "add", f"{REGISTRY}/s3", "--gateway", f"{REGISTRY}/g1", "--attaches", "all"),
            "none of bound, token, both",
        ),
    ],
)
def test_bad_input_is_one_line(
    lasthop: RunClient, data: str, words: tuple[str, ...], told: str
) -> None:
    before = run(lasthop, data, "device", "list")
    done = lasthop("gateway", *words, "--data", data)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert told in done.stderr
    assert run(lasthop, data, "device", "list") == before
