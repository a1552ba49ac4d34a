"""`serve coap --dtls-psk` and `coaps://` against OpenSSL and libcoap, in both roles."""

import contextlib
import os
import select
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .conftest import COMMAND, PATIENCE_S, FindProgram, RunClient, Server, StartServer

IDENTITY = "meter-1"
TEXT = "a-key-of-text-16"
KEY = TEXT.encode().hex()
CANARY = "the-body-that-nobody-sees"
SUITE = "PSK-AES128-CCM8"

WriteKeys = Callable[..., Path]
Popen = subprocess.Popen[bytes]


@pytest.fixture
def keys(tmp_path: Path) -> WriteKeys:
    """Return a function that writes a file of keys, for its owner alone."""

    def write(*lines: str, name: str = "keys", mode: int = 0o600) -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        path.chmod(mode)
        return path

    return write


@pytest.fixture
def known(keys: WriteKeys) -> Path:
    return keys("# of meters", f"{IDENTITY}:{KEY}", "meter-2:00")


@pytest.fixture
def server(serve: StartServer, known: Path) -> Server:
    return serve("coap", f"--dtls-psk={known}")


@pytest.fixture
def openssl(find_program: FindProgram) -> str:
    return find_program("openssl", "openssl")


def test_our_client_speaks_with_our_server(server: Server, lasthop: RunClient, known: Path) -> None:
    assert server.urls == [f"coaps://127.0.0.1:{server.port}"]
    url, key = f"{server.urls[0]}/ps/door", f"--psk={known}"
    done = lasthop("put", url, CANARY, key)
    assert (done.returncode, done.stderr) == (0, "")
    done = lasthop("get", url, key)
    assert (done.returncode, done.stdout) == (0, f"{CANARY}\n")


def test_one_core_is_behind_both(serve: StartServer, lasthop: RunClient, known: Path) -> None:
    server = serve(
        "mqtt coap",
        f"--dtls-psk={known}",
        listen=("mqtt://127.0.0.1:0", "coaps://127.0.0.1:0"),
    )
    mqtt, coaps = server.urls
    assert coaps.startswith("coaps://")
    assert lasthop("pub", f"{mqtt}/house/door", CANARY, "--retain").returncode == 0
    done = lasthop("get", f"{coaps}/ps/house/door", f"--psk={known}")
    assert done.stdout == f"{CANARY}\n"


@pytest.mark.soak
def test_libcoap_speaks_with_our_server(server: Server, find_program: FindProgram) -> None:
    program = find_program("coap-client-openssl", "libcoap3-bin")
    url = f"{server.urls[0]}/ps/door"

    def ask(*options: str) -> str:
        command = [program, "-u", IDENTITY, "-k", TEXT, "-B", "30", *options, url]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    ask("-m", "put", "-e", CANARY)
    assert ask() == CANARY


@contextlib.contextmanager
def program_at_a_port(command: Callable[[int], list[str]]) -> Iterator[tuple[int, Popen]]:
    """Start a program that takes datagrams at a port of this machine."""
    port = port_above_a_free_one()
    process = subprocess.Popen(
        command(port),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        wait_for(port)
        yield port, process
    finally:
        process.kill()
        process.communicate()


def port_above_a_free_one() -> int:
    """Find a port that is free, as is the one below, where libcoap serves what is not secured."""
    while True:
        with socket.socket(type=socket.SOCK_DGRAM) as upper:
            upper.bind(("127.0.0.1", 0))
            port = int(upper.getsockname()[1])
            with socket.socket(type=socket.SOCK_DGRAM) as lower, contextlib.suppress(OSError):
                lower.bind(("127.0.0.1", port - 1))
                return port


def wait_for(port: int) -> None:
    """Wait until somebody takes datagrams there."""
    place = f":{port:04X} "
    end = time.monotonic() + PATIENCE_S
    while not any(
        place in Path(f"/proc/net/{name}").read_text("ascii") for name in ("udp", "udp6")
    ):
        assert time.monotonic() < end, "it does not listen"
        time.sleep(0.02)


@pytest.mark.soak
def test_our_client_speaks_with_libcoap(
    lasthop: RunClient, known: Path, find_program: FindProgram
) -> None:
    program = find_program("coap-server-openssl", "libcoap3-bin")

    def command(port: int) -> list[str]:
        # The secured port is the one above the plain one.
        return [program, "-A", "127.0.0.1", "-p", str(port - 1), "-k", TEXT, "-d", "10"]

    with program_at_a_port(command) as (port, _):
        url, key = f"coaps://127.0.0.1:{port}/door", f"--psk={known}"
        done = lasthop("put", url, CANARY, key)
        assert (done.returncode, done.stderr) == (0, "")
        done = lasthop("get", url, key)
        assert (done.returncode, done.stdout) == (0, f"{CANARY}\n")


def read_until(process: Popen, is_enough: Callable[[bytes], bool]) -> bytes:
    """Read what a program says until it is enough."""
    assert process.stdout is not None
    said = b""
    while not is_enough(said):
        assert select.select([process.stdout], [], [], PATIENCE_S)[0], said
        more = os.read(process.stdout.fileno(), 1 << 16)
        assert more, said
        said += more
    return said


# GET /.well-known/core (RFC 7252 section 3), whose answer is a link.
ASK_FOR_LINKS = b"\x40\x01\x12\x34\xbb.well-known\x04core"


def ask_by_hand(command: list[str]) -> None:
    """Ask our server by a program that passes on what it is told."""
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdin is not None
        process.stdin.write(ASK_FOR_LINKS)
        process.stdin.flush()
        answer = read_until(process, lambda said: b"</" in said)
        process.kill()
    assert b"\x60\x45\x12\x34" in answer, "it acknowledges with 2.05"


def answer_by_hand(process: Popen, body: bytes) -> None:
    """Answer our client, which asks for /door, by a program that passes on what it is told."""
    request = read_until(process, lambda said: b"door" in said)
    start = request.index(b"\xb4door")
    # Version 1, confirmable, a token of that length; GET; the number of the message.
    head = next(
        place
        for place in range(start)
        if request[place] >> 4 == 4
        and request[place + 1] == 1
        and place + 4 + (request[place] & 15) <= start
    )
    token = request[head + 4 : head + 4 + (request[head] & 15)]
    answer = bytes((0x60 | len(token), 0x45)) + request[head + 2 : head + 4] + token
    assert process.stdin is not None
    process.stdin.write(answer + b"\xff" + body)
    process.stdin.flush()


@pytest.mark.smoke("OpenSSL")
def test_openssl_speaks_with_our_server(server: Server, openssl: str) -> None:
    ask_by_hand(
        [
            *(openssl, "s_client", "-dtls1_2", "-connect", f"127.0.0.1:{server.port}", "-quiet"),
            *("-cipher", SUITE, "-psk_identity", IDENTITY, "-psk", KEY),
        ]
    )


def test_a_hello_in_fragments_is_answered(server: Server, openssl: str) -> None:
    # With so many suites and so small a datagram the hello of OpenSSL comes in two fragments.
    ask_by_hand(
        [
            *(openssl, "s_client", "-dtls1_2", "-connect", f"127.0.0.1:{server.port}", "-quiet"),
            *("-mtu", "256", "-cipher", f"{SUITE}:ALL:@SECLEVEL=0"),
            *("-psk_identity", IDENTITY, "-psk", KEY),
        ]
    )


@pytest.mark.soak
def test_our_client_speaks_with_openssl(known: Path, openssl: str) -> None:
    def command(port: int) -> list[str]:
        return [
            *(openssl, "s_server", "-dtls1_2", "-accept", f"127.0.0.1:{port}", "-quiet"),
            *("-nocert", "-cipher", SUITE, "-psk_identity", IDENTITY, "-psk", KEY, "-listen"),
        ]

    with program_at_a_port(command) as (port, process):
        assert_answered(process, f"coaps://127.0.0.1:{port}/door", f"--psk={known}")


def assert_answered(process: Popen, url: str, *options: str) -> None:
    """Ask a program by our client, and have it answer by hand."""
    with subprocess.Popen(
        [*COMMAND, "get", url, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as client:
        answer_by_hand(process, CANARY.encode())
        out, complaint = client.communicate(timeout=PATIENCE_S)
    assert (client.returncode, out, complaint) == (0, f"{CANARY}\n", "")


def test_who_is_not_known_is_refused_in_one_line(
    server: Server, lasthop: RunClient, keys: WriteKeys
) -> None:
    for line in (f"stranger:{KEY}", f"{IDENTITY}:{'00' * 16}"):
        done = lasthop("get", f"{server.urls[0]}/ps/a", f"--psk={keys(line, name='other')}")
        assert (done.returncode, done.stdout) == (4, "")
        (complaint,) = done.stderr.splitlines()
        # Both are told alike (RFC 4279 section 2).
        assert "does not know this identity, or has another key for it" in complaint


def hello(number: int, cookie: bytes = b"") -> bytes:
    """Write a ClientHello (RFC 6347 section 4.2.1) with the suite of our server."""
    master_secret = b"\x00\x17\x00\x00"
    body = b"\xfe\xfd" + bytes([number % 256]) * 32 + b"\x00" + bytes([len(cookie)]) + cookie
    body += b"\x00\x02\xc0\xa8\x01\x00" + len(master_secret).to_bytes(2, "big") + master_secret
    length, message = len(body).to_bytes(3, "big"), int(bool(cookie))
    fragment = b"\x01" + length + message.to_bytes(2, "big") + bytes(3) + length + body
    record = bytes(6) + message.to_bytes(2, "big") + len(fragment).to_bytes(2, "big")
    return b"\x16\xfe\xff" + record + fragment


def ask_for_cookie(port: int, number: int) -> tuple[socket.socket, bytes]:
    """Say hello from a port of its own."""
    stranger = socket.socket(type=socket.SOCK_DGRAM)
    stranger.settimeout(PATIENCE_S)
    stranger.connect(("127.0.0.1", port))
    stranger.send(hello(number))
    request = stranger.recv(2_000)
    assert request[13] == 3, "it is a HelloVerifyRequest"
    return stranger, request[28:]


def test_a_flood_of_hellos_takes_no_room(
    serve: StartServer, lasthop: RunClient, known: Path
) -> None:
    server = serve("coap", f"--dtls-psk={known}", "--limit=peers=2")
    for number in range(200):
        stranger, cookie = ask_for_cookie(server.port, number)
        assert len(cookie) == 32
        stranger.close()
    done = lasthop("get", f"{server.urls[0]}/.well-known/core", f"--psk={known}")
    assert (done.returncode, done.stderr) == (0, "")


def test_one_handshake_too_many_of_an_address_is_not_heard(
    serve: StartServer, lasthop: RunClient, known: Path
) -> None:
    server = serve("coap", f"--dtls-psk={known}", "--limit=handshakes_per_address=3")
    url, key = f"{server.urls[0]}/.well-known/core", f"--psk={known}"
    with contextlib.ExitStack() as stack:
        for number in range(3):
            stranger, cookie = ask_for_cookie(server.port, number)
            stack.enter_context(stranger)
            stranger.send(hello(number, cookie))
            assert stranger.recv(2_000)[13] == 2, "it is a ServerHello"
        done = lasthop("get", url, key, "--timeout=2")
        assert (done.returncode, done.stdout) == (4, "")
        assert "no answer in time" in done.stderr


def test_a_file_of_keys_that_cannot_be_used_is_told_with_its_place(
    lasthop: RunClient, keys: WriteKeys, tmp_path: Path
) -> None:
    nothing = tmp_path / "nothing"
    open_to_others = keys(f"a:{KEY}", name="open", mode=0o640)
    for number, (given, said) in enumerate(
        [
            (nothing, f"{nothing}: no such file"),
            (tmp_path, f"{tmp_path}: is a directory"),
            (open_to_others, "other users can read the keys; run chmod 600"),
            ((), "there is no identity:key in it"),
            ((f"a:{KEY}", KEY), "line 2: no identity:key"),
            (("a:xy",), "line 1: a key has 1 to 64 bytes, two hexadecimal digits each"),
            ((f"a:{KEY}", f"a:{KEY}"), "line 2: the identity stands there twice"),
        ]
    ):
        path = keys(*given, name=f"{number}") if isinstance(given, tuple) else given
        commands = (
            ("serve", "coap", "--listen=127.0.0.1:0", f"--dtls-psk={path}"),
            ("get", "coaps://127.0.0.1/a", f"--psk={path}"),
        )
        # Both read it by one function.
        done = lasthop(*commands[number % 2])
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        (line,) = done.stderr.splitlines()
        assert said in line
        assert KEY not in line


def test_what_does_not_go_together_is_told(lasthop: RunClient, known: Path) -> None:
    for command, said in [
        (("get", "coaps://127.0.0.1/a"), "needs credentials; add --psk FILE"),
        (("get", "coap://127.0.0.1/a", f"--psk={known}"), "write coaps://127.0.0.1/a"),
        (("get", "coaps://h/a", f"--cafile={known}"), "there is no certificate in it"),
        (("get", "coaps://h/a", f"--psk={known}", "--dtls=1.3"), "remove one of them"),
        (("get", "coap://h/a", "--dtls=1.3"), "is not secured by DTLS; write coaps://h/a"),
        (("serve", "mqtt", f"--dtls-psk={known}"), "mqtt is not served by DTLS; serve coap"),
    ]:
        done = lasthop(*command)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        (line,) = done.stderr.splitlines()
        assert said in line


def test_no_key_is_told(serve: StartServer, known: Path) -> None:
    # A process from its start: what the kernel shows of a fork is the program that forked.
    server = serve("coap", f"--dtls-psk={known}", prefix=("env",))
    process = Path("/proc") / str(server.process.pid)
    told = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
    assert KEY.encode() not in told
    assert TEXT.encode() not in told
