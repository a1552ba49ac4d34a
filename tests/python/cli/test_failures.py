"""What is missing is told with its reason: on the terminal, in the report, for every path."""

import re
from pathlib import Path

import pytest

from lasthop.answer.failure_words import WHY_MESSAGES_FAIL, WHY_PACKETS_ARE_DROPPED

from .conftest import Lasthop

LEDGER_WORDS = Path(__file__).parents[3] / "docs/reference/ledger-words.md"

HEAD = "study: missing\nduration: 1 min\nrepeat: 2\n"
NEED = 'decide: {require: ["delivery_ratio >= 99 %"], minimise: latency_p95}\n'

CASES = {
    "a message that fits into no packet": (
        # A block more surely too large is refused before the run.
        HEAD + NEED + "traffic: {report: 560 B, every: 10 s}\npath: {mtu: 593 B}\n"
        "stacks: [coap ack_timeout=500ms max_retransmit=1]\n",
        [
            "ran out; the path dropped 24 packets: larger than the MTU of the path",
        ],
    ),
    "a NAT with too few ports": (
        HEAD
        + NEED
        + "fleet: {sensors: {count: 3}}\n"
        + "traffic: {state: {from: sensors, report: 20 B, every: 10 s}}\n"
        + "paths: {home: [{scope: all, nat: {udp: 2 min, tcp: 1 h, ports: 1}}]}\n"
        + "stacks: [raw_udp, mqtt]\n",
        [
            "missing  raw_udp: 24 of 36 messages did not arrive: the NAT had no port left",
            "missing  mqtt: no session came about within measure.set_up in 2 of 2 runs",
        ],
    ),
    "an expectation": (
        HEAD + "traffic: {report: 20 B, every: 1 s}\npath: {loss: 50 %}\nstacks: [raw_udp]\n"
        'expect: ["delivery_ratio >= 99 %"]\n',
        ["messages did not arrive: lost on the path"],
    ),
    "what the run ended before": (
        HEAD + NEED + "measure: {drain: 0 s}\ntraffic: {report: 20 B, every: 10 s}\n"
        "path: {outages: [{start: 30 s, for: 30 s}]}\nstacks: [mqtt qos=1]\n",
        ["when the run ended"],
    ),
}


@pytest.mark.parametrize(("study", "said"), CASES.values(), ids=CASES.keys())
def test_who_delivers_less_than_is_asked_has_a_reason(
    lasthop: Lasthop, study: str, said: list[str]
) -> None:
    lasthop.write("study.yaml", study)
    done = lasthop("run", "study.yaml", "--jobs", "1")
    assert done.stderr == ""
    page = (lasthop.folder / "results/missing/report.html").read_text(encoding="utf-8")
    for words in said:
        assert words in done.stdout, done.stdout
        assert words.rpartition(": ")[2] in page


UNASKED = {
    "a device that sleeps": (
        (
            "study: missing\nduration: 1 h\nrepeat: 1\nfleet: {meter: {count: 2}}\n"
            "traffic: {ask: {to: meter, command: 60 B, every: 10 min}}\n"
            "paths: {radio: {nbiot: {coupling_loss: 144 dB}}}\nstacks: [raw_udp]\n"
        ),
        [
            "none of 12 messages arrived: the radio of their device was not reachable in time",
            "so that it can be reached",
        ],
    ),
    "less than 99 %, where nothing is asked": (
        HEAD + "traffic: {report: 20 B, every: 1 s}\npath: {loss: 5 %}\nstacks: [raw_udp]\n",
        ["messages did not arrive: lost on the path"],
    ),
}


@pytest.mark.parametrize(("study", "said"), UNASKED.values(), ids=UNASKED.keys())
def test_what_is_missing_has_a_reason_where_nothing_is_asked(
    lasthop: Lasthop, study: str, said: list[str]
) -> None:
    lasthop.write("study.yaml", study)
    done = lasthop("run", "study.yaml", "--no-report")
    for words in said:
        assert words in done.stdout, done.stdout


def test_who_delivers_what_is_asked_needs_none(lasthop: Lasthop) -> None:
    lasthop.write(
        "study.yaml",
        HEAD + NEED.replace("99", "10") + "traffic: {report: 20 B, every: 1 s}\n"
        "path: {loss: 50 %}\nstacks: [raw_udp]\n",
    )
    done = lasthop("run", "study.yaml", "--no-report")
    assert done.returncode == 0
    assert "missing" not in done.stdout.replace("results/missing", "")


def test_every_reason_of_the_tables_has_words() -> None:
    _, drops, discards, failures = (
        set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
        for table in re.split(r"^\| reason to \w+ \|", LEDGER_WORDS.read_text(), flags=re.MULTILINE)
    )
    assert drops == set(WHY_PACKETS_ARE_DROPPED)
    assert discards | failures <= set(WHY_MESSAGES_FAIL)
