"""A gateway over TLS and WebSocket: paho and curl with tokens, by each way that it has at once."""

import subprocess
from pathlib import Path

import pytest
from benchmarks.certificates import make
from cryptography.hazmat.primitives.asymmetric import ec

from .conftest import PATIENCE_S, FindProgram, RunClient, StartServer
from .test_gateway import Client, Device, add, log


def test_paho_comes_by_each_way(
    serve: StartServer, lasthop: RunClient, tmp_path: Path, find_program: FindProgram
) -> None:
    device = Device("d1", ec.generate_private_key(ec.SECP256R1()))
    files = make(find_program("openssl", "openssl"), tmp_path, "ec")
    tls = (f"--tls-cert={files.certificate}", f"--tls-key={files.key}")
    listen = ("mqtt://127.0.0.1:0", "ws://127.0.0.1:0")
    ways = {"mqtt": (), "ws": (), "mqtts": tls, "wss": tls}
    folder = tmp_path / "gateway"
    add(lasthop, folder, device)
    for options in ((), tls):
        server = serve("gateway", "--ws", f"--data={folder}", *options, listen=listen)
        authority = files.authority if options else None
        for scheme in (name for name, needs in ways.items() if needs == options):
            client = Client(server, device, scheme=scheme, authority=authority)
            assert client.refusal is None, scheme
            client.publish("/devices/d1/events", scheme).wait_for_publish(PATIENCE_S)
            client.leave()
            forged = device.token()[:-8] + "AAAAAAAA"
            bad = Client(server, device, forged, scheme=scheme, authority=authority)
            assert bad.refusal is not None, scheme
            bad.leave()
        assert server.stop() == 0
    said = [row["payload_base64"] for row in log(lasthop, folder)]
    assert said == ["bXF0dA==", "d3M=", "bXF0dHM=", "d3Nz"]


@pytest.mark.soak
def test_curl_comes_by_each_version_of_http(
    serve: StartServer, lasthop: RunClient, tmp_path: Path, find_program: FindProgram
) -> None:
    device = Device("d1", ec.generate_private_key(ec.SECP256R1()))
    files = make(find_program("openssl", "openssl"), tmp_path, "ec")
    folder = tmp_path / "gateway"
    add(lasthop, folder, device)
    tls = (f"--tls-cert={files.certificate}", f"--tls-key={files.key}")
    listen = ("mqtts://127.0.0.1:0", "https://127.0.0.1:0")
    server = serve("gateway", "--http", f"--data={folder}", *tls, listen=listen)
    url = f"https://127.0.0.1:{server.place('https')[1]}/v1/{device.path}:publishEvent"
    curl = (find_program("curl", "curl"), "-s", "--cacert", files.authority)
    asked = (
        "--header",
        f"Authorization: Bearer {device.token()}",
        "--data",
        '{"binary_data": "eA"}',
    )
    spoken = ("--output", "/dev/null", "--write-out", "%{http_version} %{http_code}")
    # Without a word of which it takes the newest that both know.
    for wanted, version in (((), "2"), (("--http1.1",), "1.1"), (("--http2",), "2")):
        command = [*curl, *wanted, *asked, *spoken, url]
        told = subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=PATIENCE_S
        )
        assert told.stdout == f"{version} 200"
    assert len(log(lasthop, folder)) == 3
