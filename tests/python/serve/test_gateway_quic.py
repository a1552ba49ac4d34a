"""A gateway over QUIC: aioquic speaks MQTT with a token, and comes again by a ticket."""

from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, make
from benchmarks.quic_client import QuicClient
from cryptography.hazmat.primitives.asymmetric import ec

from .conftest import FindProgram, RunClient, Server, StartServer
from .mqtt_packets import CONNACK, PUBACK, REFUSED, connect, say
from .test_gateway import Device, add, log


def start(serve: StartServer, files: Credentials, data: Path) -> Server:
    tls = (f"--tls-cert={files.certificate}", f"--tls-key={files.key}")
    listen = ("mqtts://127.0.0.1:0", "quic://127.0.0.1:0")
    return serve("gateway", "--quic", f"--data={data}", *tls, listen=listen)


@pytest.mark.soak
def test_aioquic_publishes_with_a_token(
    serve: StartServer, lasthop: RunClient, tmp_path: Path, find_program: FindProgram
) -> None:
    device = Device("d1", ec.generate_private_key(ec.SECP256R1()))
    files = make(find_program("openssl", "openssl"), tmp_path, "ec")
    data = tmp_path / "gateway"
    add(lasthop, data, device)
    place = start(serve, files, data).place("quic")
    token = device.token()
    with QuicClient(place, files.authority) as client:
        client.ask(connect(device, token), CONNACK)
        client.ask(say(device, "first"), PUBACK)
        client.until(lambda: bool(client.tickets))
    ticket = client.tickets[0]
    # CONNECT and PUBLISH in the first flight, and from another port behind it.
    with QuicClient(place, files.authority, ticket=ticket) as client:
        client.ask(connect(device, token) + say(device, "early"), CONNACK + PUBACK)
        client.until(lambda: client.shaken is not None)
        assert client.shaken is not None
        assert client.shaken.early_data_accepted
        client.rebind()
        client.ask(say(device, "moved"), PUBACK)
    for bad in (token[:-8] + "AAAAAAAA", device.token(life_s=86_401), ""):
        with QuicClient(place, files.authority) as client:
            client.ask(connect(device, bad), REFUSED)
    said = [row["payload_base64"] for row in log(lasthop, data)]
    assert said == ["Zmlyc3Q=", "ZWFybHk=", "bW92ZWQ="]
