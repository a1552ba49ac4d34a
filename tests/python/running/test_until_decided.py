"""Repetitions are added until nothing is open, and none is done twice."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from lasthop.errors import UsageError
from lasthop.outcome.results import Results
from lasthop.results.folder import TABLES
from lasthop.running.engine import NativeEngine, Switch
from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.running.until_decided import Round, carry_out_until_decided
from lasthop.study import load_study

STUDY = """\
study: open
duration: 5 s
measure: {drain: 5 s}
traffic: {round_trip: 100 B, every: 250 ms}
path: {loss: 5 %, delay: {around: 100 ms, spread: 20 %}}
stacks: [raw_udp ack=on, mqtt qos=1, mqtt_sn]
sweep: [{name: a, path.loss: [2 %, 10 %]}, {name: b}]
repeat: 3
decide: {minimise: latency_p50, smallest_effect: 10 %}
"""


class CountingEngine(NativeEngine):
    """Simulates, and keeps the ids of what it simulated."""

    def __init__(self) -> None:
        super().__init__()
        self.simulated: list[str] = []

    def simulate(
        self,
        spec_json: str,
        /,
        *,
        run_id: str,
        captures: Mapping[str, Path],
        switch: Switch,
        messages: Path | None = None,
    ) -> Mapping[str, bytes | Path]:
        self.simulated.append(run_id)
        return super().simulate(
            spec_json, run_id=run_id, captures=captures, switch=switch, messages=messages
        )


class Scene:
    """A study in a folder, its plans and its engine."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "study.yaml"
        self.file.write_text(STUDY, encoding="utf-8")
        self.out = folder / "out"
        self.engine = CountingEngine()
        self.told: list[Round] = []

    def plan(self, repeat: int) -> Plan:
        return Plan(load_study(self.file, overrides=[("repeat", str(repeat))]))

    def until_decided(self, *, repeat: int = 3, at_most: int = 12) -> tuple[Round, ...]:
        found = carry_out_until_decided(
            self.plan,
            repeat=repeat,
            at_most=at_most,
            out=self.out,
            engine=self.engine,
            jobs=2,
            round_ended=self.told.append,
        )
        assert tuple(self.told) == found.rounds
        return found.rounds

    def plain(self, repeat: int, out: Path) -> dict[str, str]:
        carry_out(self.plan(repeat), out=out)
        return hashes(out)


def hashes(out: Path) -> dict[str, str]:
    names = [*(f"{table}.parquet" for table in TABLES if table != "timings"), "junit.xml"]
    return {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in names}


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_rounds_end_with_the_bytes_of_a_plain_run_and_redo_nothing(
    scene: Scene, tmp_path: Path
) -> None:
    rounds = scene.until_decided()
    counts = [ended.repetitions for ended in rounds]
    assert counts[:2] == [3, 6]
    assert counts == sorted(set(counts))
    assert all(ended.undecided for ended in rounds[:-1])
    assert not rounds[-1].undecided or counts[-1] == 12
    assert len(scene.engine.simulated) == len(set(scene.engine.simulated)) == 6 * counts[-1]
    assert hashes(scene.out) == scene.plain(counts[-1], tmp_path / "plain")
    assert not (scene.out / "parts").exists()
    assert Results(scene.out).checked


def test_what_a_plain_run_has_finished_is_kept(scene: Scene, tmp_path: Path) -> None:
    before = scene.plain(3, scene.out)
    rounds = scene.until_decided()
    last = rounds[-1].repetitions
    assert len(scene.engine.simulated) == 6 * (last - 3)
    assert hashes(scene.out) != before
    assert hashes(scene.out) == scene.plain(last, tmp_path / "plain")


def test_a_decided_folder_is_only_read(scene: Scene) -> None:
    first = scene.until_decided()
    before = hashes(scene.out)
    scene.told, scene.engine = [], CountingEngine()
    (again,) = scene.until_decided()
    assert again == first[-1]
    assert scene.engine.simulated == []
    assert hashes(scene.out) == before


def test_a_folder_with_other_settings_is_refused(scene: Scene) -> None:
    scene.plain(3, scene.out)
    scene.file.write_text(STUDY.replace("loss: 5 %", "loss: 6 %"), encoding="utf-8")
    with pytest.raises(UsageError, match="other settings"):
        scene.until_decided()


def test_a_crash_between_the_tables_and_the_larger_plan_loses_nothing(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.plain(3, scene.out)
    tables = hashes(scene.out)

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("lasthop.results.manifest.Manifest.write", crash)
        with pytest.raises(KeyboardInterrupt):
            scene.until_decided(repeat=5, at_most=5)
    assert len(list((scene.out / "parts").glob("*.part"))) == 18
    assert hashes(scene.out) == tables
    scene.until_decided(repeat=5, at_most=5)
    assert len(scene.engine.simulated) == 6 * 2
    assert hashes(scene.out) == scene.plain(5, tmp_path / "plain")


def test_the_answer_remembers_that_it_was_looked_at_several_times(scene: Scene) -> None:
    scene.until_decided(repeat=3, at_most=12)
    plain = carry_out(scene.plan(3), out=scene.out.with_name("plain")).results
    assert plain.decision.objective is not None
    assert plain.decision.objective.confidence == pytest.approx(0.95)
    folder = Results(scene.out)
    last = folder.manifest.study["repeat"]
    for results in (folder, carry_out(scene.plan(last), out=scene.out).results):
        assert results.decision.objective is not None
        assert results.decision.objective.confidence == pytest.approx(1 - 0.05 / 3)
