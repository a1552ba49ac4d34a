"""Captures of DTLS: tshark reads with the keys of the run what is inside, and nothing without."""

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
measure: {{drain: 40 s}}
traffic: {{report: 100 B, every: 2 s}}
path: {{delay: 50 ms, loss: 5 %}}
stacks: [{}]
repeat: 1
"""

BY_KEYS = ("coap/dtls", "json_udp/dtls")
BY_CERTIFICATES = ("coap/dtls dtls.auth=certificate dtls.client_certificate=on",)


@pytest.fixture(scope="module", params=[BY_KEYS, BY_CERTIFICATES], ids=["keys", "certificates"])
def stacks(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Stacks whose ends show each other the same to be believed."""
    chosen: tuple[str, ...] = request.param
    return chosen


@pytest.fixture(scope="module")
def results(stacks: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("secured")
    study = folder / "study.yaml"
    study.write_text(STUDY.format(", ".join(stacks)), encoding="utf-8")
    command = [sys.executable, "-c", "import sys; from lasthop.cli import main; sys.exit(main())"]
    arguments = ("run", str(study), "--out", str(folder / "out"), "--capture", "--keys")
    done = subprocess.run([*command, *arguments], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "out"


def run_of(results: Path, stack: str) -> str:
    runs = pl.read_parquet(results / "runs.parquet").filter(pl.col("stack") == stack)
    return str(runs["run_id"][0])


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
def test_tshark_reads_coap_with_the_keys_and_not_without(
    results: Path, stacks: tuple[str, ...]
) -> None:
    captures = results / "captures"
    run_id = run_of(results, stacks[0])
    capture, keys = captures / f"{run_id}.device-0.pcapng", captures / f"{run_id}.keys"
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600
    sealed = seen(capture, None)
    assert sealed["dtls"] >= 20
    assert sealed["coap"] == 0
    # Ten reports, and their acknowledgements but for those that were lost.
    assert seen(capture, keys)["coap"] >= 15


def test_each_session_has_one_secret_in_the_file_and_nowhere_else(
    results: Path, stacks: tuple[str, ...]
) -> None:
    for stack in stacks:
        keys = results / "captures" / f"{run_of(results, stack)}.keys"
        lines = keys.read_text(encoding="utf-8").splitlines()
        assert lines
        assert {line.split()[0] for line in lines} == {"CLIENT_RANDOM"}
        # Both ends note it.
        assert len(set(lines)) == len(lines) / 2
        secrets = {bytes.fromhex(line.split()[2]) for line in lines}
        for file in (results / "captures").glob("*.pcapng"):
            content = file.read_bytes()
            assert not any(secret in content for secret in secrets)


def test_certificates_stand_in_the_ledger_and_with_keys_there_are_none(
    results: Path, stacks: tuple[str, ...]
) -> None:
    ledger = pl.read_parquet(results / "ledger.parquet").filter(pl.col("fate") == "offered")
    certificates = int(ledger.filter(pl.col("cause") == "certificates")["bytes"].sum())
    # Each of a P-256 key has some 0.4 kB, and none of them is sent again as one.
    low, high = (600, 1_000) if stacks == BY_CERTIFICATES else (0, 0)
    assert low <= certificates <= high
    # The cookie in a hello, and the message that asks for it.
    asked = ledger.filter((pl.col("layer") == "dtls") & (pl.col("cause") == "address_validation"))
    assert int(asked["bytes"].sum()) >= len(stacks) * (32 + 12 + 2 + 1 + 32)
