"""Brokers built here of the libraries of others: mochi on quic-go, mqtt5 and rmqtt on quinn."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from lasthop.adapters import adapter_of
from lasthop.adapters.built_program import BuiltProgram
from lasthop.errors import EnvironmentFailure
from lasthop.outcome.results import Results
from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

from .conftest import installed

FOLDER = Path(__file__).parent
Needs = Callable[..., None]
BUILT = ("mochi", "mqtt5", "rmqtt")
ROUND_TRIP_MS = 60
CLIENTS = 5
PASSES = 5
UNCOUNTED = 3
"""Who was never there has no ticket, and rmqtt keeps its first clients waiting for seconds."""


def _adapter(name: str) -> BuiltProgram:
    adapter = adapter_of(name)
    assert isinstance(adapter, BuiltProgram)
    return adapter


def _run(stacks: list[str], out: Path, **settings: str) -> Results:
    overrides = [("stacks", f"[{', '.join(stacks)}]"), *settings.items()]
    study = load_study(FOLDER / "mosquitto.yaml", overrides=overrides)
    results = carry_out(Plan(study), out=out, jobs=3).results
    runs = results.runs
    assert runs["status"].to_list() == ["completed"] * len(stacks), runs["reason"].to_list()
    assert runs["delivery_ratio"].to_list() == [1.0] * len(stacks)
    return results


@pytest.mark.soak
@pytest.mark.parametrize("name", BUILT)
def test_a_broker_serves_tls_and_quic(name: str, needs: Needs, tmp_path: Path) -> None:
    installed(_adapter(name))
    needs()
    stacks = [
        f"mqtt/tls impl={name}",
        f"mqtt/tls impl={name} tls.version=1.2 tls.key=rsa_2048 tls.chain=3",
        f"mqtt/tls impl={name} tls.client_certificate=on",
        f"mqtt/quic impl={name}",
        f"mqtt/quic impl={name} quic.client_certificate=on",
    ]
    runs = _run(stacks, tmp_path / "out").runs
    assert (runs["latency_p50_ms"] >= ROUND_TRIP_MS).all()


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "takes_early_data", "round_trips"),
    [("mochi", True, 2), ("mqtt5", True, 3), ("rmqtt", False, 3)],
)
def test_every_later_session_is_resumed_and_early_data_saves_a_round_trip_where_it_is_taken(
    name: str, needs: Needs, tmp_path: Path, *, takes_early_data: bool, round_trips: int
) -> None:
    installed(_adapter(name))
    needs()
    stack = f"mqtt/quic quic.resume=ticket quic.early_data=on impl={name}"
    settings = {
        "duration": f"{PASSES} s",
        "measure.warm_up": f"{UNCOUNTED} s",
        "traffic.every": "1 s",
        "traffic.session": "per_message",
        "devices": str(CLIENTS),
    }
    (run,) = _run([stack], tmp_path / "out", **settings).runs.to_dicts()
    counted = CLIENTS * (PASSES - UNCOUNTED)
    assert run["sessions_resumed"] == counted
    assert run["sessions_early"] == (counted if takes_early_data else 0)
    # CONNECT, or the handshake before it (mqtt5 answers early data after it), and SUBSCRIBE.
    assert run["session_set_up_p50_ms"] >= round_trips * ROUND_TRIP_MS
    assert run["session_set_up_p50_ms"] < (round_trips + 1) * ROUND_TRIP_MS


@pytest.mark.parametrize("name", BUILT)
def test_what_cannot_be_built_is_told_and_nothing_is_kept(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = _adapter(name)
    builder = tmp_path / adapter.program
    builder.write_text("#!/bin/sh\necho one >&2\necho it is too old >&2\nexit 1\n")
    builder.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda *_arguments, **_options: str(builder))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    says = rf"^{name}: the build failed: one \| it is too old; .*install"
    with pytest.raises(EnvironmentFailure, match=says):
        adapter.find()
    kept = tmp_path / "home" / ".cache" / "lasthop" / adapter.language
    assert [file for folder in kept.iterdir() for file in folder.iterdir()] == []
    monkeypatch.setenv("HOME", str(builder))
    with pytest.raises(EnvironmentFailure, match=rf"^{name}: .*: Not a directory$"):
        adapter.find()


@pytest.mark.soak
@pytest.mark.parametrize("name", BUILT)
def test_a_broker_says_what_it_is_asked_wrongly(name: str) -> None:
    program = installed(_adapter(name)).find()
    for words in ([], ["tls", "127.0.0.1:0"], ["smoke", "127.0.0.1:0"], ["tcp", "nowhere"]):
        done = subprocess.run([program, *words], capture_output=True, check=False, timeout=10)
        assert done.returncode != 0, words
        assert done.stderr, words
