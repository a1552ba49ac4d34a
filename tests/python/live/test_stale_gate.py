"""What a folder holds of one build of a broker says nothing of another one."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.python.cli.conftest import Lasthop

from lasthop.adapters.build import files_of, named
from lasthop.errors import UsageError

STUDY = """\
study: gate
duration: 1 s
measure: {warm_up: 200 ms, drain: 2 s, overload: allow, processor_wait: 1 s}
engine: live
traffic: {round_trip: 100 B, every: 200 ms}
path: {delay: 5 ms}
stacks: {one: mqtt qos=1 impl=mine}
expect: [delivery_ratio == 100 %]
repeat: 1
"""
GOOD = """\
#!/bin/sh
printf "listener $1 0.0.0.0\\nallow_anonymous true\\n" > "$0-$$".conf
exec mosquitto -c "$0-$$".conf
"""
BROKEN = "#!/bin/sh\nsleep 0.2\nexit 3\n"
Needs = Callable[..., None]


@pytest.fixture
def lasthop(tmp_path: Path) -> Lasthop:
    return Lasthop(tmp_path)


def _build(folder: Path, text: str) -> Path:
    program = folder / "b"
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)
    return program


def _run(lasthop: Lasthop, command: str, *options: str) -> tuple[int, str, str]:
    arguments = ("run", "gate.yaml", "--no-report", "--impl", f"mine={command}", *options)
    done = lasthop(*arguments)
    return done.returncode, done.stdout, done.stderr


def test_a_broken_build_does_not_pass_by_the_results_of_a_good_one(
    lasthop: Lasthop, needs: Needs
) -> None:
    needs("mosquitto")
    lasthop.write("gate.yaml", STUDY)
    folder, command = lasthop.folder / "results/gate", "./b {port}"
    _build(lasthop.folder, GOOD)
    assert _run(lasthop, command)[0] == 0
    made = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert made["software"]["impl=mine"]["command"] == command
    assert {"./b", "program"} <= made["software"]["impl=mine"]["files"].keys()

    code, told, _ = _run(lasthop, command, "--jobs", "1")
    assert (code, "nothing was run" in told) == (0, True)
    again = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert again["command"] == made["command"]  # what made them, and not what looked at them

    shutil.copy(lasthop.folder / "b", lasthop.folder / "c")
    code, _, complaint = _run(lasthop, "./c {port}")
    assert code == 2
    assert complaint == (
        'lasthop: results/gate: it has results of "./b {port}" as impl=mine, not '
        'of "./c {port}"; choose another --out\n'
    )
    code, _, complaint = _run(lasthop, command, "--capture")
    assert (code, "their packets were not kept" in complaint) == (2, True)

    _build(lasthop.folder, BROKEN)
    code, told, complaint = _run(lasthop, command)
    assert code == 4, told
    assert "results/gate: impl=mine: ./b has changed since; all is run again" in complaint
    assert "died (exit 3)" in complaint
    assert not list(folder.glob("*.parquet"))
    assert lasthop("report", "results/gate").returncode != 0

    _build(lasthop.folder, GOOD)
    code, told, _ = _run(lasthop, command)
    assert (code, "nothing was run" in told) == (0, False)


def test_a_file_that_the_command_names_is_of_the_build(lasthop: Lasthop, needs: Needs) -> None:
    needs("mosquitto")
    lasthop.write("gate.yaml", STUDY)
    lasthop.write("b.conf", "one\n")
    _build(lasthop.folder, GOOD)
    command = "./b {port} --config=b.conf"
    assert _run(lasthop, command)[0] == 0
    assert "nothing was run" in _run(lasthop, command)[1]
    lasthop.write("b.conf", "two\n")
    code, told, complaint = _run(lasthop, command)
    assert (code, "nothing was run" in told) == (0, False)
    assert "impl=mine: b.conf has changed since; all is run again" in complaint


def test_names_are_found_wherever_they_stand_in_a_command() -> None:
    words = ["sh", "-c", "exec ./b --conf b.conf", "--roots=r.pem", "-k/etc/key", "a.jar:lib/b.jar"]
    assert {"./b", "b.conf", "r.pem", "/etc/key", "a.jar", "lib/b.jar"} <= {*named(words)}


def test_every_file_of_a_named_folder_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program = _build(tmp_path, GOOD)
    (tmp_path / "classes").mkdir()
    (tmp_path / "classes/Main.class").write_text("1")
    before = files_of(program, "./b -cp classes {port}")
    assert before.keys() == {"./b", "program", "classes/Main.class"}
    (tmp_path / "classes/Main.class").write_text("2")
    after = files_of(program, "./b -cp classes {port}")
    assert {name for name in after if before[name] != after[name]} == {"classes/Main.class"}
    monkeypatch.setattr("lasthop.adapters.build._MOST_FILES", 0)
    with pytest.raises(UsageError, match="names the folder classes, which has more than 0 files"):
        files_of(program, "./b -cp classes {port}")
