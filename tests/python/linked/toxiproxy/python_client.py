"""Uses the Python client of Toxiproxy: prints what a test asks of it."""

import json
import socket
import sys
import time

from toxiproxy import Toxiproxy
from toxiproxy.api import APIConsumer


def round_trip(address: str) -> float:
    host, port = address.split(":")
    begin = time.monotonic()
    with socket.create_connection((host, int(port)), timeout=10) as client:
        client.sendall(b"x")
        client.recv(1)
    return time.monotonic() - begin


def main(api: str, upstream: str) -> None:
    host, port = api.split(":")
    APIConsumer.host, APIConsumer.port = host, int(port)
    toxiproxy = Toxiproxy()
    proxy = toxiproxy.create(name="echo", upstream=upstream, listen="127.0.0.1:0")
    listen = proxy.listen
    told: dict[str, object] = {"before": round_trip(listen)}
    # It has no call that changes a toxic.
    proxy.add_toxic(name="slow", type="latency", attributes={"latency": 300})
    told["slow"] = round_trip(listen)
    told["toxics"] = len(proxy.toxics())
    proxy.destroy_toxic("slow")
    told["after"] = round_trip(listen)
    with proxy.down():
        try:
            round_trip(listen)
            told["refused"] = False
        except OSError:
            told["refused"] = True
    round_trip(listen)
    try:
        proxy.add_toxic(type="slicer")
        told["unknown"] = ""
    except Exception as error:  # noqa: BLE001  its own classes
        told["unknown"] = str(error)
    told["proxies"] = len(toxiproxy.proxies())
    toxiproxy.reset()
    proxy.destroy()
    told["finished"] = len(toxiproxy.proxies())
    sys.stdout.write(json.dumps(told))


main(*sys.argv[1:])
