"""What a gateway tells Prometheus, by its own parser, and what it keeps to itself."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from .asking import ask, publish
from .conftest import PATIENCE_S, RunClient, Server, StartServer
from .test_gateway import Client, Device, add, log

LISTEN = ("mqtt://127.0.0.1:0", "http://127.0.0.1:0", "metrics://127.0.0.1:0")


def scrape(server: Server) -> tuple[str, dict[str, float]]:
    """Return what the gateway says, and its samples."""
    status, kind, text = ask(server, "metrics", "/metrics")
    assert status == 200
    assert kind.startswith("application/openmetrics-text")
    families = text_string_to_metric_families(text)  # type: ignore[no-untyped-call]
    samples = [it for family in families for it in family.samples]
    return text, {it.name.removeprefix("lasthop_gateway_"): it.value for it in samples}


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
    assert "--metrics: mqtt has no metrics; serve gateway" in done.stderr
