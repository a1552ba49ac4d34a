"""Our HTTP client in a study on a server of others: quic-go by HTTP/3."""

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

from .conftest import skip

FOLDER = Path(__file__).parent
SOURCE = FOLDER / "http3_server"
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


@pytest.mark.soak
def test_quic_go_answers_our_client_by_http_3(needs: Needs, tmp_path: Path) -> None:
    needs()
    if (go := shutil.which("go")) is None:
        skip("go is missing; scripts/soak installs it")
    program = tmp_path / "http3_server"
    subprocess.run([go, "build", "-o", program, "."], cwd=SOURCE, check=True)
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
