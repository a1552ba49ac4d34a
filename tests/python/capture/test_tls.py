"""Captures of secured stacks: the ledger of sealed bytes, and tshark with the keys of the run."""

import json
import stat
import subprocess
import sys
from collections import Counter
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
  - mqtt/tls qos=1
  - mqtt/tls qos=1 tls.version=1.2 tls.chain=3
  - raw_tcp/tls tls.key=ed25519
repeat: 1
"""

KEY_LABELS = {
    "CLIENT_RANDOM",
    "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
    "SERVER_HANDSHAKE_TRAFFIC_SECRET",
    "CLIENT_TRAFFIC_SECRET_0",
    "SERVER_TRAFFIC_SECRET_0",
    "EXPORTER_SECRET",
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("secured")
    study = folder / "study.yaml"
    study.write_text(STUDY, encoding="utf-8")
    done = lasthop("run", str(study), "--out", str(folder / "out"), "--capture", "--keys")
    assert done.returncode == 0, done.stderr
    return folder / "out"


def lasthop(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", "import sys; from lasthop.cli import main; sys.exit(main())"]
    return subprocess.run([*command, *arguments], check=False, capture_output=True, text=True)


def stacks(results: Path) -> dict[str, str]:
    runs = pl.read_parquet(results / "runs.parquet")
    return dict(runs.select("stack", "run_id").iter_rows())


def seen(capture: Path, keys: Path | None) -> Counter[str]:
    """Protocols of the frames, as tshark reads them."""
    if tshark.PROGRAM is None:
        pytest.skip("tshark is missing; apt-get install tshark")
    arguments = [tshark.PROGRAM, "-n", "-r", str(capture), "-T", "fields", "-e", "frame.protocols"]
    if keys is not None:
        arguments += ["-o", f"tls.keylog_file:{keys}"]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    return Counter(layer for line in done.stdout.splitlines() for layer in line.split(":"))


@pytest.mark.soak
def test_tshark_reads_mqtt_with_the_keys_and_not_without(results: Path) -> None:
    for stack, run_id in stacks(results).items():
        if not stack.startswith("mqtt"):
            continue
        capture = results / "captures" / f"{run_id}.device-0.pcapng"
        keys = results / "captures" / f"{run_id}.keys"
        sealed = seen(capture, None)
        assert sealed["tls"] >= 20, stack
        assert sealed["mqtt"] == 0, stack
        # CONNECT, SUBSCRIBE, and ten round trips of PUBLISH and PUBACK each way.
        assert seen(capture, keys)["mqtt"] >= 20, stack


def test_keys_are_for_their_owner_and_of_the_run(results: Path) -> None:
    for run_id in stacks(results).values():
        keys = results / "captures" / f"{run_id}.keys"
        assert stat.S_IMODE(keys.stat().st_mode) == 0o600
        labels = {line.split()[0] for line in keys.read_text(encoding="utf-8").splitlines()}
        assert labels
        assert labels <= KEY_LABELS


def test_a_run_without_secrets_has_no_file_of_them(tmp_path: Path) -> None:
    study = tmp_path / "study.yaml"
    study.write_text(STUDY[: STUDY.index("stacks:")] + "stacks: [raw_udp]\nrepeat: 1\n")
    done = lasthop("run", str(study), "--out", str(tmp_path / "out"), "--capture", "--keys")
    assert done.returncode == 0, done.stderr
    kept = {file.suffix for file in (tmp_path / "out" / "captures").iterdir()}
    assert kept == {".pcapng"}


def test_no_secret_is_anywhere_else(results: Path) -> None:
    secrets = {
        bytes.fromhex(line.split()[2])
        for keys in (results / "captures").glob("*.keys")
        for line in keys.read_text(encoding="utf-8").splitlines()
    }
    assert len(secrets) > 5
    for file in results.rglob("*"):
        if file.is_file() and file.suffix != ".keys":
            content = file.read_bytes()
            for secret in secrets:
                assert secret not in content, file
                assert secret.hex().encode() not in content, file
            assert b"PRIVATE KEY" not in content, file
    manifest = json.loads((results / "manifest.json").read_text(encoding="utf-8"))
    assert "PRIVATE" not in json.dumps(manifest)


def test_the_ledger_sums_to_the_capture_and_tells_certificates_apart(results: Path) -> None:
    ledger = pl.read_parquet(results / "ledger.parquet")
    for stack, run_id in stacks(results).items():
        rows = ledger.filter((pl.col("run_id") == run_id) & (pl.col("direction") == "up"))
        offered = int(rows.filter(pl.col("fate") == "offered")["bytes"].sum())
        frames = tshark.read_all({"device-0": results / "captures" / f"{run_id}.device-0.pcapng"})
        assert offered == sum(frame.length for frame in frames if frame.is_outbound), stack
        down = ledger.filter(
            (pl.col("run_id") == run_id)
            & (pl.col("direction") == "down")
            & (pl.col("layer") == "tls")
        )
        causes = set(down["cause"])
        assert {"certificates", "session_set_up", "header"} <= causes, causes
        assert "opaque" not in set(ledger.filter(pl.col("run_id") == run_id)["cause"])


def test_keys_are_kept_with_packets_alone(tmp_path: Path) -> None:
    study = tmp_path / "study.yaml"
    study.write_text(STUDY, encoding="utf-8")
    done = lasthop("run", str(study), "--out", str(tmp_path / "out"), "--keys")
    assert done.returncode == 2
    assert "write --capture --keys" in done.stderr
    assert not (tmp_path / "out").exists()
