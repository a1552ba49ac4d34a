"""What cannot be served or asked: one line, and the exit code of who is to blame."""

import os
import socket
import subprocess

import pytest

from lasthop.errors import EXIT_BAD_INPUT, EXIT_ENVIRONMENT

from .conftest import COMMAND, PATIENCE_S, RunClient, StartServer

MISUSE = {
    "what cannot be served": (("serve", "mqqt"), 'serve: "mqqt" cannot be served; write mqtt'),
    "a name for an address": (
        ("serve", "mqtt", "--listen", "localhost:1883"),
        '--listen: "localhost:1883" is no IP address and port; write 127.0.0.1:1883 or [::1]:1883',
    ),
    "a port that cannot be": (
        ("serve", "coap", "--listen", "127.0.0.1:70000"),
        "--listen: a port is at most 65535; write 127.0.0.1:5683 or [::1]:5683",
    ),
    "a limit of nobody": (
        ("serve", "mqtt", "--limit", "in_fligth=3"),
        '--limit: mqtt has no limit "in_fligth"; write in_flight=20',
    ),
    "a limit of another server": (
        ("serve", "coap", "--limit", "sessions=3"),
        '--limit: coap has no limit "sessions"; write observations=16',
    ),
    "one of several that cannot be served": (
        ("serve", "mqtt", "coop"),
        'serve: "coop" cannot be served; write coap',
    ),
    "the same twice": (
        ("serve", "mqtt", "coap", "mqtt"),
        "serve: mqtt is there twice; write it once, with --listen for each address",
    ),
    "a port for several": (
        ("serve", "mqtt", "coap", "--listen", "127.0.0.1:1883"),
        '--listen: "127.0.0.1:1883" has a port, and 2 are served; write mqtt://127.0.0.1:1883',
    ),
    "an address for one of several": (
        ("serve", "mqtt", "json_udp", "--listen", "mqtt://127.0.0.1"),
        "--listen: no address is for json+udp; write json+udp://127.0.0.1:40001",
    ),
    "an address for what is not served": (
        ("serve", "mqtt", "--listen", "coap://127.0.0.1"),
        '--listen: "coap://127.0.0.1" is for none that is served; write mqtt://127.0.0.1',
    ),
    "a user without a password": (
        ("serve", "mqtt", "--user", "ann"),
        '--user: "ann" is no name and password; write ann:PASSWORD',
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
        '--limit: "0" is no number of bytes from 1 on; write packet_size=1048576',
    ),
    "a limit in words": (
        ("serve", "mqtt", "--limit", "packet_size=1 MB"),
        '--limit: "1 MB" is no number of bytes from 1 on; write packet_size=1048576',
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
        'URL: "coap:///a" names no host and port; write coap://127.0.0.1:5683/path',
    ),
    "a topic with a wildcard": (
        ("pub", "mqtt://127.0.0.1/a/+", "x"),
        'URL: "a/+" is no topic to publish to; write mqtt://HOST/house/door',
    ),
    "a filter that cannot be": (
        ("sub", "mqtt://127.0.0.1/a/#/b"),
        'URL: "a/#/b" is no topic to subscribe to; write mqtt://HOST/house/+',
    ),
    "a version that is not spoken": (
        ("sub", "mqtt://127.0.0.1/a", "--version", "4"),
        '--version: there is no MQTT "4" here; write 3.1.1 or 5',
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
    remedy = "the port is taken; end who has it, or choose another one"
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
    remedy = "no permission; ports below 1024 need rights, choose a higher one"
    assert done.returncode == EXIT_ENVIRONMENT
    assert done.stderr == f"lasthop: 127.0.0.1:80: {remedy}\n"


def test_an_address_of_another_machine_is_exit_4(lasthop: RunClient) -> None:
    done = lasthop("serve", "mqtt", "--listen", "192.0.2.1:1883")
    assert done.returncode == EXIT_ENVIRONMENT
    assert done.stderr == "lasthop: 192.0.2.1:1883: no address of this machine\n"


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
    assert done.stderr.endswith(": nobody listens there\n")


def test_a_broker_that_says_nothing_is_exit_4_in_time(lasthop: RunClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"mqtt://127.0.0.1:{silent.getsockname()[1]}/t"
        done = lasthop("pub", url, "x", "--timeout", "0.5")
    assert done.returncode == EXIT_ENVIRONMENT
    assert done.stderr == f"lasthop: {url}: no answer in time\n"
