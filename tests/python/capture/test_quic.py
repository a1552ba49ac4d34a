"""Captures of QUIC: the ledger of sealed bytes, and tshark with the keys of the run."""

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from . import tshark

STUDY = """
study: secured
duration: 20 s
measure: {drain: 20 s}
traffic: {round_trip: 100 B, every: 2 s}
path: {delay: 50 ms, loss: 5 %}
stacks:
  - mqtt/quic qos=1
  - mqtt/quic qos=2 quic.retry=on quic.chain=3 quic.mtu_discovery=off
repeat: 1
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quic")
    study = folder / "study.yaml"
    study.write_text(STUDY, encoding="utf-8")
    command = [sys.executable, "-c", "import sys; from lasthop.cli import main; sys.exit(main())"]
    command += ["run", str(study), "--out", str(folder / "out"), "--capture", "--keys"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "out"


def runs(results: Path) -> dict[str, str]:
    table = pl.read_parquet(results / "runs.parquet")
    return dict(table.select("stack", "run_id").iter_rows())


def stream_data(capture: Path, keys: Path | None) -> list[bytes]:
    """Give what is in the STREAM frames, as tshark opens them."""
    if tshark.PROGRAM is None:
        pytest.skip("tshark is missing; apt-get install tshark")
    arguments = [tshark.PROGRAM, "-n", "-r", str(capture), "-T", "fields", "-e", "quic.stream_data"]
    if keys is not None:
        arguments += ["-o", f"tls.keylog_file:{keys}"]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    lines = (line for line in done.stdout.splitlines() if line)
    return [bytes.fromhex(frame) for line in lines for frame in line.split(",")]


CONNECT = b"\x00\x04MQTT\x04"


def test_tshark_reads_mqtt_with_the_keys_and_not_without(results: Path) -> None:
    for stack, run_id in runs(results).items():
        capture = results / "captures" / f"{run_id}.device-0.pcapng"
        assert stream_data(capture, None) == [], stack
        opened = stream_data(capture, results / "captures" / f"{run_id}.keys")
        assert any(CONNECT in frame for frame in opened), stack
        # Ten round trips of PUBLISH each way, which may share frames with what acknowledges them.
        published = [frame for frame in opened if len(frame) >= 100]
        assert len(published) >= 20, (stack, len(published))


def test_every_byte_is_in_the_ledger_and_none_is_opaque(results: Path) -> None:
    ledger = pl.read_parquet(results / "ledger.parquet")
    for stack, run_id in runs(results).items():
        of_run = ledger.filter(pl.col("run_id") == run_id)
        rows = of_run.filter((pl.col("direction") == "up") & (pl.col("fate") == "offered"))
        frames = tshark.read_all({"device-0": results / "captures" / f"{run_id}.device-0.pcapng"})
        assert int(rows["bytes"].sum()) == sum(it.length for it in frames if it.is_outbound), stack
        quic = set(of_run.filter(pl.col("layer") == "quic")["cause"])
        assert {"header", "acknowledgement", "padding", "session_set_up"} <= quic, stack
        assert ("path_probe" in quic) == ("mtu_discovery" not in stack), stack
        assert ("address_validation" in quic) == ("retry" in stack), stack
        tls = set(of_run.filter(pl.col("layer") == "tls")["cause"])
        assert tls == {"certificates", "session_set_up"}, stack
        assert "opaque" not in set(of_run["cause"])
