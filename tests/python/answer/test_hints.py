"""Each hint is given by a study that needs it, once, and not by one that does not."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import lasthop
from lasthop.answer.hints import HINTS, hints
from lasthop.outcome.short_answer import short_answer

COMMANDS = "duration: 30 min\ntraffic: {command: 40 B, every: 5 min}\n"
REPORTS = "duration: 30 min\ntraffic: {report: 40 B, every: 5 min}\n"
NAT = "path: {delay: 50 ms, nat: {udp: 1 min, tcp: 2 min}}\n"


@dataclass(frozen=True)
class Case:
    """A study that gives a hint, what replaces what in one that does not, and the sentence."""

    study: str
    replaced: tuple[str, str]
    said: str


CASES = {
    "nat_drops": Case(
        f"{COMMANDS}{NAT}stacks: [coap]\n",
        ("udp: 1 min", "udp: 10 min"),
        "the NAT dropped 30 packets of coap, because it forgets a silent device after 1 min; let "
        "devices send more often (every), or take a contract with a longer nat timeout",
    ),
    "keep_alive": Case(
        f"{COMMANDS}{NAT}stacks: [mqtt keep_alive=10min]\n",
        ("keep_alive=10min", "keep_alive=96s"),
        "the keep-alive of mqtt keep_alive=10min is 10 min, but the NAT forgets a silent device "
        "after 2 min; write keep_alive=96s",
    ),
    "connection_id": Case(
        f"{REPORTS}{NAT}stacks: [coap/dtls]\n",
        ("coap/dtls", "coap/dtls dtls.cid=8B"),
        "coap/dtls lost 6 messages: after 1 min of silence the NAT gives the device another port, "
        "where the server does not know its session; write dtls.cid=8B",
    ),
    "path_mtu": Case(
        "duration: 10 min\ntraffic: {report: 1400 B, every: 1 min}\n"
        "path: [{delay: 10 ms}, {delay: 30 ms, mtu: 1200 B}, {delay: 1 ms}]\n"
        "stacks: [mqtt tcp.path_mtu=unknown]\n",
        ("unknown", "probing"),
        "the path dropped 73 packets of mqtt tcp.path_mtu=unknown that were larger than its MTU; "
        "write tcp.path_mtu=probing",
    ),
    "ack_timeout": Case(
        "duration: 30 min\ntraffic: {report: 100 B, every: 1 min}\npath: {delay: 4 s}\n"
        "stacks: [coap ack_timeout=2s]\n",
        ("ack_timeout=2s", "ack_timeout=9s"),
        "a message takes 4 s in the middle, and ack_timeout is 2 s; write ack_timeout=9s",
    ),
    "path_probes": Case(
        "duration: 2 h\ntraffic: {report: 60 B, every: 1 h}\n"
        "path: [{delay: 60 ms}, {nat: {udp: 30 s}}]\nstacks: [mqtt/quic keep_alive=5min]\n",
        ("keep_alive=5min", "keep_alive=24s"),
        "of the bytes of mqtt/quic keep_alive=5min are probes of QUIC, which checks the path "
        "whenever the NAT gives the device another port; write a keep_alive below the NAT's "
        "timeout of 30 s, or use a stack over TCP",
    ),
    "synchronised": Case(
        "duration: 10 min\ndevices: 11\ntraffic: {report: 100 B, every: 1 min, at: 0 s}\n"
        "stacks: [raw_udp]\n",
        ("at: 0 s", "spread: 1 min"),
        "all 11 devices of traffic send at the same moment, which operators forbid; write "
        '"spread: 15 min" in this flow',
    ),
    "without_effect": Case(
        "duration: 2 min\nmeasure: {drain: 1 min, set_up: 1 min}\n"
        "traffic: {report: 100 B, every: 5 s}\nstacks: [mqtt keep_alive=20min]\n",
        ("keep_alive=20min", "keep_alive=20s"),
        "keep_alive",
    ),
}

Given = Callable[[str], tuple[str, ...]]


@pytest.fixture
def given(tmp_path: Path) -> Given:
    """Run a study and give the hints of its page."""

    def run(text: str) -> tuple[str, ...]:
        (tmp_path / "study.yaml").write_text(f"study: hints\n{text}repeat: 1\n", encoding="utf-8")
        results = lasthop.run(
            tmp_path / "study.yaml", out=tmp_path / f"results-{len(text)}", jobs=1
        )
        return hints([results.path], results.manifest.study, on_page=True)

    return run


def test_each_hint_has_a_study_that_gives_it() -> None:
    assert set(CASES) == {hint.name for hint in HINTS}


@pytest.mark.parametrize("name", CASES)
def test_a_hint_is_given_once_where_it_is_needed(name: str, given: Given) -> None:
    case = CASES[name]
    assert [case.said in said for said in given(case.study)].count(True) == 1


@pytest.mark.parametrize("name", CASES)
def test_a_hint_is_not_given_where_its_setting_is_followed(name: str, given: Given) -> None:
    before, after = CASES[name].replaced
    assert before in CASES[name].study
    followed = given(CASES[name].study.replace(before, after))
    assert followed == ()


def test_messages_that_a_lossy_path_makes_late_are_no_fault_of_a_timeout(given: Given) -> None:
    lossy = (
        "duration: 30 min\ntraffic: {report: 100 B, every: 1 min}\n"
        "path: {delay: 1 s, loss: 60 %}\nstacks: [coap]\n"
    )
    assert given(lossy) == ()


def test_ten_devices_at_one_moment_are_few_and_devices_count_by_their_weight(given: Given) -> None:
    few = CASES["synchronised"].study.replace("devices: 11", "devices: 10")
    assert given(few) == ()
    fleet = (
        "duration: 10 min\nfleet: {meters: {count: 80000, simulate: 2}}\n"
        "traffic: {index: {from: meters, report: 100 B, every: 1 min, at: 0 s}}\n"
        "stacks: [raw_udp]\n"
    )
    (said,) = given(fleet)
    assert said.startswith("all 80,000 devices of index send at the same moment")


def test_what_is_printed_before_the_runs_is_not_in_the_answer_again(tmp_path: Path) -> None:
    text = f"study: hints\n{CASES['without_effect'].study}repeat: 1\n"
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    results = lasthop.run(tmp_path / "study.yaml", out=tmp_path / "results", jobs=1)
    assert short_answer(results).hints == ()
    assert "Hint: " in results.report().read_text(encoding="utf-8")


def test_each_point_of_a_sweep_may_give_its_own_hint(given: Given) -> None:
    swept = CASES["keep_alive"].study.replace("tcp: 2 min", "tcp: 1 h") + (
        "sweep: [{name: nat, path.nat.tcp: [1 min, 2 min, 1 h]}]\n"
    )
    said = given(swept)
    assert ["after 1 min" in one for one in said] == [True, False]
