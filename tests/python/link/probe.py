"""Programs of the ends: an echo of datagrams, and what asks it and tells how it went.

``echo PORT`` serves; ``ask PORT COUNT SPACING_MS WAIT_MS`` sends numbered datagrams to LASTHOP_HOST
and tells as JSON the round trip of each that came back, in seconds.
"""

import json
import os
import socket
import sys
import time


def echo(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("0.0.0.0", port))  # noqa: S104  in a namespace of its own
        print("started", flush=True)  # noqa: T201  for who waits for it
        while True:
            datagram, sender = server.recvfrom(2048)
            server.sendto(datagram, sender)


def ask(port: int, count: int, spacing_ms: float, wait_ms: float) -> None:
    sent: dict[int, float] = {}
    seconds: list[float] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect((os.environ["LASTHOP_HOST"], port))
        begin = time.monotonic()
        for number in range(count):
            listen(client, until=begin + number * spacing_ms / 1e3, sent=sent, seconds=seconds)
            sent[number] = time.monotonic()
            client.send(number.to_bytes(4, "big") + bytes(96))
        listen(client, until=time.monotonic() + wait_ms / 1e3, sent=sent, seconds=seconds)
    print(json.dumps(seconds))  # noqa: T201  what it is for


def listen(
    client: socket.socket, *, until: float, sent: dict[int, float], seconds: list[float]
) -> None:
    while (left := until - time.monotonic()) > 0:
        client.settimeout(left)
        try:
            number = int.from_bytes(client.recv(2048)[:4], "big")
        except TimeoutError:
            return
        seconds.append(time.monotonic() - sent[number])


if __name__ == "__main__":
    what, *numbers = sys.argv[1:]
    if what == "echo":
        echo(int(numbers[0]))
    else:
        ask(int(numbers[0]), int(numbers[1]), float(numbers[2]), float(numbers[3]))
