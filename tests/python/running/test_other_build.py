"""Results of a working copy that has changed since are made again."""

from pathlib import Path

import pytest

from lasthop.results.build import working_copy
from lasthop.results.folder import TABLES
from lasthop.results.manifest import Manifest
from lasthop.running.captured_hosts import CapturedHosts
from lasthop.running.plan import Plan
from lasthop.running.progress import Silence
from lasthop.running.run import Outcome, carry_out
from lasthop.study import load_study

from .test_until_decided import CountingEngine

STUDY = """\
study: rebuilt
duration: 1 s
traffic: {report: 40 B, every: 250 ms}
path: {loss: 5 %, delay: 20 ms}
stacks: [raw_udp]
repeat: 3
"""
RUNS = 3


class Listener(Silence):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def all_again(self, folder: str, why: str) -> None:
        self.told.append(f"{folder}: {why}")


class Scene:
    """A folder, and builds that come and go."""

    def __init__(self, out: Path, patch: pytest.MonkeyPatch) -> None:
        self.out = out
        self._study = out.with_name("study.yaml")
        self._study.write_text(STUDY, encoding="utf-8")
        self._patch = patch
        self.engine = CountingEngine()
        self.listener = Listener()

    def run(self, build: str | None, *, capture: CapturedHosts | None = None) -> Outcome:
        self.engine, self.listener = CountingEngine(), Listener()
        self._patch.setattr("lasthop.running.run.working_copy", lambda: build)
        return carry_out(
            Plan(load_study(self._study)),
            out=self.out,
            engine=self.engine,
            progress=self.listener,
            capture=capture,
        )


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(tmp_path / "out", monkeypatch)


@pytest.mark.parametrize("builds", [("a", "b"), (None, "b"), ("a", None)])
def test_what_another_build_made_is_run_again_and_said(
    scene: Scene, builds: tuple[str | None, str | None]
) -> None:
    first, second = builds
    scene.run(first, capture=CapturedHosts())
    before = {name: (scene.out / f"{name}.parquet").read_bytes() for name in TABLES}
    assert scene.listener.told == []
    outcome = scene.run(second)
    assert scene.listener.told == [f"{scene.out}: another build of lasthop made these results"]
    assert len(scene.engine.simulated) == RUNS
    assert not outcome.already_complete
    assert not list(scene.out.glob("captures/*"))
    after = {name: (scene.out / f"{name}.parquet").read_bytes() for name in TABLES}
    assert {name for name in TABLES if before[name] != after[name]} <= {"timings"}


@pytest.mark.parametrize("build", ["a", None])
def test_what_this_build_made_is_kept(scene: Scene, build: str | None) -> None:
    scene.run(build)
    assert scene.run(build).already_complete
    assert scene.engine.simulated == []
    assert scene.listener.told == []


def test_runs_that_another_build_finished_before_it_was_stopped_do_not_count(scene: Scene) -> None:
    scene.run("a")
    manifest = Manifest.read(scene.out)
    assert manifest is not None
    (scene.out / "parts").mkdir()
    (scene.out / "parts" / "0123456789abcdef.part").write_bytes(b"of another build")
    manifest.ended("running", {}).write(scene.out)
    scene.run("b")
    assert len(scene.engine.simulated) == RUNS
    assert not (scene.out / "parts").exists()


def test_this_working_copy_is_known_by_what_makes_results() -> None:
    build = working_copy()
    assert build is None or len(build) == 16
