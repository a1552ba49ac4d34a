"""A gateway whose machine dies: what was not synced is gone, and what was acknowledged is not."""

import random
import shutil
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from .conftest import PATIENCE_S, FindProgram, RunClient, StartServer
from .counting import lost
from .power.lost_power import Disk, Note, Survives, read_files, read_notes
from .test_gateway import Client, Device, add, log

RECORDER = Path(__file__).with_name("power") / "recorder.c"
MESSAGES = 900
# Long enough that the log is written back to the database several times.
FILL = "x" * 6000
LOSSES = 40


@dataclass(frozen=True)
class Recorded:
    """What a server did to its files, and where in that a client was told of what."""

    before: dict[str, bytes]
    notes: list[Note]
    acknowledged: dict[str, int]


@pytest.fixture(scope="module")
def recorded() -> dict[str, Recorded]:
    return {}


@pytest.fixture
def run(
    recorded: dict[str, Recorded],
    serve: StartServer,
    lasthop: RunClient,
    find_program: FindProgram,
    tmp_path: Path,
) -> Recorded:
    """Let a server work, once for all tests."""
    if "run" not in recorded:
        recorded["run"] = record(serve, lasthop, find_program("cc", "gcc"), tmp_path)
    return recorded["run"]


def record(serve: StartServer, lasthop: RunClient, compiler: str, folder: Path) -> Recorded:
    library, to, data = folder / "recorder.so", folder / "notes", folder / "gateway"
    compile_it = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(RECORDER), "-ldl"]
    subprocess.run(compile_it, check=True)
    device = Device("d1", ec.generate_private_key(ec.SECP256R1()))
    add(lasthop, data, device)
    before = read_files(data)
    server = serve(
        "gateway",
        f"--data={data}",
        "--limit=device_messages=1000000",
        "--limit=device_bytes=1000000000",
        prefix=("env", f"LD_PRELOAD={library}", f"RECORD_FOLDER={data}", f"RECORD_TO={to}"),
    )
    client = Client(server, device)
    told_at: dict[int, int] = {}
    names: dict[int, str] = {}

    def tell(_client: object, _data: object, number: int, *_: object) -> None:
        # What is noted later than this did not make it durable.
        told_at[number] = to.stat().st_size

    client.client.on_publish = tell
    for number in range(MESSAGES):
        payload = f"{number} {FILL}"
        info = client.publish("/devices/d1/events", payload)
        names[info.mid] = payload
        if number % 20 == 19:
            info.wait_for_publish(PATIENCE_S)
    client.leave()
    # At its end it writes all back and deletes its log.
    assert server.stop() == 0
    assert told_at.keys() == names.keys()
    acknowledged = {names[number]: at for number, at in told_at.items()}
    return Recorded(before, list(read_notes(to.read_bytes())), acknowledged)


def complaints_after_losses(
    run: Recorded, notes: list[Note], survives: Survives, folder: Path, seed: int
) -> list[str]:
    """Return what is wrong on the disk after the power was lost, at some moments."""
    draw = random.Random(f"{seed} {survives}")  # noqa: S311  no secret rests on it
    disk = Disk(run.before)
    moments = {*draw.sample(range(len(notes)), LOSSES), len(notes) - 1}
    complaints = []
    for place, note in enumerate(notes):
        disk.does(note)
        if place not in moments:
            continue
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, held in disk.after_a_loss(survives, draw).items():
            (folder / name).write_bytes(held)
        # Until the next thing happens, clients are told.
        until = notes[place + 1].end if place + 1 < len(notes) else note.end
        told = {payload for payload, at in run.acknowledged.items() if at < until}
        complaints += wrong(folder, told)
    return complaints


def wrong(folder: Path, told: set[str]) -> list[str]:
    try:
        with closing(sqlite3.connect(folder / "gateway.sqlite")) as database:
            found = database.execute("PRAGMA integrity_check").fetchall()
            kept = {row[0].decode() for row in database.execute("SELECT payload FROM messages")}
    except sqlite3.Error as error:
        return [f"unreadable: {error}"]
    missing = len(lost("the power was lost", told, kept))
    complaints = [f"{missing} of {len(told)} that were acknowledged"] if missing else []
    return complaints + [str(row) for row in found if row != ("ok",)]


@pytest.mark.parametrize("survives", Survives)
def test_what_was_acknowledged_is_there_after_the_power_was_lost(
    survives: Survives, run: Recorded, tmp_path: Path
) -> None:
    writes_back = [it for it in run.notes if it.kind == "w" and it.name == "gateway.sqlite"]
    assert len(writes_back) > 100, "the log is never written back"
    assert complaints_after_losses(run, run.notes, survives, tmp_path / "disk", seed=1) == []


@pytest.mark.parametrize("unheard", ["gateway.sqlite-wal", "gateway.sqlite"])
@pytest.mark.parametrize("survives", [Survives.NOTHING, Survives.ANYTHING])
def test_a_sync_that_is_left_out_is_found(
    unheard: str, survives: Survives, run: Recorded, tmp_path: Path
) -> None:
    notes = [it for it in run.notes if not (it.kind == "s" and it.name == unheard)]
    assert len(notes) < len(run.notes)
    assert complaints_after_losses(run, notes, survives, tmp_path / "disk", seed=1) != []


def test_a_server_starts_on_what_is_left(
    run: Recorded, serve: StartServer, lasthop: RunClient, tmp_path: Path
) -> None:
    disk, data = Disk(run.before), tmp_path / "gateway"
    half = run.notes[: len(run.notes) // 2]
    for note in half:
        disk.does(note)
    data.mkdir(mode=0o700)
    draw = random.Random(7)  # noqa: S311  no secret rests on it
    for name, held in disk.after_a_loss(Survives.ANYTHING, draw).items():
        (data / name).write_bytes(held)
    told = {it for it, at in run.acknowledged.items() if at <= half[-1].end}
    assert len(told) > 100
    serve("gateway", f"--data={data}")
    assert len(log(lasthop, data)) >= len(told)
