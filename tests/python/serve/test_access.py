"""Who may use a server: passwords and rules of mosquitto; its clients, paho and libcoap ask."""

import json
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import PATIENCE_S, FindProgram, Server, StartServer
from .test_mqtt import Client

RULES = """
topic read public/#
user ann
topic readwrite house/#
pattern read public/#
"""


@pytest.fixture
def password_file(tmp_path: Path, find_program: FindProgram) -> Path:
    """Return a file that mosquitto_passwd wrote, for ann and bob."""
    program = find_program("mosquitto_passwd", "mosquitto")
    path = tmp_path / "passwords"
    path.touch(mode=0o600)
    for name in ("ann", "bob"):
        subprocess.run([program, "-b", str(path), name, f"{name}'s"], check=True, timeout=60)
    return path


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules"
    path.write_text(RULES)
    return path


Mosquitto = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def mosquitto(find_program: FindProgram) -> Mosquitto:
    """Return a function that runs mosquitto_pub or mosquitto_sub."""

    def run(
        name: str, server: Server, version: str, *options: str
    ) -> "subprocess.CompletedProcess[str]":
        program = find_program(f"mosquitto_{name}", "mosquitto-clients")
        host, port = server.place("mqtt")
        return subprocess.run(
            [program, "-h", host, "-p", str(port), "-V", version, *options],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    return run


class Named(Client):
    """A client with a name."""

    def __init__(self, name: str, *, is_5: bool) -> None:
        super().__init__(name, is_5=is_5)
        self.username_pw_set(name, f"{name}'s")


@pytest.mark.soak
@pytest.mark.parametrize(
    ("version", "missing", "wrong"),
    [("mqttv311", 5, 4), ("mqttv5", 135, 134)],
    ids=["3.1.1", "5"],
)
def test_connack_tells_mosquittos_clients_what_is_wrong(  # noqa: PLR0913, PLR0917  (fixtures)
    serve: StartServer,
    password_file: Path,
    mosquitto: Mosquitto,
    version: str,
    missing: int,
    wrong: int,
) -> None:
    server = serve("mqtt", f"--password-file={password_file}", "--user=eve:eve's")
    say = ("-t", "a", "-m", "x", "-q", "1")
    for options, code in (
        ((), missing),
        (("-u", "ann"), wrong),
        (("-u", "ann", "-P", "bob's"), wrong),
        (("-u", "nobody", "-P", "ann's"), wrong),
        (("-u", "ann", "-P", "ann's"), 0),
        (("-u", "eve", "-P", "eve's"), 0),
    ):
        assert mosquitto("pub", server, version, *say, *options).returncode == code, options


@pytest.mark.parametrize("is_5", [False, True], ids=["3.1.1", "5"])
def test_rules_hold_for_paho(
    serve: StartServer, password_file: Path, rules: Path, *, is_5: bool
) -> None:
    server = serve("mqtt", f"--password-file={password_file}", f"--acl-file={rules}")
    ann, bob = (Named(name, is_5=is_5) for name in ("ann", "bob"))
    for client in (ann, bob):
        client.begin(server.place("mqtt"))
    refused = 135 if is_5 else 128
    assert ann.want("house/#", 1) == [1]
    assert ann.want("#", 1) == [refused]
    assert bob.want("house/+/door", 1) == [refused]
    assert bob.want("public/#", 2) == [2]
    for qos in (0, 1, 2):
        bob.send("house/1/door", b"bob was here", qos)
        ann.send("house/1/door", b"ann was here", qos)
        assert ann.next_message() == ("house/1/door", b"ann was here", False)
    assert bob.inbox.empty()
    ann.end()
    bob.end()


@pytest.mark.soak
@pytest.mark.parametrize(("is_5", "version"), [(False, "mqttv311"), (True, "mqttv5")])
def test_mosquittos_clients_read_what_they_may(  # noqa: PLR0913  (fixtures)
    serve: StartServer,
    password_file: Path,
    rules: Path,
    mosquitto: Mosquitto,
    *,
    is_5: bool,
    version: str,
) -> None:
    server = serve("mqtt", f"--password-file={password_file}", f"--acl-file={rules}")
    as_ann = ("-u", "ann", "-P", "ann's")
    said = mosquitto("pub", server, version, *as_ann, "-t", "house/1", "-m", "x", "-r", "-q", "2")
    assert said.returncode == 0
    heard = mosquitto("sub", server, version, *as_ann, "-t", "house/+", "-C", "1", "-W", "20")
    assert heard.stdout == "x\n"
    as_bob = ("-u", "bob", "-P", "bob's")
    refused = mosquitto("sub", server, version, *as_bob, "-t", "house/+", "-C", "1", "-W", "20")
    assert refused.stdout == ""
    assert "denied" in refused.stderr
    told = mosquitto("pub", server, version, *as_bob, "-t", "house/1", "-m", "y", "-q", "1")
    assert ("Not authorized" in told.stderr) == is_5
    heard = mosquitto("sub", server, version, *as_ann, "-t", "house/+", "-C", "1", "-W", "20")
    assert heard.stdout == "x\n"


@pytest.mark.soak
def test_libcoap_is_told_4_01_and_4_03(
    serve: StartServer, password_file: Path, rules: Path, find_program: FindProgram
) -> None:
    program = find_program("coap-client-notls", "libcoap3-bin")
    server = serve(
        "mqtt coap json_udp",
        f"--password-file={password_file}",
        f"--acl-file={rules}",
        listen=("mqtt://127.0.0.1:0", "coap://127.0.0.1:0", "json_udp://127.0.0.1:0"),
    )
    host, port = server.place("coap")

    def ask(path: str, *options: str) -> str:
        done = subprocess.run(
            [program, "-B", "20", *options, f"coap://{host}:{port}/{path}"],
            check=True,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        return done.stdout + done.stderr

    ann, bob = ("username=ann&password=ann's", "username=bob&password=bob's")
    put = ("-m", "put", "-e", "open")
    assert "4.01" in ask("ps/house/door", *put)
    assert "4.01" in ask(f"ps/house/door?{ann}!", *put)
    assert "4.03" in ask(f"ps/house/door?{bob}", *put)
    assert "4.0" not in ask(f"ps/house/door?{ann}", *put)
    assert "4.03" in ask(f"ps/house/door?{bob}")
    assert "4.01" in ask(".well-known/core")
    assert "open" in ask(f"ps/house/door?{ann}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(0.5)
        client.connect(server.place("json+udp"))
        client.send(json.dumps({"op": "sub", "topic": "public/a"}).encode())
        with pytest.raises(TimeoutError):
            client.recv(1000)


def test_who_shows_nothing_may_be_allowed_beside_others(
    serve: StartServer, password_file: Path, rules: Path
) -> None:
    server = serve(
        "mqtt json_udp",
        f"--password-file={password_file}",
        f"--acl-file={rules}",
        "--allow-anonymous",
        listen=("mqtt://127.0.0.1:0", "json_udp://127.0.0.1:0"),
    )
    guest = Client("guest")
    guest.begin(server.place("mqtt"))
    assert guest.want("public/#", 0) == [0]
    assert guest.want("house/#", 0) == [128]
    guest.end()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(PATIENCE_S)
        client.connect(server.place("json+udp"))
        for topic in ("house/a", "public/a"):
            client.send(json.dumps({"op": "sub", "topic": topic}).encode())
        assert json.loads(client.recv(1000))["topic"] == "public/a"
