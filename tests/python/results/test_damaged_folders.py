"""A folder that is not as it was written: exit 4 naming the file, whatever was done to it."""

import json
import os
import random
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from lasthop.cli.application import run_command
from lasthop.errors import EXIT_ENVIRONMENT
from lasthop.results.manifest import Manifest
from lasthop.results.part import PartHeader, failed_streams, write_part

STUDY = """\
study: attacked
duration: 20 s
measure: {drain: 10 s}
seed: SEED
traffic: {round_trip: 100 B, every: 500 ms}
path: {loss: 10 %, delay: {around: 100 ms, spread: 20 %}}
stacks: [raw_udp, raw_udp ack=on, mqtt_sn]
sweep: [{name: loss, path.loss: [0 %, 10 %]}]
repeat: 3
decide: {minimise: latency_p50, require: ["delivery_ratio >= 10 %"]}
expect: ["delivery_ratio >= 10 %"]
"""
TABLES = ("runs", "messages", "ledger", "packets", "latency", "groups", "timings")
EMPTY = ("programs", "bills", "sims")
Folders = Mapping[str, Path]
Damage = Callable[[Path, Folders], None]
Attack = tuple[str, Damage]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    """Return a folder of results, and one of the same study with another seed."""
    top = tmp_path_factory.mktemp("made")
    folders = {}
    for name, seed in (("own", "1"), ("foreign", "2")):
        study = top / f"{name}.yaml"
        study.write_text(STUDY.replace("SEED", seed), encoding="utf-8")
        out = str(top / name)
        code, told = command("run", str(study), "--out", out, "--no-report", "--quiet")
        assert code == 0, told
        folders[name] = top / name
    return folders


def command(*arguments: str) -> tuple[int, str]:
    """Run the command in this process; return its code and what it complained."""
    told: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["lasthop", *arguments])
        patch.setattr("lasthop.cli.application.complain", told.append)
        patch.delenv("LASTHOP_TRACEBACK", raising=False)
        code = run_command()
    assert len(told) <= 1
    return code, "".join(told)


def truncated(share: float) -> Damage:
    def damage(file: Path, _: Folders) -> None:
        os.truncate(file, int(file.stat().st_size * share))

    return damage


def flipped(seed: int) -> Damage:
    def damage(file: Path, _: Folders) -> None:
        content = bytearray(file.read_bytes())
        draw = random.Random(f"{file.name} {seed}")  # noqa: S311
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        file.write_bytes(content)

    return damage


def rewritten(change: Callable[[pl.DataFrame], pl.DataFrame]) -> Damage:
    def damage(file: Path, _: Folders) -> None:
        change(pl.read_parquet(file)).write_parquet(file)

    return damage


def changed_value(table: pl.DataFrame) -> pl.DataFrame:
    name = next(name for name in table.columns if table[name].dtype.is_numeric())
    return table.with_columns(pl.col(name) + 1)


def other_seed(runs: pl.DataFrame) -> pl.DataFrame:
    return runs.with_columns(pl.col("run_spec").str.replace(r'"seed":\d', '"seed":7'))


def swapped(file: Path, made: Folders) -> None:
    shutil.copy(made["foreign"] / file.name, file)


def another_table(file: Path, made: Folders) -> None:
    others = [name for name in TABLES if f"{name}.parquet" != file.name]
    shutil.copy(made["own"] / f"{others[0]}.parquet", file)


def emptied(file: Path, _: Folders) -> None:
    file.write_bytes(b"")


def a_folder(file: Path, _: Folders) -> None:
    file.unlink()
    file.mkdir()


def a_fifo(file: Path, _: Folders) -> None:
    file.unlink()
    os.mkfifo(file)


def endless(file: Path, _: Folders) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")


def deep(file: Path, _: Folders) -> None:
    file.write_text("[" * 100_000 + "]" * 100_000, encoding="utf-8")


def deep_inside(file: Path, _: Folders) -> None:
    content = json.loads(file.read_text(encoding="utf-8"))
    nested: Any = {}
    for _level in range(400):
        nested = {"a": nested}
    file.write_text(json.dumps({**content, "host": nested}), encoding="utf-8")


def a_list(file: Path, _: Folders) -> None:
    file.write_text("[]", encoding="utf-8")


def large(file: Path, _: Folders) -> None:
    os.truncate(file, 10**12)


def edited(**changes: object) -> Damage:
    def damage(file: Path, _: Folders) -> None:
        content = json.loads(file.read_text(encoding="utf-8"))
        file.write_text(json.dumps(content | changes), encoding="utf-8")

    return damage


def without_a_key(file: Path, _: Folders) -> None:
    content = json.loads(file.read_text(encoding="utf-8"))
    del content["study"]["stacks"]
    file.write_text(json.dumps(content), encoding="utf-8")


SPECIAL: Mapping[str, Damage] = {
    "emptied": emptied,
    "a folder": a_folder,
    "a FIFO": a_fifo,
    "endless": endless,
}
OF_ANY_FILE: Mapping[str, Damage] = {
    **SPECIAL,
    **{f"cut at {share:.0%}": truncated(share) for share in (0.1, 0.5, 0.9, 0.999)},
    **{f"bit {seed}": flipped(seed) for seed in range(6)},
}
OF_A_TABLE: Mapping[str, Damage] = {
    **OF_ANY_FILE,
    "rows doubled": rewritten(lambda table: pl.concat([table, table])),
    "rows halved": rewritten(lambda table: table.head(table.height // 2)),
    "a value changed": rewritten(changed_value),
    "of another study": swapped,
    "another table": another_table,
}
OF_JSON: Mapping[str, Damage] = {
    **OF_ANY_FILE,
    "deep": deep,
    "large": large,
    "a list": a_list,
}
ATTACKS: Mapping[str, Attack] = {
    **{
        f"{name}: {how}": (f"{name}.parquet", damage)
        for name in TABLES
        for how, damage in OF_A_TABLE.items()
    },
    **{f"referee: {how}": ("referee.json", damage) for how, damage in OF_JSON.items()},
    **{f"manifest: {how}": ("manifest.json", damage) for how, damage in OF_JSON.items()},
    "runs: a seed in run_spec": ("runs.parquet", rewritten(other_seed)),
    "manifest: deep inside": ("manifest.json", deep_inside),
    "manifest: more runs": ("manifest.json", edited(planned_runs=1)),
    "manifest: no stacks": ("manifest.json", without_a_key),
    "manifest: a study of text": ("manifest.json", edited(study="attacked")),
}


SOAKED = (*(f": bit {seed}" for seed in range(1, 6)), ": cut at 10%", ": cut at 90%")
"""More of the same damage, which `make soak` does."""

EACH_ATTACK = pytest.mark.parametrize(
    "attack",
    [
        pytest.param(attack, id=name, marks=[pytest.mark.soak] if name.endswith(SOAKED) else [])
        for name, attack in ATTACKS.items()
    ],
)

SEEN_ANYWAY = (*SPECIAL.values(), swapped, another_table, deep, large, without_a_key)
"""Damage that is seen without digests too."""


def attacked(made: Folders, target: Path, attack: Attack) -> Path:
    """Copy the folder and damage one of its files."""
    shutil.copytree(made["own"], target)
    name, damage = attack
    damage(target / name, made)
    return target


@EACH_ATTACK
def test_damage_is_exit_4_and_names_the_file(
    made: Folders, tmp_path: Path, attack: Attack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = attacked(made, tmp_path / "hurt", attack)
    for arguments in (
        ("report", "hurt"),
        ("compare", str(made["own"]), "hurt"),
        ("run", str(made["own"].with_suffix(".yaml")), "--out", "hurt", "--quiet"),
    ):
        code, told = command(*arguments)
        assert (code, f"hurt/{attack[0]}: " in told) == (EXIT_ENVIRONMENT, True), told
        assert "another --out" in told
    assert not (folder / "report.html").exists()


@EACH_ATTACK
def test_without_digests_damage_is_no_bug_of_ours(
    made: Folders, tmp_path: Path, attack: Attack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(made["own"], tmp_path / "older")
    forget_digests(tmp_path / "older")
    attacked({**made, "own": tmp_path / "older"}, tmp_path / "hurt", attack)
    code, told = command("report", "hurt")
    assert code in {0, EXIT_ENVIRONMENT}, told
    if code == EXIT_ENVIRONMENT:  # of two tables that do not fit one is named
        assert told.startswith("hurt/")
        assert "another --out" in told
    else:
        assert attack[1] not in SEEN_ANYWAY


def forget_digests(folder: Path) -> None:
    """Make the manifest one of before digests were kept."""
    path = folder / "manifest.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    del content["digests"], content["digest"]
    path.write_text(json.dumps(content), encoding="utf-8")


def test_a_manifest_of_another_folder_accuses_the_tables(made: Folders, tmp_path: Path) -> None:
    folder = tmp_path / "hurt"
    shutil.copytree(made["own"], folder)
    shutil.copy(made["foreign"] / "manifest.json", folder)
    code, told = command("report", str(folder))
    assert code == EXIT_ENVIRONMENT
    assert "the file was changed after lasthop wrote it" in told


def test_an_older_folder_is_read_and_said_to_be_unchecked(
    made: Folders, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "older"
    shutil.copytree(made["own"], folder)
    assert command("report", str(folder))[0] == 0
    assert "unchecked" not in capsys.readouterr().out
    page = folder / "report.html"
    assert "unchecked" not in page.read_text(encoding="utf-8")
    forget_digests(folder)
    assert command("report", str(folder))[0] == 0
    header = page.read_text(encoding="utf-8").partition("</header>")[0]
    assert "older is unchecked: not all of it has a digest" in header
    assert "older (unchecked: not all of it has a digest)" in capsys.readouterr().out
    assert command("report", str(folder), "--json")[0] == 0
    assert json.loads(capsys.readouterr().out)["checked"] is False
    assert command("compare", str(made["own"]), str(folder))[0] == 0
    assert "new is unchecked" in capsys.readouterr().out


def test_every_stored_file_has_a_digest_and_an_older_one_gets_none(
    made: Folders, tmp_path: Path
) -> None:
    manifest = Manifest.read(made["own"])
    assert manifest is not None
    # No program took part, and nobody has a tariff: what is damaged there is nothing.
    stored = {f"{name}.parquet" for name in (*TABLES, *EMPTY)} | {"referee.json"}
    assert set(manifest.digests) == stored
    folder = tmp_path / "older"
    shutil.copytree(made["own"], folder)
    forget_digests(folder)
    study = str(made["own"].with_suffix(".yaml"))
    assert command("run", study, "--out", str(folder), "--quiet", "--no-report")[0] == 0
    again = Manifest.read(folder)
    assert again is not None
    assert again.digests == {}


def test_parts_that_are_none_are_run_again(made: Folders, tmp_path: Path) -> None:
    folder, study = tmp_path / "grown", str(made["own"].with_suffix(".yaml"))
    shutil.copytree(made["own"], folder)
    (folder / "runs.parquet").unlink()
    (folder / "parts").mkdir()
    runs = pl.read_parquet(made["own"] / "runs.parquet").filter(pl.col("status") == "completed")
    first, second, third, *_ = runs["run_id"].unique(maintain_order=True)
    parts = {run_id: folder / "parts" / f"{run_id}.part" for run_id in (first, second, third)}
    os.mkfifo(parts[first])
    parts[second].symlink_to("/dev/zero")
    header = PartHeader(run_id=first, status="failed", wall_s=0, cpu_s=0, captured=False)
    write_part(parts[third], header, failed_streams(status="failed", reason="of another run"))
    code, told = command("run", study, "--out", str(folder), "--quiet", "--no-report")
    assert code == 0, told
    for name in ("runs", "messages", "latency"):
        table = (folder / f"{name}.parquet").read_bytes()
        assert table == (made["own"] / f"{name}.parquet").read_bytes()
