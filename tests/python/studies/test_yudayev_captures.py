"""The third column of Yudayev 2019: the committed tables say what the author's captures say."""

import csv
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from lasthop.study import load_study
from lasthop.study.figures import PaperFigures

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "studies" / "yudayev-2019"
SHARED = ROOT.parent / "shared" / "reference" / "yudayev-2019" / "captures"


@pytest.fixture(scope="module")
def captures() -> ModuleType:
    """Load the program that derives the tables."""
    spec = importlib.util.spec_from_file_location("captures", FOLDER / "captures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_tables_are_those_of_the_captures(captures: ModuleType) -> None:
    absent = [name for name in captures.CAPTURES if not (SHARED / f"{name}.pcap").is_file()]
    if absent:
        pytest.skip(f"../shared/reference/yudayev-2019/captures has no {', '.join(absent)}")
    for path, text in captures.tables(SHARED).items():
        assert path.read_text(encoding="utf-8") == text, path.name


def test_no_capture_is_part_of_the_project() -> None:
    assert not [path.name for path in FOLDER.iterdir() if "pcap" in path.suffix]


def test_every_byte_of_a_capture_has_its_cause(captures: ModuleType) -> None:
    ledger = rows("captures-ledger.csv")
    for row in rows("captures.csv"):
        of_capture = [it for it in ledger if it["capture"] == row["capture"]]
        assert sum(int(it["bytes"]) for it in of_capture) == int(row["ip_bytes"])
        ip_header = sum(int(it["bytes"]) for it in of_capture if it["layer"] == "ip")
        assert ip_header == 20 * int(row["packets"])
    assert {it["capture"] for it in ledger} == {f"{name}.pcap" for name in captures.CAPTURES}


WHERE = {
    "bytes_in_10_ms": ("figure 14", "figure 20", "Throughput mean"),
    "retransmissions": ("figure 16", "figure 22", "No. retransmission"),
    "lost_percent": ("figure 19", "Packet loss, embedded device"),
    "round_trip": ("figure 15", "figure 21", "Roundtrip time mean"),
    "offline_s": ("Embedded device offline",),
}
NAMES = {"qos 0": "MQTT QoS 0", "qos 1": "MQTT QoS 1", "qos 2": "MQTT QoS 2"}
NAMES |= {"coap": "CoAP", "http": "HTTP"}


def derived(row: dict[str, str]) -> dict[str, float]:
    """Give what the figures show of a capture."""
    again = ("retransmissions_tcp", "retransmissions_application")
    is_mqtt = row["stack"].startswith("qos")
    values = {name: row[name] for name in ("bytes_in_10_ms", "lost_percent", "offline_s")}
    values["round_trip"] = row["acknowledged_ms" if is_mqtt else "conversation_ms"]
    values["retransmissions"] = str(sum(int(row[name]) for name in again))
    return {name: float(value) for name, value in values.items() if value}


def test_the_figures_show_what_the_table_has() -> None:
    figures = load_study(FOLDER / "study.yaml").figures
    assert figures is not None
    shown = {
        column.title if figure.is_table else figure.number: column.captured
        for figure in figures.figures
        for column in figure.columns
    }
    expected: dict[str, dict[str, dict[float | None, float]]] = {}
    for row in rows("captures.csv"):
        stack, clients = NAMES[row["stack"]], int(row["clients"])
        for name, value in derived(row).items():
            for where in WHERE[name]:
                if not where.startswith("figure"):
                    legend = f"{stack}, {clients} client{'s' if clients > 1 else ''}"
                    expected.setdefault(where, {})[legend] = {None: value}
                elif stack in legends(figures, where):
                    expected.setdefault(where, {}).setdefault(stack, {})[clients] = value
    plain = {
        where: {
            legend: {position: told.value for position, told in places.items()}
            for legend, places in values.items()
        }
        for where, values in shown.items()
        if values
    }
    assert plain == expected


def legends(figures: PaperFigures, number: str) -> list[str]:
    return [arm.legend for one in figures.figures if one.number == number for arm in one.arms]


def tcp(  # noqa: PLR0913  (a field each)
    captures: ModuleType,
    data: bytes,
    *,
    at_s: int,
    sequence: int,
    is_up: bool,
    acknowledged: int = 0,
) -> object:
    return captures.Packet(
        at_ns=at_s * 10**9,
        is_up=is_up,
        protocol=captures.TCP,
        port=50_000,
        ip_bytes=40 + len(data),
        sequence=sequence,
        acknowledged=acknowledged,
        flags=16,
        data=data,
    )


def publish(packet_id: int) -> bytes:
    body = b"\x00\x01t" + packet_id.to_bytes(2) + b"MQTT client #3 send message 9\x00"
    return bytes([0x32, len(body)]) + body


def test_messages_behind_another_and_without_acknowledgement_are_counted(
    captures: ModuleType,
) -> None:
    # By hand: one segment with three messages, the last cut in half; its rest comes 1 s later, and
    # is sent again. The device acknowledges the first after 2 s and the third after 4 s.
    three = publish(1) + publish(2) + publish(3)
    cut = len(three) - 5
    packets = [
        tcp(captures, three[:cut], at_s=0, sequence=100, is_up=False),
        tcp(captures, three[cut:], at_s=1, sequence=100 + cut, is_up=False),
        tcp(captures, three[cut:], at_s=1, sequence=100 + cut, is_up=False),
        tcp(captures, b"\x40\x02\x00\x01", at_s=2, sequence=7, is_up=True),
        tcp(captures, b"\x40\x02\x00\x03", at_s=4, sequence=11, is_up=True),
    ]
    found = captures.of_mqtt(packets, 1)
    assert found == {
        "messages": 3,
        "messages_of_a_client": 3,
        "lost": 1,
        "behind_another": 2,
        "most_under_way": 3,
        "conversation_ms": 3000.0,
        "resets_by_broker": 0,
        "offline_s": 0.0,
    }
    assert captures.of_mqtt(packets, 0)["lost"] == 2


def test_idle_times_and_rates_are_those_of_hand_arithmetic(captures: ModuleType) -> None:
    # 3 packets of 40 + 14 B in 2 s: 201 intervals of 10 ms, two of them busy.
    packets = [
        tcp(captures, b"", at_s=0, sequence=1, is_up=True),
        tcp(captures, b"", at_s=0, sequence=1, is_up=False),
        tcp(captures, b"", at_s=2, sequence=1, is_up=True),
    ]
    found = captures.on_the_wire(packets, 1)
    assert found["bytes_in_10_ms"] == 3 * 54 / 201
    assert found["bytes_in_busy_10_ms"] == 3 * 54 / 2
    assert found["busy_10_ms_percent"] == 200 / 201
    assert found["device_packet_interval_ms"] == 1000
    assert (found["longest_silence_s"], found["longest_silence_of_device_s"]) == (2, 2)


def test_an_acknowledgement_counts_once_for_each_segment_that_it_covers(
    captures: ModuleType,
) -> None:
    # Two segments, at 0 and 1 s; the first is sent again at 2 s; one acknowledgement at 3 s.
    packets = [
        tcp(captures, b"12345", at_s=0, sequence=1, is_up=False),
        tcp(captures, b"678", at_s=1, sequence=6, is_up=False),
        tcp(captures, b"12345", at_s=2, sequence=1, is_up=False),
        tcp(captures, b"", at_s=3, sequence=1, is_up=True, acknowledged=9),
        tcp(captures, b"", at_s=9, sequence=1, is_up=True, acknowledged=9),
    ]
    assert captures.until_acknowledged(packets) == 2500


def datagram(captures: ModuleType, at_ms: int, data: bytes, *, is_up: bool) -> object:
    return captures.Packet(
        at_ns=at_ms * 10**6,
        is_up=is_up,
        protocol=17,
        port=40_000,
        ip_bytes=28 + len(data),
        sequence=0,
        acknowledged=0,
        flags=0,
        data=data,
    )


def test_a_port_that_is_used_again_has_a_request_of_its_own(captures: ModuleType) -> None:
    # A request that is sent again and answered after 100 + 5 ms, then one of the same port that
    # has no answer.
    get, other = b"\x40\x01\x00\x01", b"\x40\x01\x00\x02"
    packets = [
        datagram(captures, 0, get, is_up=False),
        datagram(captures, 50, get, is_up=False),
        datagram(captures, 100, b"\x60\x00\x00\x01", is_up=True),
        datagram(captures, 105, b"\x40\x45\x12\x34", is_up=True),
        datagram(captures, 106, b"\x60\x00\x12\x34", is_up=False),
        datagram(captures, 2000, other, is_up=False),
    ]
    assert captures.of_coap(packets) == {
        "messages": 2,
        "lost": 1,
        "conversation_ms": 105,
        "first_reply_median_ms": 100,
        "answer_median_ms": 5,
    }
