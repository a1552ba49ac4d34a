"""What is handed out works where there is no checkout."""

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from .conftest import ROOT, Installed

# Its build waits for the lints of Rust, which have the lock of cargo beside the tests.
pytestmark = pytest.mark.timeout(1800)


def test_one_wheel_is_for_every_python_from_3_11_on(wheel: Path) -> None:
    name, _, python, abi, platform = wheel.stem.split("-")
    assert (name, python, abi) == ("lasthop", "cp311", "abi3")
    assert platform.startswith("manylinux")


def test_the_wheel_holds_every_file_of_every_study_and_what_an_archive_needs(wheel: Path) -> None:
    shipped = {
        f"lasthop/{file.relative_to(ROOT).as_posix()}"
        for file in ROOT.glob("studies/*/*.*")
        if file.parent.name != "__pycache__"
    }
    shipped |= {f"lasthop/provenance/{name}" for name in ("Cargo.lock", "CITATION.cff")}
    names = set(zipfile.ZipFile(wheel).namelist())
    assert any(name.endswith("/study.yaml") for name in shipped)
    assert shipped <= names


def test_the_wheel_holds_no_path_of_the_machine_that_built_it(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    assert not any(
        os.fsencode(ROOT) in archive.read(name)
        for name in archive.namelist()
        if not name.endswith(".so")
    )


def test_the_demo_runs_from_the_wheel_alone(installed: Installed, tmp_path: Path) -> None:
    done = installed("lasthop", "demo", "--json", "--jobs", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    question, published = map(json.loads, done.stdout.splitlines())
    assert question["answer"]["headline"]
    assert any(claim["verdict"] == "predicted" for claim in published["claims"])
    for said in (question, published):
        folder = tmp_path / "results/demo" / said["study"]
        assert said["counts"]["completed"] > 0
        assert (folder / "report.html").stat().st_size > 10_000
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        assert manifest["working_copy"] is None


def test_the_studies_of_the_wheel_are_listed(installed: Installed, tmp_path: Path) -> None:
    done = installed("lasthop", "studies", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    listed = json.loads(done.stdout)["studies"]
    assert {study["name"] for study in listed} == {
        file.parent.name for file in ROOT.glob("studies/*/study.yaml")
    }
    assert all(str(installed.folder) in study["path"] for study in listed)


def test_the_doctor_finds_what_it_needs(installed: Installed, tmp_path: Path) -> None:
    done = installed("lasthop", "doctor", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "MISSING" not in done.stdout


def test_the_quick_start_of_the_gateway_needs_the_wheel_and_no_compiler(
    installed: Installed,
) -> None:
    page = "docs/guides/device-gateway.md"
    done = installed("python", "-m", "docs.transcript", page, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.soak
def test_pip_installs_it_into_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    folder = tmp_path / "environment"
    venv.create(folder, with_pip=False, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder), "install", "--quiet"]
    done = subprocess.run([*pip, str(wheel)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    demo = Installed(wheel, folder)("lasthop", "demo", "--quiet", cwd=tmp_path)
    assert demo.returncode == 0, demo.stderr
