"""A closed loop: each message follows a pause after the last one has ended."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import lasthop

STUDY = """\
study: pauses
duration: 10 s
measure: {warm_up: 0 s, drain: 1 min, overload: allow}
devices: 1
path: {delay: 100 ms}
traffic: {round_trip: 100 B, pause: 1 s, give_up: 3 s}
stacks: [raw_udp]
repeat: 1
"""
SERVER = """\
study: pauses
duration: 30 s
measure: {warm_up: 0 s, drain: 1 min, overload: allow}
paths: {wlan: {delay: 0 s}}
servers:
  worker:
    device: {profile: raspberry_pi_zero, reading: all, answers_first: off, message: 100 ms, byte: 0 s, watchdog: off, frame_time: 0 s}
fleet:
  clients: {count: 1, path: wlan, server: worker}
traffic:
  ask: {from: clients, report: 40 B, pause: 1 s}
stacks: [coap type=con]
repeat: 1
"""  # noqa: E501


def sent(text: str, folder: Path, **changed: str) -> pl.DataFrame:
    """Run a study; give its messages in the order in which they were due, in s."""
    study = folder / "study.yaml"
    study.write_text(text, encoding="utf-8")
    results = lasthop.run(study, out=folder / "results", set=named(changed))
    assert set(results.runs["status"]) == {"completed"}
    messages = results.messages.with_columns(due=pl.col("intended_ns") / 1e9)
    return messages.sort("device", "due")


def named(changed: Mapping[str, str]) -> dict[str, str]:
    return {key.replace("__", "."): value for key, value in changed.items()}


def due(text: str, folder: Path, **changed: str) -> list[float]:
    """Give when messages were due, from the first on, in s."""
    times = sent(text, folder, **changed)["due"].to_list()
    return [round(time - times[0], 6) for time in times]


def test_the_next_message_leaves_a_pause_after_the_answer(tmp_path: Path) -> None:
    # 100 ms there, 100 ms back, 1 s: a message in 1.2 s.
    assert due(STUDY, tmp_path) == [round(1.2 * n, 6) for n in range(9)]


@pytest.mark.parametrize("stack", ["raw_udp ack=on", "mqtt qos=1", "coap type=con", "http"])
def test_a_report_ends_with_its_acknowledgement(stack: str, tmp_path: Path) -> None:
    text = STUDY.replace("round_trip", "report")
    assert due(text, tmp_path, stacks=f"[{stack}]")[:4] == [0, 1.2, 2.4, 3.6]


def test_so_many_messages_are_enough(tmp_path: Path) -> None:
    messages = sent(STUDY, tmp_path, traffic__messages="5")
    assert len(messages) == 5
    assert set(messages["status"]) == {"delivered"}


def test_an_answer_that_never_comes_is_given_up(tmp_path: Path) -> None:
    # The third leaves at 2.4 s, into the outage. It is given up at 5.4 s, and the fourth leaves
    # at 6.4 s.
    events = "[{start: 2 s, outage: path, for: 4 s}]"
    messages = sent(STUDY, tmp_path, events=events)
    first = messages["due"][0]
    assert [round(it - first, 6) for it in messages["due"]] == [0, 1.2, 2.4, 6.4, 7.6, 8.8]
    lost = messages.filter(pl.col("delivered_ns").is_null())
    assert [round(it - first, 6) for it in lost["due"]] == [2.4]


def test_an_answer_after_the_time_to_give_up_moves_nothing(tmp_path: Path) -> None:
    # An answer takes 4 s, one is given up after 3 s: 0, 4, 8 s, and all arrive.
    messages = sent(STUDY, tmp_path, path__delay="2 s")
    first = messages["due"][0]
    assert [round(it - first, 6) for it in messages["due"]] == [0, 4, 8]
    assert messages["delivered_ns"].null_count() == 0


def test_a_message_that_fails_ends(tmp_path: Path) -> None:
    # Of CoAP: the request at 2.4 s is sent again once, 2 to 3 s later, and fails after 2 to 3
    # times 3 s, in the outage. The next follows 1 s later, long before the 90 s are over.
    text = STUDY.replace("round_trip", "report").replace("give_up: 3 s", "give_up: 90 s")
    events = "[{start: 2 s, outage: path, for: 28 s}]"
    stacks = "[coap type=con max_retransmit=1 ack_random_factor=1]"
    times = due(text, tmp_path, events=events, stacks=stacks, duration="20 s")
    # ACK_TIMEOUT 2 s, then 4 s: 6 s, and the pause.
    assert times[:5] == [0, 1.2, 2.4, 9.4, 16.4]


@pytest.mark.parametrize("loss", ["0 %", "30 %"])
@pytest.mark.parametrize("clients", [1, 2, 20])
def test_clients_wait_each_for_itself(clients: int, loss: str, tmp_path: Path) -> None:
    messages = sent(STUDY, tmp_path, devices=str(clients), path__loss=loss, duration="1 min")
    assert messages["device"].n_unique() == clients
    for _, of_device in messages.group_by("device"):
        rows = of_device.sort("due").rows(named=True)
        for before, after in pairwise(rows):
            gap = after["due"] - before["due"]
            # Answered after 200 ms, or given up after 3 s; the pause follows.
            assert round(gap, 6) == (4 if before["delivered_ns"] is None else 1.2)
    lost = messages["delivered_ns"].null_count()
    assert (lost > 0) == (loss != "0 %")


@pytest.mark.parametrize(("clients", "a_round"), [(1, 1.1), (2, 1.1), (20, 2.0)])
def test_a_server_that_works_slows_its_clients_down(
    clients: int, a_round: float, tmp_path: Path
) -> None:
    """One client: 100 ms of work and 1 s of pause. Twenty clients: 20 times 100 ms of work."""
    messages = sent(SERVER, tmp_path, fleet__clients__count=str(clients))
    assert messages["delivered_ns"].null_count() == 0
    for _, of_device in messages.group_by("device"):
        times = of_device.sort("due")["due"].to_list()[5:]
        gaps = {round(after - before, 3) for before, after in pairwise(times)}
        assert gaps == {a_round}


def test_a_device_that_was_off_asks_again_at_once(tmp_path: Path) -> None:
    # Off from 2.5 s on, with a message under way that nobody waits for any more.
    text = STUDY.replace("devices: 1\n", "").replace("path:", "paths:\n  path:")
    text = text.replace(
        "traffic: {round_trip: 100 B,",
        "servers: {server: {}}\n"
        "fleet: {devices: {count: 1, path: path, server: server}}\n"
        "traffic:\n  ask: {from: devices, round_trip: 100 B,",
    )
    events = "[{start: 2.5 s, power_cut: devices, for: 3 s, spread: 0 s}]"
    messages = sent(text, tmp_path, events=events, duration="20 s")
    first = messages["due"][0]
    times = [round(it - first, 6) for it in messages["due"]]
    assert times[:3] == [0, 1.2, 2.4]
    assert messages["status"][2] == "failed"
    # Its power is back at 5.5 s.
    assert times[3] == 5.5
    gaps = [round(after - before, 6) for before, after in pairwise(times[3:])]
    assert len(gaps) >= 3
    assert set(gaps) == {1.2}
