"""Tokens of golang-jwt, a library of another language: taken by a gateway, by MQTT and HTTP."""

import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from .asking import publish
from .conftest import PATIENCE_S, RunClient, StartServer
from .test_gateway import Client, Device, add, log

pytestmark = pytest.mark.soak

SOURCE = Path(__file__).parent / "go_tokens"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build it; the Go module proxy gives what it stands on."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("go is missing; scripts/soak installs it")
    program = tmp_path_factory.mktemp("go_tokens") / "go_tokens"
    subprocess.run([go, "build", "-o", program, "."], cwd=SOURCE, check=True)
    return program


def sign(program: Path, device: Device, audience: str = "p1", life_s: int = 3600) -> str:
    is_rsa = isinstance(device.key, rsa.RSAPrivateKey)
    pem = device.key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    command = [program, "RS256" if is_rsa else "ES256", audience, str(life_s)]
    done = subprocess.run(command, input=pem, capture_output=True, check=True)
    return done.stdout.decode().strip()


def test_tokens_of_go_are_taken(
    program: Path, serve: StartServer, lasthop: RunClient, tmp_path: Path
) -> None:
    devices = [
        Device("d1", ec.generate_private_key(ec.SECP256R1())),
        Device("d2", rsa.generate_private_key(65537, 2048)),
    ]
    data = tmp_path / "gateway"
    for device in devices:
        add(lasthop, data, device)
    listen = ("mqtt://127.0.0.1:0", "http://127.0.0.1:0")
    server = serve("gateway", "--http", f"--data={data}", listen=listen)
    for device in devices:
        token = sign(program, device)
        client = Client(server, device, token)
        assert client.refusal is None
        client.publish(f"/devices/{device.name}/events", "mqtt").wait_for_publish(PATIENCE_S)
        client.leave()
        assert publish(server, device, token, b"http") == 200
        for bad in (sign(program, device, "p2"), sign(program, device, life_s=86_401)):
            assert publish(server, device, bad, b"never") == 401
            refused = Client(server, device, bad)
            assert refused.refusal is not None
            refused.leave()
    assert len(log(lasthop, data)) == 4
