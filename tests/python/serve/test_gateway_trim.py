"""Old messages leave a gateway's log, by age or number; what is unread only where it is said."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from .conftest import PATIENCE_S, RunClient, StartServer
from .postgres_server import PostgresServer, name_of
from .test_gateway import Client, Device, add, log

SAID = 12
TOPIC = "/devices/d1/events"


@pytest.fixture
def device() -> Device:
    return Device("d1", ec.generate_private_key(ec.SECP256R1()))


def say(server_data: str, serve: StartServer, device: Device, texts: list[str]) -> None:
    server = serve("gateway", "--data", server_data)
    client = Client(server, device)
    for text in texts:
        client.publish(TOPIC, text).wait_for_publish(PATIENCE_S)
    client.leave()
    assert server.stop() == 0


@pytest.fixture
def known(place: str, serve: StartServer, lasthop: RunClient, device: Device) -> str:
    """Return data in each kind of database, in which the device has said twelve things."""
    add(lasthop, place, device)
    say(place, serve, device, [str(number) for number in range(SAID)])
    return place


def trim(lasthop: RunClient, data: str, *options: str) -> str:
    done = lasthop("gateway", "log", "trim", *options, "--data", data)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def places(lasthop: RunClient, data: str) -> list[object]:
    return [row["offset"] for row in log(lasthop, data)]


def test_all_but_the_newest_go_and_what_comes_later_has_its_own_place(
    serve: StartServer, lasthop: RunClient, known: str, device: Device
) -> None:
    assert trim(lasthop, known, "--keep", "100") == "removed 0 messages\n"
    assert trim(lasthop, known, "--keep", "5") == "removed 7 messages\n"
    assert places(lasthop, known) == [8, 9, 10, 11, 12]
    assert trim(lasthop, known, "--keep", "0") == "removed 5 messages\n"
    assert trim(lasthop, known, "--keep", "0") == "removed 0 messages\n"
    say(known, serve, device, ["later"])
    assert places(lasthop, known) == [SAID + 1]


def test_what_a_subscription_has_not_read_stays_until_that_is_said(
    lasthop: RunClient, known: str, device: Device, serve: StartServer
) -> None:
    # It reads all of twelve, and then nothing of three.
    assert len(log(lasthop, known, "--subscription", "slow")) == SAID
    say(known, serve, device, ["a", "b", "c"])
    assert len(log(lasthop, known, "--subscription", "fast")) == SAID + 3
    told = trim(lasthop, known, "--keep", "1")
    assert told == (
        "removed 12 messages\n2 stay until slow has read them; --even-unread removes them, too\n"
    )
    assert places(lasthop, known) == [13, 14, 15]
    assert trim(lasthop, known, "--keep", "1", "--even-unread") == "removed 2 messages\n"
    # What is left comes to the subscription, and what is gone does not.
    assert [row["offset"] for row in log(lasthop, known, "--subscription", "slow")] == [15]


def test_what_is_old_goes_up_to_the_first_that_is_not(
    lasthop: RunClient, known: str, postgres: PostgresServer
) -> None:
    # A day back, but for the last; the clock was wrong for the third, which came later than it.
    change = 'UPDATE {} SET at = at - 86400 WHERE "offset" < 12 AND "offset" <> 3'
    if "://" in known:
        postgres.ask(change.format("lasthop_gateway.messages"), name_of(known))
    else:
        with closing(sqlite3.connect(Path(known) / "gateway.sqlite")) as database, database:
            database.execute(change.format("messages"))
    assert trim(lasthop, known, "--older-than", "2 d") == "removed 0 messages\n"
    assert trim(lasthop, known, "--older-than", "12h", "--keep", "11") == "removed 1 message\n"
    assert trim(lasthop, known, "--older-than", "12h") == "removed 1 message\n"
    assert places(lasthop, known)[0] == 3


def test_publishes_are_kept_while_a_long_log_is_trimmed(
    serve: StartServer, lasthop: RunClient, tmp_path: Path, device: Device
) -> None:
    data = str(tmp_path / "gateway")
    add(lasthop, data, device)
    many, fresh = 120_000, 200
    server = serve("gateway", "--data", data, "--limit=device_messages=1000000")
    client = Client(server, device)
    with closing(sqlite3.connect(Path(data) / "gateway.sqlite")) as database, database:
        row = (device.path, 1, "event", "", b"old")
        insert = "INSERT INTO messages (device, at, kind, folder, payload) VALUES (?, ?, ?, ?, ?)"
        database.executemany(insert, (row for _ in range(many)))
    sent = [client.publish(TOPIC, str(number)) for number in range(fresh)]
    assert trim(lasthop, data, "--older-than", "1 d") == f"removed {many} messages\n"
    for info in sent:
        info.wait_for_publish(PATIENCE_S)
        assert info.is_published()
    client.leave()
    assert server.stop() == 0
    assert len(log(lasthop, data)) == fresh


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("log", "trim"), "add --older-than 30d or --keep 100000"),
        (("log", "trim", "--older-than", "30"), '"30" has no unit'),
        (("log", "trim", "--older-than=-1d"), "is negative"),
        (("log", "trim", "--keep", "-1"), "greater than or equal to 0"),
        (("log", "--keep", "3"), "they work only with log trim"),
        (("device", "list", "--even-unread"), "they work only with log trim"),
        (("log", "trim", "all", "--keep", "1"), "is not a known action"),
    ],
)
def test_bad_input_is_one_line(
    words: tuple[str, ...], told: str, lasthop: RunClient, tmp_path: Path
) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "gateway.sqlite").touch()
    done = lasthop("gateway", *words, "--data", str(tmp_path))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert told in done.stderr
