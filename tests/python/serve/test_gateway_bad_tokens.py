"""Tokens that nobody should believe, shown to a gateway: one answer to all, and no memory."""

import base64
import contextlib
import hmac
import http.client
import json
import os
import socket
import sys
import time
from pathlib import Path

import jwt
from cryptography.hazmat.primitives.asymmetric import ec

from .conftest import PATIENCE_S, RunClient, Server, StartServer
from .mqtt_packets import CONNACK, REFUSED, connect
from .test_gateway import Device, add, log

ROUNDS = 20
MOST_GROWTH_KIB = 8 << 10
MOST_CPU_S = 0.1


def encode(part: bytes | str | dict[str, object]) -> str:
    text = json.dumps(part) if isinstance(part, dict) else part
    raw = text.encode() if isinstance(text, str) else text
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def bad_tokens(device: Device, folder: Path) -> list[str]:
    """Return tokens that are wrong in one way each."""
    now = int(time.time())
    honest: dict[str, object] = {"iat": now, "exp": now + 3600, "aud": "p1"}
    head: dict[str, object] = {"alg": "ES256", "typ": "JWT"}
    good = device.token()
    header, claims, signature = good.split(".")
    pem = device.public_key(folder).read_bytes()
    other = Device("d1", ec.generate_private_key(ec.SECP256R1()))

    def signed(claims: dict[str, object], by: Device = device, **more: object) -> str:
        return jwt.encode(claims, by.key, algorithm="ES256", headers=dict(more) or None)

    def by_hmac(key: bytes, **more: object) -> str:
        said = f"{encode({'alg': 'HS256', 'typ': 'JWT', **more})}.{encode(honest)}"
        return f"{said}.{encode(hmac.digest(key, said.encode(), 'sha256'))}"

    none = [
        f"{encode({'alg': it})}.{claims}." for it in ("none", "None", "NONE", "nOnE", "none ", "")
    ]
    hmacs = [by_hmac(pem), by_hmac(pem.strip()), by_hmac(b"")]
    hmacs += [by_hmac(b"", kid="/dev/null"), by_hmac(b"", kid="../../../../../../dev/null")]
    hmacs += [by_hmac(b"x", kid="x' UNION SELECT 'x"), by_hmac(b"x", kid="|cat /etc/passwd")]
    headers = [
        signed(honest, other, jku="https://attacker.example/jwks.json"),
        signed(honest, other, jwk={"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}),
        signed(honest, other, x5u="https://attacker.example/chain.pem"),
        signed(honest, other, x5c=["AAAA"]),
        signed(honest, jku="https://attacker.example/jwks.json"),
        signed(honest, crit=["exp"]),
        signed(honest, other),
    ]
    times = [(now - 9000, now - 601), (now + 700, now + 3600), (now, now + 86_401), (now, now)]
    times += [(now + 3600, now), (0, now + 3600), (now, 1 << 63), (-1, now + 3600)]
    wrong: list[dict[str, object]] = [honest | {"iat": it, "exp": end} for it, end in times]
    audiences: list[object] = ["", "p", "p11", "P1", "p1 ", "projects/p1", ["p1"], None, 1, {}]
    wrong += [honest | {"aud": it} for it in audiences]
    wrong += [{name: honest[name] for name in honest if name != gone} for gone in honest]
    wrong += [honest | {"iat": str(now)}, honest | {"exp": float(1 << 60)}, {}]
    deep = "[" * 900 + "]" * 900
    forms = [
        "",
        ".",
        "..",
        "...",
        f"{header}.{claims}",
        f"{header}.{claims}.",
        f"{good}.{signature}",
        f"{header}..{signature}",
        f".{claims}.{signature}",
        f"{good}==",
        f"Bearer {good}",
        good[:-8] + "AAAAAAAA",
        f"{header}.{claims}.{encode(bytes(64))}",
        f"{header}.{encode(deep)}.{signature}",
        f"{encode(deep)}.{claims}.{signature}",
        f"{encode(head)}.{encode('null')}.{signature}",
        good + "A" * 4000,
        "A" * 8000,
    ]
    return [*none, *hmacs, *headers, *(signed(it) for it in wrong), *forms]


def answers(server: Server, device: Device, tokens: list[str]) -> set[tuple[int, bytes]]:
    """Return what is said to all of them by HTTP."""
    found = set()
    with contextlib.closing(http.client.HTTPConnection(*server.place("http"))) as connection:
        for token in tokens:
            fields = {"Authorization": f"Bearer {token}"}
            connection.request("GET", f"/v1/{device.path}/config", headers=fields)
            answer = connection.getresponse()
            found.add((answer.status, answer.read()))
    return found


def connack(server: Server, device: Device, token: str) -> bytes:
    with socket.create_connection(server.place("mqtt"), PATIENCE_S) as connection:
        connection.sendall(connect(device, token))
        return connection.recv(100)


def resident_kib(server: Server) -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1])


def cpu_s(server: Server) -> float:
    """Return how long all its threads were on a processor."""
    words = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, words[11:13])) / os.sysconf("SC_CLK_TCK")


def seconds_of(server: Server, device: Device, token: str) -> float:
    """Return how long one is waited for, by the wall."""
    begins = time.monotonic()
    answers(server, device, [token])
    return time.monotonic() - begins


def test_bad_tokens_get_one_answer_and_take_no_memory(
    serve: StartServer, lasthop: RunClient, tmp_path: Path
) -> None:
    device = Device("d1", ec.generate_private_key(ec.SECP256R1()))
    data = tmp_path / "gateway"
    add(lasthop, data, device)
    listen = ("mqtt://127.0.0.1:0", "http://127.0.0.1:0")
    server = serve("gateway", "--http", f"--data={data}", listen=listen)
    tokens = bad_tokens(device, tmp_path)
    assert len(tokens) > 50
    told = answers(server, device, tokens)
    assert {status for status, _ in told} == {401}
    assert len(told) == 1
    # A password has at most 65,535 B; what is longer is no packet of MQTT.
    assert {connack(server, device, it) for it in [*tokens, "x" * 65_000]} == {REFUSED}
    before, spent = resident_kib(server), cpu_s(server)
    for _ in range(ROUNDS):
        answers(server, device, tokens)
    grown = resident_kib(server) - before
    each_s = (cpu_s(server) - spent) / (ROUNDS * len(tokens))
    slowest_s = max(seconds_of(server, device, it) for it in tokens)
    figures = f"{len(tokens)} bad tokens: {each_s * 1e6:.0f} us of CPU each with its request"
    sys.stdout.write(f"{figures}, slowest answer {slowest_s * 1e3:.1f} ms, {grown} KiB grown\n")
    assert grown < MOST_GROWTH_KIB
    assert each_s < MOST_CPU_S
    # A megabyte is refused before it is read, and the others are served meanwhile.
    with contextlib.suppress(OSError):
        assert {status for status, _ in answers(server, device, ["x" * (1 << 20)])} <= {401, 431}
    assert connack(server, device, device.token()) == CONNACK
    assert len(log(lasthop, data)) == 0
