"""Stacks of one's own: `lasthop init --extension`, and the native modules that lasthop finds."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from .conftest import Lasthop

ROOT = Path(__file__).parents[3]


def test_an_extension_is_written_with_its_name_in_every_place(lasthop: Lasthop) -> None:
    done = lasthop("init", "--extension", "repeater")
    assert done.returncode == 0, done.stderr
    written = lasthop.folder / "repeater"
    files = sorted(path for path in written.rglob("*") if path.is_file())
    assert [f"wrote {path.relative_to(lasthop.folder)}" for path in files] == sorted(
        line for line in done.stdout.splitlines() if line.startswith("wrote ")
    )
    assert {"Cargo.toml", "Cargo.lock", "README.md", "study.yaml", "pyproject.toml"} <= {
        path.name for path in files
    }
    assert not any("toy_protocol" in f"{path} {path.read_text()}" for path in files)
    assert not any("LASTHOP" in path.read_text() for path in files)


def test_its_studies_are_such_whatever_its_name(lasthop: Lasthop) -> None:
    lasthop("init", "--extension", "my_own")
    refused = lasthop("run", "my_own/study.yaml")
    assert 'unknown stack "my_own"' in refused.stderr
    refused = lasthop("run", "my_own/link.yaml")
    assert 'unknown link "my_own_link"' in refused.stderr


def test_it_is_made_with_the_crates_of_the_lasthop_that_wrote_it(lasthop: Lasthop) -> None:
    lasthop("init", "--extension", "repeater")
    manifest = tomllib.loads((lasthop.folder / "repeater/Cargo.toml").read_text())
    ours = {name: it for name, it in manifest["dependencies"].items() if name != "pyo3"}
    assert set(ours) > {"lasthop_extension", "lasthop_world"}
    for name, place in ours.items():
        assert Path(place["path"]) == ROOT / "crates" / name
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]
    assert (
        manifest["dependencies"]["pyo3"]["version"]
        == (workspace["dependencies"]["pyo3"]["version"])
    )


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("9x", '"9x" cannot be the name of a crate; write a name of a-z, 0-9 and _'),
        ("", '"" cannot be the name of a crate'),
        ("a/b", '"a/b" cannot be the name of a crate'),
        ("lambda", '"lambda" cannot be the name of a crate'),
        ("match", '"match" cannot be the name of a crate'),
        ("mqtt", '"mqtt" is already the name of a stack or a layer; choose another name'),
        ("udp", '"udp" is already the name of a stack or a layer; choose another name'),
        (
            "json",
            '"json" is already the name of an installed Python package; choose another name',
        ),
        ("taken", "taken: the folder exists already; choose another name"),
    ],
)
def test_a_name_that_cannot_be_or_is_taken_is_refused(
    lasthop: Lasthop, name: str, complaint: str
) -> None:
    (lasthop.folder / "taken").mkdir()
    done = lasthop("init", "--extension", name)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1
    assert [path.name for path in lasthop.folder.iterdir()] == ["taken"]


def test_an_extension_and_a_study_are_not_written_at_once(lasthop: Lasthop) -> None:
    done = lasthop("init", "study.yaml", "--extension", "repeater")
    assert done.returncode == 2
    assert done.stderr == "lasthop: --extension writes its own folder; remove the other options\n"


MODULE = """\
import json
from lasthop._native import *
from lasthop import _native

def stack_catalogue():
    known = json.loads(_native.stack_catalogue())
    (raw,) = (it for it in known["applications"] if it["name"] == "raw_udp")
    known["applications"].append({**raw, "name": "own"})
    return json.dumps(known)
"""


def install(folder: Path, name: str, code: str = MODULE) -> dict[str, str]:
    """Put a module and its entry point where Python finds them; give the environment."""
    (folder / f"{name}.py").write_text(code, encoding="utf-8")
    about = folder / f"{name}-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n")
    (about / "entry_points.txt").write_text(f"[lasthop.stacks]\n{name} = {name}\n")
    return {"PYTHONPATH": str(folder)}


@pytest.mark.parametrize(
    ("code", "exit_code", "complaint"),
    [
        (
            MODULE + "def version(): return '0.0.9'\n",
            2,
            "the extension one was built with lasthop 0.0.9, and this is lasthop ",
        ),
        ("import nothing_of_this_name\n", 4, "the extension one cannot be loaded (No module"),
        ("", 4, "the extension one cannot be loaded (module 'one' has no attribute 'version')"),
        (
            MODULE.replace('raw, "name": "own"', 'raw, "name": "mqtt"'),
            2,
            "the extension one adds the application mqtt, which lasthop has already; rename it",
        ),
    ],
)
def test_an_extension_that_does_not_fit_is_one_line(
    lasthop: Lasthop, tmp_path: Path, code: str, exit_code: int, complaint: str
) -> None:
    done = lasthop("stacks", environment=install(tmp_path, "one", code))
    assert done.returncode == exit_code
    assert done.stderr.startswith(f"lasthop: {complaint}")
    assert done.stderr.count("\n") == 1


def test_what_an_extension_adds_is_listed_and_checked_as_a_stack(
    lasthop: Lasthop, tmp_path: Path
) -> None:
    environment = install(tmp_path, "one")
    stacks = json.loads(lasthop("stacks", "--json", environment=environment).stdout)["stacks"]
    assert [it["built"] for it in stacks if it["name"] == "own"] == [["own/udp", "own/dtls/udp"]]
    found = json.loads(lasthop("doctor", "--json", environment=environment).stdout)["findings"]
    assert [it["found"] for it in found if it["what"] == "one"] == [True]
    study = "study: own\nduration: 5 s\ntraffic: {report: 50 B, every: 1 s}\nstacks: [own size=3]\n"
    (tmp_path / "study.yaml").write_text(study)
    refused = lasthop("run", "study.yaml", environment=environment)
    assert refused.returncode == 2
    assert 'unknown option "size"' in refused.stderr


def test_the_module_of_an_extension_is_part_of_what_made_the_results(
    lasthop: Lasthop, tmp_path: Path
) -> None:
    study = "study: plain\nduration: 5 s\ntraffic: {report: 50 B, every: 1 s}\nstacks: [raw_udp]\n"
    (tmp_path / "study.yaml").write_text(study)
    environment = install(tmp_path, "one")
    for comment, runs_again in (("", False), ("# another build\n", True)):
        assert lasthop("run", "study.yaml", environment=environment).returncode == 0
        (tmp_path / "one.py").write_text(MODULE + comment)
        said = lasthop("run", "study.yaml", environment=environment)
        assert said.returncode == 0
        assert ("another build of lasthop made these results" in said.stderr) == runs_again


def test_a_link_of_nobody_is_refused_with_its_place(lasthop: Lasthop) -> None:
    study = (
        "study: own\nduration: 5 s\ntraffic: {report: 50 B, every: 1 s}\nstacks: [raw_udp]\n"
        "path: {extension_link: own_link tries=3}\n"
    )
    (lasthop.folder / "study.yaml").write_text(study)
    refused = lasthop("run", "study.yaml")
    assert refused.returncode == 2
    assert 'study.yaml:5:24: path.extension_link: unknown link "own_link"; ' in refused.stderr
    (lasthop.folder / "study.yaml").write_text(study.replace("3}", "3, delay: 1 ms}"))
    refused = lasthop("run", "study.yaml")
    assert refused.returncode == 2
    assert 'path.delay: a link of an extension cannot have the link key "delay"' in refused.stderr


def test_two_extensions_with_one_name_are_refused(lasthop: Lasthop, tmp_path: Path) -> None:
    install(tmp_path, "one")
    done = lasthop("stacks", environment=install(tmp_path, "two"))
    assert done.returncode == 2
    assert "the extension two adds the application own" in done.stderr
    assert done.stderr.endswith("which the extension one has already; rename it in the extension\n")


@pytest.mark.soak
def test_an_extension_is_built_tested_and_run(lasthop: Lasthop) -> None:
    assert lasthop("init", "--extension", "repeater").returncode == 0
    crate = lasthop.folder / "repeater"
    environment = {
        **os.environ,
        "CARGO_TARGET_DIR": str(ROOT / "target"),
        "PYO3_PYTHON": sys.executable,
    }

    def execute(*command: str) -> None:
        done = subprocess.run(
            command, cwd=crate, env=environment, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr

    execute("cargo", "test", "--release", "--offline", "--no-default-features")
    maturin = str(Path(sys.executable).parent / "maturin")
    wheels = lasthop.folder / "wheels"
    build = ("build", "--release", "--offline", "--interpreter", sys.executable)
    execute(maturin, *build, "--out", str(wheels))
    (wheel,) = wheels.glob("*.whl")
    site = lasthop.folder / "site"
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps")
    execute(*pip, "--target", str(site), str(wheel))
    environment = {"PYTHONPATH": str(site)}
    done = lasthop("run", "repeater/study.yaml", "--json", environment=environment)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["counts"] == {"completed": 20}
    rows = [row for point in said["answer"]["points"] for row in point["rows"]]
    assert "repeater copies=2" in {row["stack"] for row in rows}
    packets = lasthop.folder / "packets"
    again = lasthop("run", "repeater/study.yaml", "--out", str(packets), environment=environment)
    assert again.returncode == 0
    for name in ("runs", "messages"):
        one, two = (
            lasthop.folder / f"{path}/{name}.parquet" for path in (said["folder"], "packets")
        )
        assert one.read_bytes() == two.read_bytes()
    over_link = lasthop("run", "repeater/link.yaml", "--json", environment=environment)
    assert over_link.returncode == 0, over_link.stderr
    points = json.loads(over_link.stdout)["answer"]["points"]
    delivered = [{row["stack"]: row["delivery_ratio"] for row in point["rows"]} for point in points]
    assert delivered[0]["raw_udp"] < 0.95 < delivered[1]["raw_udp"]
    unknown = lasthop("run", "repeater/study.yaml", "--out", "elsewhere")
    assert unknown.returncode == 2
    assert "repeater" in unknown.stderr
