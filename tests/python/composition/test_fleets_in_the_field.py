"""Small studies of fleets that have failed in the field, with the right values."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

from .composition import Composition, outcome_of

TWO_METERS = """study: two-meters
duration: 6 h
devices: DEVICES
traffic: {report: 60 B, every: 1 h}
path: {nbiot: {coupling_loss: 144 dB}}
stacks: [coap/dtls dtls.cid=8B, coap/dtls, raw_udp/dtls dtls.cid=8B ack=on]
repeat: 1
"""

NEW_ADDRESSES = """study: new-addresses
duration: 10 min
measure: {drain: 5 min, overload: allow}
fleet: {sensor: {count: 1, path: cellular, server: cloud}}
servers: {cloud: {}}
paths: {cellular: {delay: 40 ms, rate: 1 Mbit/s, nat: {udp: 2 min}}}
traffic: {reading: {from: sensor, report: 200 B, every: 10 s}}
events: [{start: 61 s, new_address: sensor}, {start: 181 s, new_address: sensor}]
stacks:
  cid: coap/dtls dtls.cid=4B
  certificate: coap/dtls dtls.auth=certificate
  resumed: coap/dtls dtls.resume=session_id
  raw: raw_udp/dtls ack=on
  silent: coap/dtls dtls.unanswered=nothing
repeat: 1
"""


def _delivered(text: str, folder: Path) -> Mapping[str, float]:
    study = folder / "study.yaml"
    study.write_text(text, encoding="utf-8")
    runs = carry_out(Plan(load_study(study)), out=folder / "results", jobs=1).results.runs
    return dict(runs.select("stack", "delivery_ratio").iter_rows())


@pytest.mark.parametrize("devices", [1, 2, 20])
def test_a_session_at_rest_is_there_when_its_meter_wakes(devices: int, tmp_path: Path) -> None:
    delivered = _delivered(TWO_METERS.replace("DEVICES", str(devices)), tmp_path)
    assert set(delivered.values()) == {1.0}


def test_a_client_that_lost_its_session_makes_a_new_one(tmp_path: Path) -> None:
    delivered = _delivered(NEW_ADDRESSES, tmp_path)
    assert delivered["cid"] == 1.0
    # Two messages find out; those that queue behind them arrive by the new session.
    assert delivered["certificate"] == delivered["resumed"] == 58 / 60
    # Without a queue, all that leave within the time of an exchange are lost.
    assert delivered["raw"] > 0.6
    assert delivered["silent"] < 0.2


@pytest.mark.parametrize("interval_s", [70.0, 100.0, 130.0])
@pytest.mark.parametrize("stack", ["http/quic", "http/tls version=2", "http/tls"])
def test_a_message_does_not_wait_for_a_connection_that_closes(
    stack: str, interval_s: float, tmp_path: Path
) -> None:
    composition = Composition(stack, "wan", 3, "report", 100, interval_s)
    assert outcome_of(composition, tmp_path).delivered == 1.0


@pytest.mark.parametrize("kind", ["command", "round_trip"])
def test_all_devices_of_a_server_of_dds_hear_it(kind: str, tmp_path: Path) -> None:
    assert outcome_of(Composition("dds", "lan", 20, kind, 100, 40.0), tmp_path).delivered == 1.0


@pytest.mark.parametrize("stack", ["coap", "coap type=non", "coap push=observe"])
def test_a_server_of_coap_that_restarts_answers_who_goes_on(stack: str, tmp_path: Path) -> None:
    composition = Composition(stack, "wan", 3, "round_trip", 100, 400.0, event="server restarts")
    assert outcome_of(composition, tmp_path).delivered == 1.0
