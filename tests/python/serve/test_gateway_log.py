"""What a gateway writes down of what happens, and what it never does."""

import contextlib
import http.client
import json
import re
import signal
import socket
import threading
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from .asking import ask, publish
from .conftest import PATIENCE_S, RunClient, Server, StartServer
from .test_gateway import Client, Device, add, log

LISTEN = ("mqtt://127.0.0.1:0", "http://127.0.0.1:0")
CANARY = "canary-of-what-is-said"


@pytest.fixture
def device() -> Device:
    return Device("d1", ec.generate_private_key(ec.SECP256R1()))


def written(server: Server) -> list[str]:
    """Stop a server; what it has written down."""
    server.process.send_signal(signal.SIGTERM)
    lines = server.process.communicate(timeout=PATIENCE_S)[1].splitlines()
    assert server.process.returncode == 0
    return lines


@pytest.mark.parametrize("form", ["json", "text"])
def test_what_happens_is_written_down_and_no_secret(
    form: str, serve: StartServer, lasthop: RunClient, tmp_path: Path, device: Device
) -> None:
    data = tmp_path / "gateway"
    add(lasthop, data, device)
    server = serve("gateway", "--http", f"--log={form}", f"--data={data}", listen=LISTEN)
    token = device.token()
    forged = token[:-8] + "AAAAAAAA"
    first = Client(server, device, token)
    first.client.reconnect_delay_set(60, 60)
    second = Client(server, device, token)
    assert first.gone.wait(PATIENCE_S)
    first.client.loop_stop()
    second.publish("/devices/d1/events", CANARY).wait_for_publish(PATIENCE_S)
    assert publish(server, device, token, CANARY.encode()) == 200
    second.leave()
    # A token in the place of a name is a secret, too.
    stranger = Device(token[:250].replace("_", "-"), device.key)
    refusals = (
        (device, forged),
        (device, "x"),
        (device, device.token(life_s=86_401)),
        (device, CANARY * 400),
        (stranger, token),
    )
    for who, bad in refusals:
        client = Client(server, who, bad)
        assert client.refusal is not None
        client.leave()
        if len(bad) < 5000:
            assert publish(server, who, bad, b"x") == 401
    assert ask(server, "http", f"/v1/{device.path}/config")[0] == 401
    lines = written(server)
    everything = "\n".join(lines)
    for secret in (token, forged, token.rpartition(".")[2], stranger.name, CANARY, "BEGIN"):
        assert secret not in everything
    assert all(token[at : at + 20] not in everything for at in range(len(token) - 20))
    if form == "text":
        time_name = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (\w+)( \w+=[\w/.~-]+)*")
        found = [time_name.fullmatch(line) for line in lines]
        assert all(found)
        assert lines[0].endswith(f" connected device={device.path}")
        return
    told = [json.loads(line) for line in lines]
    assert [it.pop("time") for it in told] == sorted(json.loads(line)["time"] for line in lines)
    name = {"device": device.path}

    def refused(reason: str, *by: str, **who: str) -> list[dict[str, str]]:
        return [{"event": "refused", "by": it, "reason": reason} | who for it in by]

    assert told == [
        {"event": "connected"} | name,
        {"event": "disconnected", "reason": "taken_over"} | name,
        {"event": "connected"} | name,
        {"event": "disconnected", "reason": "left"} | name,
        *refused("token_signature", "mqtt", "http", **name),
        *refused("token_malformed", "mqtt", "http", **name),
        *refused("token_time", "mqtt", "http", **name),
        *refused("token_too_long", "mqtt", **name),
        *refused("unknown_device", "mqtt", "http"),
        *refused("no_token", "http", **name),
    ]


def test_ends_of_connections_have_their_reasons(
    serve: StartServer, lasthop: RunClient, tmp_path: Path, device: Device
) -> None:
    data = tmp_path / "gateway"
    others = [Device(f"d{number}", device.key) for number in range(2, 6)]
    for it in (device, *others):
        add(lasthop, data, it)
    lost, removed, loud, stays = others
    limit = "--limit=device_messages=2"
    server = serve("gateway", "--log=json", limit, f"--data={data}")
    # Its token ends in 2 s, the skew of ten minutes included.
    ends = Client(server, device, device.token(life_s=3002, begins_s=-3600))
    clients = {it.name: Client(server, it) for it in others}
    for client in (ends, *clients.values()):
        assert client.refusal is None
        client.client.reconnect_delay_set(60, 60)
    there = clients[lost.name].client.socket()
    assert isinstance(there, socket.socket)
    there.shutdown(socket.SHUT_RDWR)
    assert lasthop("gateway", "device", "remove", removed.path, "--data", str(data)).returncode == 0
    for _ in range(20):
        clients[loud.name].publish(f"/devices/{loud.name}/events", CANARY)
    for client in (ends, clients[loud.name], clients[removed.name]):
        assert client.gone.wait(PATIENCE_S)
    clients[stays.name].publish(f"/devices/{stays.name}/events", CANARY).wait_for_publish(
        PATIENCE_S
    )
    told = [json.loads(line) for line in written(server)]
    for client in (ends, *clients.values()):
        client.client.loop_stop()
    reasons = {it["device"]: it["reason"] for it in told if it["event"] == "disconnected"}
    assert reasons == {
        device.path: "not_authorised",
        lost.path: "lost",
        removed.path: "not_authorised",
        loud.path: "misbehaved",
        stays.path: "stopping",
    }
    not_taken = [it for it in told if it["event"] == "not_taken"]
    assert {(it["device"], it["reason"]) for it in not_taken} == {(loud.path, "limit")}


def test_whoever_is_always_refused_fills_no_disk(
    serve: StartServer, lasthop: RunClient, tmp_path: Path, device: Device
) -> None:
    data = tmp_path / "gateway"
    add(lasthop, data, device)
    server = serve("gateway", "--http", "--log=json", f"--data={data}", listen=LISTEN)
    requests = 3000
    with contextlib.closing(http.client.HTTPConnection(*server.place("http"))) as connection:
        for _ in range(requests):
            connection.request("GET", f"/v1/{device.path}/config")
            answer = connection.getresponse()
            assert (answer.status, bool(answer.read())) == (401, True)
    # Nobody reads before the end, and nobody comes after them: the last line tells what is missing.
    told = [json.loads(line) for line in written(server)]
    refused = sum(it["event"] == "refused" for it in told)
    left_out = sum(it["lines"] for it in told if it["event"] == "left_out")
    assert refused + left_out == requests
    assert left_out > 0
    assert len(log(lasthop, data)) == 0


def test_a_server_that_is_stopped_in_the_middle_has_all_that_it_acknowledged(
    serve: StartServer, lasthop: RunClient, place: str, device: Device
) -> None:
    add(lasthop, place, device)
    options = ("--http", f"--data={place}", "--limit=device_messages=1000000")
    server = serve("gateway", *options, listen=LISTEN)
    token = device.token()
    client = Client(server, device, token)
    client.client.reconnect_delay_set(60, 60)
    kept: list[bytes] = []

    def go_on(name: int) -> None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            for number in range(100_000):
                payload = f"http {name} {number}".encode()
                status = publish(server, device, token, payload)
                if status == 200:
                    kept.append(payload)
                else:
                    assert status == 503

    threads = [threading.Thread(target=go_on, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    sent = [client.publish("/devices/d1/events", str(number)) for number in range(3000)]
    sent[300].wait_for_publish(PATIENCE_S)
    assert server.stop() == 0
    assert client.gone.wait(PATIENCE_S)
    client.client.loop_stop()
    for thread in threads:
        thread.join(PATIENCE_S)
    acknowledged = sum(info.is_published() for info in sent)
    found = log(lasthop, place)
    assert len(kept) > 0
    assert acknowledged > 300
    assert len(found) >= acknowledged + len(kept)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("gateway", "--log", "xml", "--data", "x"), "text or json"),
        (("mqtt", "--log", "json"), "serve gateway"),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], told: str, lasthop: RunClient) -> None:
    done = lasthop("serve", *words, "--listen", "127.0.0.1:0")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert told in done.stderr
