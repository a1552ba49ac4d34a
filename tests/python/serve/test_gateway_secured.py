"""A gateway over TLS and WebSocket: paho with tokens, by each way that a server has at once."""

from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec

from .conftest import PATIENCE_S, FindProgram, RunClient, StartServer
from .test_gateway import Client, Device, add, log
from .test_tls import make


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
