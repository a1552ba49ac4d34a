"""What cannot be served or asked: one line, and the exit code of who is to blame."""

import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest
from benchmarks.certificates import make

from lasthop.errors import EXIT_BAD_INPUT, EXIT_ENVIRONMENT

from .conftest import COMMAND, PATIENCE_S, FindProgram, RunClient, StartServer

MISUSE = {
    "what cannot be served": (("serve", "mqqt"), 'serve: "mqqt" cannot be served; write mqtt'),
    "a name for an address": (
        ("serve", "mqtt", "--listen", "localhost:1883"),
        (
            '--listen: "localhost:1883" is not an IP address with a port; write '
            "127.0.0.1:1883 or [::1]:1883"
        ),
    ),
    "a port that cannot be": (
        ("serve", "coap", "--listen", "127.0.0.1:70000"),
        "--listen: the port is above 65535; write 127.0.0.1:5683 or [::1]:5683",
    ),
    "a limit of nobody": (
        ("serve", "mqtt", "--limit", "in_fligth=3"),
        '--limit: mqtt has no limit "in_fligth"; write for example in_flight=20',
    ),
    "a limit of another server": (
        ("serve", "coap", "--limit", "sessions=3"),
        '--limit: coap has no limit "sessions"; write for example observations=16',
    ),
    "one of several that cannot be served": (
        ("serve", "mqtt", "coop"),
        'serve: "coop" cannot be served; write coap',
    ),
    "the same twice": (
        ("serve", "mqtt", "coap", "mqtt"),
        "serve: mqtt is given twice; write it once, with --listen for each address",
    ),
    "a port for several": (
        ("serve", "mqtt", "coap", "--listen", "127.0.0.1:1883"),
        (
            '--listen: "127.0.0.1:1883" has a port, but 2 servers start; write the '
            "scheme too, mqtt://127.0.0.1:1883"
        ),
    ),
    "an address for one of several": (
        ("serve", "mqtt", "json_udp", "--listen", "mqtt://127.0.0.1"),
        "--listen: json+udp has no address; add --listen json+udp://127.0.0.1:40001",
    ),
    "an address for what is not served": (
        ("serve", "mqtt", "--listen", "coap://127.0.0.1"),
        '--listen: "coap://127.0.0.1" fits none of the servers; write mqtt://127.0.0.1',
    ),
    "a user without a password": (
        ("serve", "mqtt", "--user", "ann"),
        '--user: "ann" is not NAME:PASSWORD; write ann:PASSWORD',
    ),
    "a password file that is not there": (
        ("serve", "mqtt", "--password-file", "/nowhere"),
        "--password-file: /nowhere: no such file or directory",
    ),
    "a password file of plain text": (
        ("serve", "mqtt", "--password-file", "/etc/passwd"),
        (
            "--password-file: /etc/passwd, line 1: this is none of a password file; have "
            "mosquitto_passwd write it"
        ),
    ),
    "a limit of nothing": (
        ("serve", "mqtt", "--limit", "packet_size=0"),
        (
            '--limit: "0" is not a number of bytes of 1 or more; write for example '
            "packet_size=1048576"
        ),
    ),
    "a limit in words": (
        ("serve", "mqtt", "--limit", "packet_size=1 MB"),
        (
            '--limit: "1 MB" is not a number of bytes of 1 or more; write for example '
            "packet_size=1048576"
        ),
    ),
    "an example of another server": (
        ("serve", "mqtt", "--example", "plugtest"),
        '--example: mqtt has no example "plugtest"; write: serve coap --example plugtest',
    ),
    "a URL of another protocol": (
        ("pub", "coap://127.0.0.1/a", "x"),
        'URL: "coap://127.0.0.1/a" does not begin with mqtt://; write mqtt://127.0.0.1:1883/topic',
    ),
    "a URL without a host": (
        ("get", "coap:///a"),
        'URL: "coap:///a" is not a valid address; write coap://127.0.0.1:5683/path',
    ),
    "a topic with a wildcard": (
        ("pub", "mqtt://127.0.0.1/a/+", "x"),
        'URL: "a/+" is not a topic to publish to; write mqtt://HOST/house/door',
    ),
    "a filter that cannot be": (
        ("sub", "mqtt://127.0.0.1/a/#/b"),
        'URL: "a/#/b" is not a topic filter; write mqtt://HOST/house/+',
    ),
    "a version that is not spoken": (
        ("sub", "mqtt://127.0.0.1/a", "--version", "4"),
        '--version: MQTT "4" is not supported; write 3.1.1 or 5',
    ),
}


@pytest.mark.parametrize("name", MISUSE)
def test_misuse_is_one_line_and_exit_2(lasthop: RunClient, name: str) -> None:
    arguments, line = MISUSE[name]
    done = lasthop(*arguments)
    assert (done.returncode, done.stdout) == (EXIT_BAD_INPUT, "")
    assert done.stderr == f"lasthop: {line}\n"


@pytest.mark.parametrize("served", ["mqtt", "coap", "json_udp"])
def test_a_port_that_is_taken_is_exit_4(
    serve: StartServer, lasthop: RunClient, served: str
) -> None:
    place = f"127.0.0.1:{serve(served).port}"
    done = lasthop("serve", served, "--listen", place)
    remedy = "the port is in use; stop the program that uses it, or choose another port"
    assert (done.returncode, done.stdout) == (EXIT_ENVIRONMENT, "")
    assert done.stderr == f"lasthop: {place}: {remedy}\n"


def test_a_port_without_permission_is_exit_4() -> None:
    # Root without its capabilities may not either.
    powerless = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()
    done = subprocess.run(
        [*powerless, *COMMAND, "serve", "mqtt", "--listen", "127.0.0.1:80"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    remedy = "no permission; choose a port of 1024 or above"
    assert done.returncode == EXIT_ENVIRONMENT
    assert done.stderr == f"lasthop: 127.0.0.1:80: {remedy}\n"


@pytest.mark.parametrize(
    ("served", "listen", "warned"),
    [
        ("mqtt", ("0.0.0.0:0",), ["mqtt://0.0.0.0:0"]),
        ("mqtt", ("127.0.0.1:0", "[::]:0"), ["mqtt://[::]:0"]),
        ("coap", ("0.0.0.0:0",), ["coap://0.0.0.0:0"]),
        ("mqtt", ("127.0.0.1:0", "[::1]:0"), []),
    ],
)
def test_a_server_that_others_reach_in_the_clear_is_warned_of(
    serve: StartServer, served: str, listen: tuple[str, ...], warned: list[str]
) -> None:
    server = serve(served, listen=listen)
    server.process.send_signal(signal.SIGTERM)
    lines = server.process.communicate(timeout=PATIENCE_S)[1].splitlines()
    assert [line.split()[2] for line in lines] == warned
    assert all("is in the clear for other machines" in line for line in lines)


def test_tls_needs_no_warning(
    serve: StartServer, tmp_path: Path, find_program: FindProgram
) -> None:
    files = make(find_program("openssl", "openssl"), tmp_path, "ec")
    tls = (f"--tls-cert={files.certificate}", f"--tls-key={files.key}")
    assert serve("mqtt", *tls, listen=("0.0.0.0:0",)).stop() == 0


def test_an_address_of_another_machine_is_exit_4(lasthop: RunClient) -> None:
    done = lasthop("serve", "mqtt", "--listen", "192.0.2.1:1883")
    assert done.returncode == EXIT_ENVIRONMENT
    assert done.stderr == (
        "lasthop: 192.0.2.1:1883: not an address of this machine; choose one "
        'that "ip address" shows\n'
    )


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (("pub", "mqtt://127.0.0.1:{port}/t", "x"), socket.SOCK_STREAM),
        (("sub", "mqtt://127.0.0.1:{port}/t"), socket.SOCK_STREAM),
        (("get", "coap://127.0.0.1:{port}/t"), socket.SOCK_DGRAM),
    ],
    ids=["pub", "sub", "get"],
)
def test_nobody_there_is_exit_4(
    lasthop: RunClient, arguments: tuple[str, ...], kind: socket.SocketKind
) -> None:
    with socket.socket(socket.AF_INET, kind) as taken:
        # Bound and not listening: nobody else gets the port, and nobody answers there.
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        if kind == socket.SOCK_DGRAM:
            taken.close()
        done = lasthop(*(argument.format(port=port) for argument in arguments))
    assert done.returncode == EXIT_ENVIRONMENT
    refused = ": no server listens there; check the address, or start the server\n"
    assert done.stderr.endswith(refused)


def test_a_broker_that_says_nothing_is_exit_4_in_time(lasthop: RunClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"mqtt://127.0.0.1:{silent.getsockname()[1]}/t"
        done = lasthop("pub", url, "x", "--timeout", "0.5")
    assert done.returncode == EXIT_ENVIRONMENT
    assert done.stderr == f"lasthop: {url}: no answer in time\n"
