"""Whatever happened to a file of a result folder, every command that reads the folder notices."""

import inspect
import json
import re
import shutil
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import typer
from tests.python.load.conftest import Echo

from lasthop.cli import application, demo
from lasthop.cli.application import run_command
from lasthop.errors import EXIT_BAD_INPUT, EXIT_ENVIRONMENT, EXIT_PASS
from lasthop.outcome.results import Results
from lasthop.results.digest import FileDigest
from lasthop.results.folder import TABLES
from lasthop.results.manifest import Manifest
from lasthop.results.verification import STORED

STUDY = """\
study: own
duration: 2 s
measure: {drain: 1 s}
seed: SEED
traffic: {round_trip: 100 B, every: 500 ms}
path: {loss: 5 %, delay: 20 ms}
stacks: [raw_udp]
repeat: 2
claims: claims.yaml
"""
CLAIMS = """\
paper: a paper
claims:
  - id: C1
    kind: threshold
    what: most arrives
    rules: [{column: delivery_ratio, stacks: [raw_udp], part: base, above: 5 %}]
"""
LOAD = """\
study: own
duration: 300 ms
measure: {warm_up: 0 s, drain: 100 ms}
traffic: {round_trip: 100 B, every: 20 ms}
stacks: [raw_udp]
repeat: 1
"""
SHIPPED = "multiverse.json"
"""What only few studies write: it is put into the folders as if one had."""


@dataclass(frozen=True)
class Made:
    """Two folders of one study, whose seed is another; the id of a run; the port of a server."""

    own: Path
    foreign: Path
    loaded: Path
    run_id: str
    port: int


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    """Make all folders once; the server echoes until the end."""
    top = tmp_path_factory.mktemp("evidence")
    (top / "claims.yaml").write_text(CLAIMS, encoding="utf-8")
    for name, seed in (("own", "1"), ("foreign", "2")):
        (top / f"{name}.yaml").write_text(STUDY.replace("SEED", seed), encoding="utf-8")
        _succeed("run", str(top / f"{name}.yaml"), "--out", str(top / name), "--no-report")
        _plant(top / name, {"of": name})
    with _echo() as port:
        (top / "loaded.yaml").write_text(LOAD, encoding="utf-8")
        _succeed("load", *_load(top, port, top / "loaded"))
        manifest = Manifest.read(top / "own")
        assert manifest is not None
        assert set(manifest.digests) == set(STORED)
        run_id = str(Results(top / "own").runs["run_id"][0])
        yield Made(top / "own", top / "foreign", top / "loaded", run_id, port)


def _load(top: Path, port: int, out: Path) -> tuple[str, ...]:
    study = str(top / "loaded.yaml")
    return (study, "--against", f"raw_udp://127.0.0.1:{port}", "--no-report", "--out", str(out))


@contextmanager
def _echo() -> Iterator[int]:
    with socket.socket(type=socket.SOCK_DGRAM) as bound:
        bound.bind(("127.0.0.1", 0))
        server = Echo(bound)
        thread = threading.Thread(target=server.serve)
        thread.start()
        try:
            yield server.port
        finally:
            server.ended = True
            thread.join()


def _plant(folder: Path, content: object) -> None:
    text = json.dumps(content).encode()
    (folder / SHIPPED).write_bytes(text)
    manifest = Manifest.read(folder)
    assert manifest is not None
    digests = {**manifest.digests, SHIPPED: FileDigest.of(text).as_json()}
    replace(manifest, digests=digests).write(folder)


def _command(*arguments: str) -> tuple[int, str]:
    """Run the command in this process; give its code and all complaints."""
    complaints: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["lasthop", *arguments])
        patch.setattr("lasthop.cli.application.complain", complaints.append)
        patch.setattr("lasthop.cli.progress.complain", complaints.append)
        patch.delenv("LASTHOP_TRACEBACK", raising=False)
        code = run_command()
    return code, "\n".join(complaints)


def _succeed(*arguments: str) -> None:
    code, told = _command(*arguments)
    assert code == EXIT_PASS, told


UNTIL = ("--until-decided", "--at-most", "2")
QUIET = ("--quiet", "--no-report")
Call = Callable[[Made, Path], tuple[str, ...]]


def _study(made: Made) -> str:
    return str(made.own.with_suffix(".yaml"))


READERS: Mapping[str, tuple[Call, ...]] = {
    "run": (
        lambda made, hurt: ("run", _study(made), "--out", str(hurt), *QUIET),
        lambda made, hurt: ("run", _study(made), "--out", str(hurt), *QUIET, "--capture"),
        lambda made, hurt: ("run", _study(made), "--out", str(hurt), *QUIET, *UNTIL),
    ),
    "demo": (lambda _, hurt: ("demo", "--out", str(hurt.parent), "--quiet"),),
    "report": (
        lambda _, hurt: ("report", str(hurt)),
        lambda _, hurt: ("report", str(hurt), "--json"),
        lambda _, hurt: ("report", str(hurt), "--figure", "latency"),
        lambda made, hurt: ("report", str(made.own), str(hurt), "--out", f"{hurt}-merged"),
        lambda made, hurt: ("report", str(hurt), str(made.own), "--out", f"{hurt}-merged"),
    ),
    "compare": (
        lambda made, hurt: ("compare", str(made.own), str(hurt)),
        lambda made, hurt: ("compare", str(hurt), str(made.own)),
    ),
    "plan": (lambda _, hurt: ("plan", str(hurt), "--power", "10 %"),),
    "archive": (lambda made, hurt: ("archive", str(hurt), _study(made)),),
    "explain": (
        lambda made, hurt: ("explain", made.run_id, "1", "--in", str(hurt)),
        lambda made, _: ("explain", made.run_id, "1"),
        lambda _, hurt: ("explain", "--slowest", "raw_udp", "--in", str(hurt)),
    ),
    "load": (lambda made, hurt: ("load", *_load(made.own.parent, made.port, hurt)),),
}
"""How each command that reads a folder of results is told to read one."""

NOT_READERS = {
    *("link", "studies", "stacks", "ledger", "init", "doctor", "columns", "serve", "gateway"),
    # The page of `ui` reads a folder by `read_source`, which refuses what was changed.
    *("probe", "ui", "fit"),
    *("pub", "sub", "get", "put", "post"),
}
_READS = re.compile(r"\b(Results|Manifest|Request|open_folder|carry_out\w*|read_ruling)\(")


def test_every_command_is_known_to_read_folders_or_to_read_none() -> None:
    group = typer.main.get_command(application.app)
    names = set(group.commands)  # type: ignore[attr-defined]
    assert names == READERS.keys() | NOT_READERS, "say of a new command which of both it is"
    for name in NOT_READERS:
        source = inspect.getsource(getattr(application, name))
        assert not _READS.search(source), f"{name} reads results: add it to READERS"


def _deleted(file: Path, _: Path) -> None:
    file.unlink()


def _changed(file: Path, _: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def _exchanged(file: Path, other: Path) -> None:
    shutil.copy(other, file)


DAMAGE = {"deleted": _deleted, "changed": _changed, "exchanged": _exchanged}
CALLS = [(name, number) for name, calls in READERS.items() for number in range(len(calls))]


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("call", CALLS, ids=[f"{name}-{number}" for name, number in CALLS])
def test_every_command_notices_every_file(
    made: Made,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: tuple[str, int],
    damage: Callable[[Path, Path], None],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "QUESTION", "own")
    monkeypatch.setattr(demo, "PUBLISHED", "own")
    monkeypatch.setattr(demo, "find_study", lambda _: Path(_study(made)))
    name, number = call
    source = made.loaded if name == "load" else made.own
    manifest = Manifest.read(source)
    assert manifest is not None
    for file in manifest.digests:
        hurt = tmp_path / "results/own"
        shutil.copytree(source, hurt)
        other = made.foreign / file
        if damage is _exchanged and other.read_bytes() == (hurt / file).read_bytes():
            shutil.rmtree(hurt.parent)
            continue
        damage(hurt / file, other)
        code, told = _command(*READERS[name][number](made, hurt))
        assert f"own/{file}: " in told, (file, code, told)
        if name in {"run", "demo"} and damage is _deleted:
            # They make it again, and say so.
            assert f"own/{file}: is gone; what it held is made again" in told
            assert (hurt / file).is_file() or file == SHIPPED
            assert code == EXIT_PASS
        else:
            assert code == EXIT_ENVIRONMENT, (file, told)
        shutil.rmtree(hurt.parent)


@pytest.mark.parametrize("call", CALLS, ids=[f"{name}-{number}" for name, number in CALLS])
def test_a_folder_without_its_manifest_is_read_by_no_command(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: tuple[str, int]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "QUESTION", "own")
    monkeypatch.setattr(demo, "find_study", lambda _: Path(_study(made)))
    name, number = call
    hurt = tmp_path / "results/own"
    shutil.copytree(made.loaded if name == "load" else made.own, hurt)
    (hurt / "manifest.json").unlink()
    code, told = _command(*READERS[name][number](made, hurt))
    assert code == EXIT_BAD_INPUT, told
    assert "results" in told


def test_a_link_that_leads_nowhere_is_no_file(made: Made, tmp_path: Path) -> None:
    shutil.copytree(made.own, tmp_path / "own")
    (tmp_path / "own/groups.parquet").unlink()
    (tmp_path / "own/groups.parquet").symlink_to("nowhere")
    code, told = _command("report", str(tmp_path / "own"))
    assert (code, "groups.parquet: is gone; run the study again" in told) == (4, True)


def test_tables_that_are_made_again_are_those_that_were_there(made: Made, tmp_path: Path) -> None:
    shutil.copytree(made.own, tmp_path / "own")
    (tmp_path / "own/ledger.parquet").unlink()
    _succeed("run", _study(made), "--out", str(tmp_path / "own"), "--quiet", "--no-report")
    for name in (f"{table}.parquet" for table in TABLES if table != "timings"):
        assert (tmp_path / "own" / name).read_bytes() == (made.own / name).read_bytes()
