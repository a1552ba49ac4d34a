"""Captures of QUIC: the ledger of sealed bytes, and tshark with the keys of the run."""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import polars as pl
import pytest
from aioquic.quic.logger import QuicLoggerTrace
from aioquic.quic.packet import QuicStreamFrame
from aioquic.quic.rangeset import RangeSet

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


@pytest.mark.soak
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


def events(results: Path, run_id: str, host: str) -> list[dict[str, Any]]:
    """Give the events of a host; the record before them tells what they are."""
    text = (results / "captures" / f"{run_id}.{host}.sqlog").read_text(encoding="utf-8")
    before, head, *records = text.split("\x1e")
    assert before == ""
    assert json.loads(head)["qlog_format"] == "JSON-SEQ"
    return [json.loads(record) for record in records]


def packets(events: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [event["data"] for event in events if event["name"] == f"transport:packet_{name}"]


@dataclass(frozen=True, slots=True)
class Opened:
    """The packets that leave a host, or come, as tshark opens them."""

    numbers: Counter[int]
    bytes: int
    """Of the datagrams that hold them."""

    @classmethod
    def of(cls, capture: Path, *, is_sent: bool) -> Self:
        if tshark.PROGRAM is None:
            pytest.skip("tshark is missing; apt-get install tshark")
        keys = capture.with_name(f"{capture.name.split('.')[0]}.keys")
        arguments = [tshark.PROGRAM, "-n", "-r", str(capture), "-o", f"tls.keylog_file:{keys}"]
        fields = ("frame.packet_flags_direction", "quic.packet_number", "udp.length")
        arguments += ["-T", "fields", *(word for field in fields for word in ("-e", field))]
        done = subprocess.run(arguments, check=True, capture_output=True, text=True)
        rows = [line.split("\t") for line in done.stdout.splitlines()]
        rows = [row for row in rows if (int(row[0], 0) == 2) == is_sent]
        numbers = Counter(int(it) for row in rows for it in row[1].split(",") if it)
        return cls(numbers, sum(int(row[2]) - UDP_HEADER for row in rows))


UDP_HEADER = 8
FIRST_DATAGRAM = 1200


@pytest.mark.soak
@pytest.mark.parametrize("host", ["device-0", "server-0"])
@pytest.mark.parametrize("name", ["sent", "received"])
def test_qlog_tells_of_the_packets_that_tshark_opens(results: Path, host: str, name: str) -> None:
    for stack, run_id in runs(results).items():
        capture = results / "captures" / f"{run_id}.{host}.pcapng"
        opened = Opened.of(capture, is_sent=name == "sent")
        told = packets(events(results, run_id, host), name)
        headers = [packet["header"] for packet in told]
        numbers = Counter(it["packet_number"] for it in headers if it["packet_type"] != "retry")
        retries = [header for header in headers if header["packet_type"] == "retry"]
        is_asked = (host, name) in {("device-0", "received"), ("server-0", "sent")}
        assert len(retries) == ("retry=on" in stack and is_asked), stack
        assert all(it["token"]["raw"]["data"] for it in retries)
        size = sum(packet["raw"]["length"] for packet in told)
        missing = (opened.numbers - numbers, opened.bytes - size)
        # Of what a Retry answers nothing is opened but by tshark.
        is_unopened = "retry=on" in stack and (host, name) == ("server-0", "received")
        assert missing == ((Counter({0: 1}), FIRST_DATAGRAM) if is_unopened else (Counter(), 0)), (
            stack
        )
        assert numbers - opened.numbers == Counter(), stack


def of_aioquic() -> dict[str, dict[str, Any]]:
    """Give frames as another implementation writes them."""
    log = QuicLoggerTrace(is_client=True, odcid=b"")
    data = QuicStreamFrame(data=b"data", offset=1)
    written = [
        log.encode_ack_frame(RangeSet([range(2)]), 0.001),
        log.encode_crypto_frame(data),
        log.encode_stream_frame(data, 0),
        log.encode_handshake_done_frame(),
        log.encode_ping_frame(),
        log.encode_retire_connection_id_frame(1),
    ]
    return {frame["frame_type"]: frame for frame in written}


def test_qlog_is_written_as_aioquic_writes_it(results: Path) -> None:
    theirs, seen = of_aioquic(), set()
    for run_id in runs(results).values():
        told = events(results, run_id, "device-0")
        for packet in packets(told, "sent") + packets(told, "received"):
            for frame in packet["frames"]:
                known = theirs.get(frame["frame_type"])
                if known is not None:
                    assert {key: type(value) for key, value in frame.items()} == {
                        key: type(value) for key, value in known.items()
                    }
                seen.add(frame["frame_type"])
        lost = Counter(event["name"] for event in told)["recovery:packet_lost"]
        sent = packets(told, "sent")
        assert 0 <= lost < len(sent)
    assert set(theirs) <= seen


def test_qlog_comes_with_the_keys_alone(tmp_path: Path) -> None:
    study = tmp_path / "study.yaml"
    study.write_text(STUDY, encoding="utf-8")
    command = [sys.executable, "-c", "import sys; from lasthop.cli import main; sys.exit(main())"]
    command += ["run", str(study), "--out", str(tmp_path / "out"), "--capture"]
    subprocess.run(command, check=True, capture_output=True)
    kept = {file.suffix for file in (tmp_path / "out" / "captures").iterdir()}
    assert kept == {".pcapng"}
