"""Captures of HTTP/3: what tshark opens by the keys is read by a QPACK that is not ours."""

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import polars as pl
import pylsqpack
import pytest
from aioquic._buffer import Buffer

from . import tshark

STUDY = """
study: http3
duration: 20 s
measure: {drain: 20 s}
traffic: {round_trip: 100 B, every: 2 s}
path: {delay: 50 ms}
stacks:
  table: http/quic auth=jwt
  without tokens: http/quic auth=jwt index_authorization=off
  static: http/quic auth=jwt qpack_table=0B
  one a message: http/quic auth=jwt connection=per_message
repeat: 1
"""

DEVICE, SERVER = "device", "server"
HEADERS, CONTROL, ENCODER, DECODER = 1, 0, 2, 3
TABLE, BLOCKED = 4096, 16


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("http3")
    study = folder / "study.yaml"
    study.write_text(STUDY, encoding="utf-8")
    command = [sys.executable, "-c", "import sys; from lasthop.cli import main; sys.exit(main())"]
    command += ["run", str(study), "--out", str(folder / "out"), "--capture", "--keys"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "out"


def run_of(results: Path, stack: str) -> str:
    table = pl.read_parquet(results / "runs.parquet")
    return str(dict(table.select("stack", "run_id").iter_rows())[stack])


def streams(results: Path, run_id: str) -> dict[str, dict[int, bytes]]:
    """Give what each end has said by each stream, as tshark opens it at the device."""
    if tshark.PROGRAM is None:
        pytest.skip("tshark is missing; apt-get install tshark")
    capture = results / "captures" / f"{run_id}.device-0.pcapng"
    keys = results / "captures" / f"{run_id}.keys"
    arguments = [tshark.PROGRAM, "-n", "-r", str(capture), "-o", f"tls.keylog_file:{keys}"]
    fields = ["frame.packet_flags_direction", "quic.stream.stream_id", "quic.stream.offset"]
    fields += ["quic.stream_data", "quic.stream.length"]
    arguments += ["-T", "fields", *(word for field in fields for word in ("-e", field))]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    said: dict[str, dict[int, bytes]] = {DEVICE: defaultdict(bytes), SERVER: defaultdict(bytes)}
    for line in done.stdout.splitlines():
        direction, ids, _, data, *_ = line.split("\t")
        end = DEVICE if int(direction, 0) == 2 else SERVER
        parts = [bytes.fromhex(it) for it in data.split(",") if it]
        numbers = [int(it) for it in ids.split(",") if it]
        assert len(parts) == len(numbers), line
        for number, part in zip(numbers, parts, strict=True):
            said[end][number] += part
    return said


def channels(said: dict[int, bytes]) -> dict[int, bytes]:
    """Give the streams of one direction that an end has opened, by their types."""
    return {data[0]: data[1:] for number, data in said.items() if number & 2 and data}


def heads(stream: bytes) -> list[bytes]:
    buffer, sections = Buffer(data=stream), []
    while not buffer.eof():
        kind, length = buffer.pull_uint_var(), buffer.pull_uint_var()
        payload = buffer.pull_bytes(length)
        if kind == HEADERS:
            sections.append(payload)
    return sections


@pytest.mark.soak
@pytest.mark.parametrize("stack", ["table", "without tokens", "static"])
def test_another_qpack_reads_what_either_end_says(results: Path, stack: str) -> None:
    said = streams(results, run_of(results, stack))
    for end, wanted in ((DEVICE, b":path"), (SERVER, b":status")):
        mine = channels(said[end])
        assert CONTROL in mine
        assert (ENCODER in mine) == (stack != "static"), end
        decoder = pylsqpack.Decoder(TABLE, BLOCKED)
        decoder.feed_encoder(mine.get(ENCODER, b""))
        asked = {number: data for number, data in said[end].items() if not number & 2}
        assert len(asked) >= 10, end
        sizes = []
        for number, data in sorted(asked.items()):
            (section,) = heads(data)
            _, fields = decoder.feed_header(number, section)
            names = dict(fields)
            assert wanted in names, (end, fields)
            if end == DEVICE:
                assert names[b":authority"]
                assert names[b"authorization"].startswith(b"Bearer ")
            sizes.append(len(section))
        if end == DEVICE:
            # A token has 199 bytes, and a field that was indexed one.
            assert sizes[0] > 150
            assert (sizes[-1] < 20) == (stack == "table"), (stack, sizes)


def test_each_message_has_a_connection_where_it_is_wanted(results: Path) -> None:
    table = pl.read_parquet(results / "runs.parquet")
    delivered = dict(table.select("stack", "messages_delivered").iter_rows())
    assert delivered["one a message"] == delivered["table"] > 0
    said = streams(results, run_of(results, "one a message"))
    # One control stream of each connection, all of the same number.
    (control,) = (data for number, data in said[DEVICE].items() if number & 2)
    assert control.count(control[:8]) >= 10


def test_every_byte_is_in_the_ledger_and_tokens_are_told_apart(results: Path) -> None:
    ledger = pl.read_parquet(results / "ledger.parquet")
    sums = {}
    for stack in ("table", "without tokens", "static"):
        run_id = run_of(results, stack)
        of_run = ledger.filter(pl.col("run_id") == run_id)
        rows = of_run.filter((pl.col("direction") == "up") & (pl.col("fate") == "offered"))
        frames = tshark.read_all({"device-0": results / "captures" / f"{run_id}.device-0.pcapng"})
        assert int(rows["bytes"].sum()) == sum(it.length for it in frames if it.is_outbound), stack
        assert "opaque" not in set(of_run["cause"])
        tokens = rows.filter(pl.col("cause") == "authorisation")
        sums[stack] = int(tokens["bytes"].sum())
    assert sums["static"] == sums["without tokens"]
    assert sums["table"] * 3 < sums["static"]
