"""Our HTTP client in a study on servers of others, quic-go and Caddy."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from lasthop.adapters import Bindings
from lasthop.outcome.results import Results
from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

FOLDER = Path(__file__).parent
Needs = Callable[..., None]
MESSAGES = 8
ROUND_TRIP_MS = 60


def _run(stacks: list[str], bound: str, out: Path) -> Results:
    overrides = {
        "stacks": f"[{', '.join(stacks)}]",
        "duration": f"{MESSAGES * 250} ms",
        "measure.warm_up": "0 s",
    }
    study = load_study(FOLDER / "mosquitto.yaml", overrides=list(overrides.items()))
    results = carry_out(Plan(study), out=out, bindings=Bindings.read([bound]), jobs=2).results
    runs = results.runs
    assert runs["status"].to_list() == ["completed"] * len(stacks), runs["reason"].to_list()
    assert runs["delivery_ratio"].to_list() == [1.0] * len(stacks)
    return results


@pytest.fixture
def build(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that builds a program in Go beside this file."""

    def built(name: str) -> Path:
        if (go := shutil.which("go")) is None:
            pytest.skip("go is missing; scripts/soak installs it")
        program = tmp_path / name
        command = [go, "build", "-trimpath", "-mod=readonly", "-o", str(program), "."]
        subprocess.run(command, cwd=FOLDER / name, check=True)
        return program

    return built


@pytest.mark.soak
def test_quic_go_answers_our_client_by_http_3(
    needs: Needs, build: Callable[[str], Path], tmp_path: Path
) -> None:
    needs()
    program = build("http3_server")
    stacks = [
        "http/quic impl=mine",
        "http/quic impl=mine qpack_table=0B",
        "http/quic impl=mine connection=per_message",
        "http/quic impl=mine connection=per_message quic.resume=ticket quic.early_data=on",
    ]
    bound = f"mine={program} {{host}}:{{port}} {{certificate}} {{key}}"
    results = _run(stacks, bound, tmp_path / "out")
    runs = results.runs
    kept, anew = runs["latency_p50_ms"][0], runs["latency_p50_ms"][2]
    assert ROUND_TRIP_MS <= kept < 2 * ROUND_TRIP_MS <= anew
    for run_id in runs["run_id"]:
        (log,) = (results.path / "logs").glob(f"{run_id}-*.log")
        asked = [line for line in log.read_text().splitlines() if line.startswith("HTTP/3.0 POST")]
        assert len(asked) == MESSAGES


@pytest.mark.soak
@pytest.mark.parametrize(
    ("layers", "stacks"),
    [
        ("quic", ["http/quic impl=mine", "http/quic impl=mine qpack_table=0B"]),
        ("tls", ["http/tls impl=mine", "http/tls version=2 impl=mine"]),
    ],
)
def test_caddy_answers_our_client_by_every_version(
    layers: str, stacks: list[str], needs: Needs, build: Callable[[str], Path], tmp_path: Path
) -> None:
    needs()
    bound = f"mine={build('caddy')} echo {{host}}:{{port}} {{certificate}} {{key}}"
    stacks = [*stacks, f"http/{layers} impl=mine connection=per_message"]
    results = _run(stacks, bound, tmp_path / "out")
    runs = results.runs
    kept, anew = runs["latency_p50_ms"][0], runs["latency_p50_ms"][2]
    assert ROUND_TRIP_MS <= kept < 2 * ROUND_TRIP_MS <= anew
    versions = {"quic": ["3.0"] * 3, "tls": ["1.1", "2.0", "1.1"]}[layers]
    for run_id, version in zip(runs["run_id"], versions, strict=True):
        (log,) = (results.path / "logs").glob(f"{run_id}-*.log")
        lines = [json.loads(line) for line in log.read_text().splitlines() if "handled" in line]
        asked = [(it["request"]["proto"], it["status"], it["bytes_read"]) for it in lines]
        assert asked == [(f"HTTP/{version}", 200, 100)] * MESSAGES
