"""What a gateway tells Prometheus, by its own parser, and what it keeps to itself."""

import time
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from .asking import ask, publish
from .conftest import PATIENCE_S, RunClient, Server, StartServer
from .test_gateway import Client, Device, add, log

_MEASURED = ("lasthop_gateway_commit", "lasthop_gateway_waiting")
LISTEN = ("mqtt://127.0.0.1:0", "http://127.0.0.1:0", "metrics://127.0.0.1:0")


def scrape(server: Server) -> tuple[str, dict[str, float]]:
    """Return what the gateway says, and its samples."""
    status, kind, text = ask(server, "metrics", "/metrics")
    assert status == 200
    assert kind.startswith("application/openmetrics-text")
    families = text_string_to_metric_families(text)  # type: ignore[no-untyped-call]
    samples = [it for family in families for it in family.samples]
    plain = [it for it in samples if not it.labels and not it.name.startswith(_MEASURED)]
    return text, {it.name.removeprefix("lasthop_gateway_"): it.value for it in plain}


def labelled(text: str) -> dict[tuple[str, str], float]:
    """Return the samples that have a label, by their names and that."""
    families = text_string_to_metric_families(text)  # type: ignore[no-untyped-call]
    samples = [it for family in families for it in family.samples if it.labels]
    return {
        (it.name.removeprefix("lasthop_gateway_"), next(iter(it.labels.values()))): it.value
        for it in samples
    }


def test_prometheus_reads_what_was_counted_and_no_secret(
    serve: StartServer, lasthop: RunClient, tmp_path: Path
) -> None:
    device = Device("d1", ec.generate_private_key(ec.SECP256R1()))
    folder = tmp_path / "gateway"
    add(lasthop, folder, device)
    server = serve("gateway", "--http", "--metrics", "--data", str(folder), listen=LISTEN)
    names = ("admissions", "known_tokens", "refusals", "kept_messages", "denied_messages")
    zero = {f"{name}_total": 0 for name in (*names, "failed_messages", "failed_connections")}
    _, counted = scrape(server)
    assert counted == zero | {"devices": 1}
    token = device.token()
    client = Client(server, device, token)
    for _ in range(3):
        client.publish("/devices/d1/events", "canary-of-what-is-said").wait_for_publish(PATIENCE_S)
    client.leave()
    assert publish(server, device, token, b"x") == 200
    forged = token[:-8] + "AAAAAAAA"
    assert Client(server, device, forged).refusal is not None
    text, counted = scrape(server)
    assert counted == zero | {
        "admissions_total": 2,
        "known_tokens_total": 1,
        "refusals_total": 1,
        "kept_messages_total": 4,
        "devices": 1,
    }
    assert len(log(lasthop, folder)) == 4
    # Neither what is told nor what is kept has what a device shows to be believed.
    assert server.stop() == 0
    kept = b"".join(file.read_bytes() for file in folder.iterdir() if file.is_file())
    for secret in (token, forged, token.rpartition(".")[2], "canary-of-what-is-said"):
        assert secret not in text
    for secret in (token, forged, token.rpartition(".")[2]):
        assert secret.encode() not in kept
    assert b"canary-of-what-is-said" in kept


def test_connections_bytes_commits_and_refusals_are_told_by_protocol_and_reason(
    serve: StartServer, lasthop: RunClient, tmp_path: Path
) -> None:
    device = Device("d1", ec.generate_private_key(ec.SECP256R1()))
    folder = tmp_path / "gateway"
    add(lasthop, folder, device)
    listen = (*LISTEN, "ws://127.0.0.1:0")
    options = ("--http", "--metrics", "--ws", "--data", str(folder))
    server = serve("gateway", *options, listen=listen)
    before = labelled(scrape(server)[0])
    assert before["connections", "mqtt"] == before["connections", "mqtt_ws"] == 0
    clients = [Client(server, device, scheme="ws"), Client(server, fresh(lasthop, folder))]
    payload = "x" * 50_000
    clients[1].publish("/devices/d2/events", payload).wait_for_publish(PATIENCE_S)
    assert publish(server, device, device.token(), b"y" * 20_000) == 200
    forged = device.token()[:-8] + "AAAAAAAA"
    assert publish(server, device, forged, b"x") == 401
    assert publish(server, Device("nobody", device.key), device.token(), b"x") == 401
    done = lasthop("gateway", "device", "block", device.path, "--data", str(folder))
    assert done.returncode == 0
    # It tries again by MQTT, and is refused as well.
    assert clients[0].gone.wait(PATIENCE_S)
    assert publish(server, device, device.token(), b"x") == 401
    clients[1].publish("/devices/d1/events", "not its own")
    assert clients[1].gone.wait(PATIENCE_S)
    for client in clients:
        client.leave()
    text, _ = scrape(server)
    after = labelled(text)
    refused = {name: count for (what, name), count in after.items() if "refusals" in what}
    assert {name: count for name, count in refused.items() if count} == {
        "token_signature": 1,
        "unknown_device": 1,
        "blocked": refused["blocked"],
    }
    assert refused["blocked"] >= 1
    assert after["denied_messages_by_reason_total", "not_allowed"] >= 1
    assert after["denied_messages_by_reason_total", "limit"] == 0
    gained = {key: after[key] - before[key] for key in after if key[0].endswith("bytes_total")}
    assert 50_000 < gained["received_bytes_total", "mqtt"] < 60_000
    assert 20_000 < gained["received_bytes_total", "http"] < 40_000
    assert 0 < gained["sent_bytes_total", "mqtt_ws"] < 5_000
    assert "lasthop_gateway_commit_seconds_count 2" in text
    assert after["commit_seconds_bucket", "+Inf"] == 2
    assert "lasthop_gateway_waiting_messages 0" in text
    assert "lasthop_gateway_waiting_bytes 0" in text


def test_open_connections_are_counted_while_they_are_open(
    serve: StartServer, lasthop: RunClient, tmp_path: Path
) -> None:
    device = Device("d1", ec.generate_private_key(ec.SECP256R1()))
    folder = tmp_path / "gateway"
    add(lasthop, folder, device)
    server = serve("gateway", "--http", "--metrics", "--data", str(folder), listen=LISTEN)
    client = Client(server, device)
    assert labelled(scrape(server)[0])["connections", "mqtt"] == 1
    client.leave()
    end = time.monotonic() + PATIENCE_S
    while labelled(scrape(server)[0])["connections", "mqtt"]:
        assert time.monotonic() < end
        time.sleep(0.05)


def fresh(lasthop: RunClient, folder: Path) -> Device:
    device = Device("d2", ec.generate_private_key(ec.SECP256R1()))
    add(lasthop, folder, device)
    return device


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/", 404), ("POST", "/metrics", 405)]
)
def test_nothing_else_is_told(
    method: str, path: str, status: int, serve: StartServer, tmp_path: Path
) -> None:
    server = serve("gateway", "--metrics", "--data", str(tmp_path), listen=LISTEN[::2])
    assert ask(server, "metrics", path, method=method)[0] == status


def test_only_a_gateway_has_metrics(lasthop: RunClient) -> None:
    done = lasthop("serve", "mqtt", "--metrics", "--listen", "127.0.0.1:0")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--metrics: mqtt has no metrics; write lasthop serve gateway" in done.stderr
