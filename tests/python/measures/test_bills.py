"""The bill of a SIM in a run: by device, stratum, group and fleet, by cause, and in the answer."""

import datetime as dt
from pathlib import Path

import polars as pl
import pytest

import lasthop
from lasthop import Results
from lasthop.answer.bills import bill_sentences, bills_of
from lasthop.answer.hints import hints
from lasthop.study.plan.tariffs import expired

MONTH_S = 2_629_800

FLEET = """\
study: fleet
duration: 2 h
measure: {drain: 1 min}
paths:
  near: {delay: 50 ms}
  deep: {delay: 80 ms}
servers: {head_end: {}}
fleet:
  many: {count: 9000, simulate: 3, path: near}
  few: {count: 20, simulate: 4, path: deep, tariff: {like: telnyx_us, price: 100 USD/MB}}
  free: {count: 3, path: near, tariff: {fee: 0 USD/year}}
traffic:
  short: {from: many, report: 50 B, every: 5 min}
  long: {from: few, report: 900 B, every: 10 min}
  other: {from: free, report: 10 B, every: 10 min}
tariff: {price: 1 USD/MB}
stacks: [raw_udp]
repeat: 2
"""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("fleet")
    (folder / "study.yaml").write_text(FLEET)
    return lasthop.run(folder / "study.yaml", out=folder / "results")


def test_a_group_is_billed_what_its_messages_weigh_by_hand(fleet: Results) -> None:
    groups = {row["group"]: row for row in fleet.groups.unique("group").to_dicts()}
    # 24 messages of 50 B in two hours, each with 28 B of headers.
    of_many = 24 * (50 + 28) * MONTH_S / 7200
    assert groups["many"]["bytes_per_month"] == pytest.approx(of_many)
    assert groups["many"]["cost_per_year"] == pytest.approx(12 * of_many / 1e6)
    of_few = 12 * (900 + 28) * MONTH_S / 7200
    assert groups["few"]["cost_per_year"] == pytest.approx(24 + 12 * of_few * 100 / 1e6)
    assert groups["free"]["cost_per_year"] == 0.0


def test_the_fleet_is_the_weighted_mean_of_its_devices(fleet: Results) -> None:
    groups = {row["group"]: row for row in fleet.groups.unique("group").to_dicts()}
    real = {"many": 9000, "few": 20, "free": 3}
    for column in ("bytes_per_month", "billed_bytes_per_month", "cost_per_year"):
        total = sum(count * groups[name][column] for name, count in real.items())
        for value in fleet.runs[column]:
            assert value == pytest.approx(total / sum(real.values()))


def test_each_device_has_its_bill(fleet: Results) -> None:
    sims = fleet.sims
    assert sims.group_by("run_id", "group").len().sort("run_id", "group")["len"].to_list() == [
        *(4, 3, 3),
        *(4, 3, 3),
    ]
    for (run, group), rows in sims.group_by("run_id", "group"):
        (of_group,) = fleet.groups.filter(run_id=run, group=group)["cost_per_year"]
        assert rows["cost_per_year"].mean() == pytest.approx(of_group)


def test_causes_add_up_to_the_bill(fleet: Results) -> None:
    for (run, group), rows in fleet.bills.group_by("run_id", "group"):
        (of_group,) = fleet.groups.filter(run_id=run, group=group).to_dicts()
        assert rows["cost_per_year"].sum() == pytest.approx(of_group["cost_per_year"])
        billed = rows["billed_bytes_per_month"].sum()
        assert billed == pytest.approx(of_group["billed_bytes_per_month"])


SET_UP = """\
study: set-up
duration: {duration}
devices: 3
path: {{delay: 50 ms}}
traffic: {{report: 60 B, every: 1 h, spread: 0 s}}
tariff: {{price: 1 USD/MB}}
stacks: [mqtt/tls keep_alive=0s]
repeat: 1
"""


def test_the_set_up_is_not_multiplied_by_the_days(tmp_path: Path) -> None:
    found = []
    for duration in ("6 h", "24 h"):
        (tmp_path / "study.yaml").write_text(SET_UP.format(duration=duration))
        results = lasthop.run(tmp_path / "study.yaml", out=tmp_path / duration)
        found.append(results.runs.to_dicts()[0])
    short, long = found
    assert short["billed_bytes_set_up"] > 1_500
    assert short["billed_bytes_set_up"] == pytest.approx(long["billed_bytes_set_up"])
    assert short["bytes_per_month"] == pytest.approx(long["bytes_per_month"], rel=0.01)
    once = long["billed_bytes_set_up"] / 1e6
    assert long["cost_per_year"] == pytest.approx(12 * long["bytes_per_month"] / 1e6 + once)


NAT = """\
study: nat
duration: 6 h
devices: 3
traffic: {report: 60 B, every: 1 h}
path: [{delay: 60 ms}, {nat: {udp: 30 s, tcp: 2 h}}]
tariff: hologram
stacks: {TLS: mqtt/tls keep_alive=5min, QUIC: mqtt/quic keep_alive=5min}
repeat: 1
decide: {minimise: cost_per_year, require: [cost_per_year <= 20 USD]}
"""


@pytest.fixture(scope="module")
def nat(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("nat")
    (folder / "study.yaml").write_text(NAT)
    return lasthop.run(folder / "study.yaml", out=folder / "results")


def test_the_dearest_cause_behind_a_nat_that_forgets_is_the_path_probes_of_quic(
    nat: Results,
) -> None:
    by_stack = {bill.stack: bill for bill in bills_of([nat.path])}
    quic, tls = by_stack["QUIC"], by_stack["TLS"]
    assert quic.dearest is not None and quic.dearest.cause == "path_probe"  # noqa: PT018
    assert quic.bytes_per_month > 3 * tls.bytes_per_month
    said = [*bill_sentences([nat.path], nat.manifest.study, today=dt.date(2026, 12, 1))]
    (of_quic,) = (one for one in said if one.startswith("the data bill of QUIC"))
    assert "path probes" in of_quic
    given = hints([nat.path], nat.manifest.study)
    (probes,) = [hint for hint in given if "probes of QUIC" in hint]
    assert "write a keep_alive below the NAT's timeout" in probes


def test_old_prices_are_to_be_checked(nat: Results) -> None:
    def said(day: dt.date) -> list[str]:
        lines = bill_sentences([nat.path], nat.manifest.study, today=day)
        return [line for line in lines if line.startswith("check the price")]

    assert said(dt.date(2026, 12, 21)) == []
    (line,) = said(dt.date(2026, 12, 22))
    assert line.endswith("was trusted until 2026-12-21")
    assert not expired({"expires": None}, dt.date(2100, 1, 1))


CLOUD = """\
study: cloud
duration: 24 h
devices: 3
path: {delay: 50 ms}
traffic: {report: 60 B, every: 1 h, spread: 0 s}
tariff: {cloud: aws_iot_core}
stacks: [mqtt qos=1]
repeat: 1
"""


def test_a_cloud_is_paid_by_messages_and_minutes(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(CLOUD)
    (run,) = lasthop.run(tmp_path / "study.yaml", out=tmp_path / "results").runs.to_dicts()
    # 730.5 messages of 1 USD a million, 43,830 minutes of 0.08 USD a million, twelve months.
    by_hand = 12 * (730.5 * 1e-6 + 43_830 * 0.08e-6)
    assert run["cost_per_year"] == pytest.approx(by_hand, rel=0.002)


def test_without_a_tariff_there_is_no_bill(tmp_path: Path) -> None:
    text = CLOUD.replace("tariff: {cloud: aws_iot_core}\n", "").replace("24 h", "2 h")
    (tmp_path / "study.yaml").write_text(text)
    results = lasthop.run(tmp_path / "study.yaml", out=tmp_path / "results")
    columns = ("bytes_per_month", "billed_bytes_per_month", "cost_per_year")
    assert results.runs.select(columns).row(0) == (None, None, None)
    assert results.bills.is_empty() and results.sims.is_empty()  # noqa: PT018
    assert list(bill_sentences([results.path], results.manifest.study)) == []
    assert isinstance(results.bills, pl.DataFrame)
