"""Caddy stands before a gateway, and hands on to it by HTTP/3."""

import base64
import http.client
import json
import socket
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from benchmarks.certificates import make
from cryptography.hazmat.primitives.asymmetric import ec

from .conftest import PATIENCE_S, FindProgram, RunClient, StartServer
from .test_gateway import Device, add, log

CADDY = Path(__file__).parents[1] / "live" / "caddy"


@pytest.mark.soak
def test_caddy_hands_on_to_our_gateway_by_http_3(
    serve: StartServer,
    lasthop: RunClient,
    find_program: FindProgram,
    tmp_path: Path,
) -> None:
    program = tmp_path / "caddy"
    build = [
        find_program("go", "golang"),
        "build",
        "-trimpath",
        "-mod=readonly",
        "-o",
        str(program),
        ".",
    ]
    subprocess.run(build, cwd=CADDY, check=True)
    data, device = tmp_path / "gateway", Device("d1", ec.generate_private_key(ec.SECP256R1()))
    add(lasthop, data, device)
    shown = make(find_program("openssl", "openssl"), tmp_path, "ec")
    files = (f"--tls-cert={shown.certificate}", f"--tls-key={shown.key}")
    places = ("mqtts://127.0.0.1:0", "h3://127.0.0.1:0")
    server = serve("gateway", "--http3", f"--data={data}", *files, listen=places)
    host, port = server.place("h3")
    with socket.create_server(("127.0.0.1", 0)) as free:
        before = f"127.0.0.1:{free.getsockname()[1]}"
    words = ("before", before, f"{host}:{port}", str(shown.authority), "127.0.0.1")
    with subprocess.Popen(
        [str(program), *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as caddy:
        assert caddy.stdout is not None
        assert caddy.stdout.readline() == b"ready\n"
        try:
            token = device.token()
            told = [_post(before, device, token, str(number)) for number in range(60)]
            assert told == [200] * 60
            assert _post(before, device, f"{token[:-8]}AAAAAAAA", "forged") == 401
        finally:
            caddy.terminate()
    assert server.stop() == 0
    said = [base64.b64decode(str(row["payload_base64"])) for row in log(lasthop, data)]
    assert said == [str(number).encode() for number in range(60)]


def _post(place: str, device: Device, token: str, text: str) -> int:
    body = json.dumps({"binary_data": base64.b64encode(text.encode()).decode()})
    fields = {"Authorization": f"Bearer {token}"}
    with closing(http.client.HTTPConnection(place, timeout=PATIENCE_S)) as connection:
        connection.request("POST", f"/v1/{device.path}:publishEvent", body, fields)
        return connection.getresponse().status
