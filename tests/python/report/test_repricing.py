"""Other prices without a run give the costs that a run with them gives."""

from pathlib import Path

import polars as pl
import pytest

import lasthop
from lasthop.answer.decision import decide
from lasthop.errors import LasthopError
from lasthop.report.repricing import repriced
from lasthop.report.source import read_source
from lasthop.study.fleet.tariff_text import read_tariff

STUDY = """\
study: bills
duration: 2 h
measure: {drain: 10 min}
paths: {cell: {delay: 100 ms, loss: 5 %}}
servers: {head_end: {}}
fleet: {meters: {count: 3, path: cell, server: head_end}}
traffic: {reading: {from: meters, report: 60 B, every: 5 min}}
stacks: [coap type=con, mqtt qos=1]
tariff: {fee: 1 USD/month, price: 0.5 USD/MB}
repeat: 2
decide: {require: ["cost_per_year <= 30 USD"], minimise: cost_per_year}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("priced")
    (made / "study.yaml").write_text(STUDY)
    return lasthop.run(made / "study.yaml", out=made / "out").path


def costs(table: pl.DataFrame) -> list[float]:
    ordered = table.filter(pl.col("cost_per_year").is_not_null()).sort("stack", "repetition")
    return ordered["cost_per_year"].to_list()


@pytest.mark.parametrize(
    "tariff",
    [
        "{fee: 1 USD/month, price: 0.5 USD/MB}",
        "{fee: 0.2 USD/month, price: 2 USD/MB}",
        "{price: 0.01 USD/MB}",
        "{fee: 2 USD/month, price: 1 USD/MB, included: 1 MB/month}",
        "{fee: 2 USD/month, price: 1 USD/MB, included: 1 GB/month}",
        "{prepaid: {fee: 12 USD, volume: 50 MB, years: 10}}",
        "{prepaid: {fee: 12 USD, volume: 5000 MB, years: 10}}",
    ],
)
def test_the_costs_are_those_of_a_run_with_the_prices(
    folder: Path, tmp_path: Path, tariff: str
) -> None:
    found = repriced(read_source([folder]), read_tariff(tariff, option="tariff"))
    ran = lasthop.run(folder.parent / "study.yaml", out=tmp_path / "out", set={"tariff": tariff})
    truth = read_source([ran.path])
    assert costs(found.runs) == pytest.approx(costs(truth.runs))
    groups = [
        source.read_groups().sort("run_id", "group", "flow")["cost_per_year"].to_list()
        for source in (found, truth)
    ]
    assert sorted(groups[0]) == pytest.approx(sorted(groups[1]))


def test_a_requirement_on_costs_is_judged_anew(folder: Path) -> None:
    source = read_source([folder])
    cheap = repriced(source, read_tariff("{fee: 0.1 USD/month, price: 0.01 USD/MB}", option="t"))
    dear = repriced(source, read_tariff("{fee: 3 USD/month, price: 0.01 USD/MB}", option="t"))
    counts = []
    for one in (source, cheap, dear):
        (point,) = decide(one.runs, one.study, one.read_groups).points
        counts.append((len(point.ranked), len(point.excluded)))
    assert counts == [(1, 1), (2, 0), (0, 2)]
    assert "0.01 USD/MB" in cheap.study["tariffs"][0]["words"]


@pytest.mark.parametrize(
    ("tariff", "clue"),
    [
        ("{price: 1 EUR/MB}", "the tariff is in EUR; write prices in USD"),
        ("{price: 1 USD/MB, counts: up}", "another way (counts up only); run the study with it"),
        ("{price: 1 USD/MB, packet: {minimum: 100 B}}", "another way (packet minimum)"),
        ("{price: 1 USD/MB, rounding: {step: 1 kB, per: session}}", "another way (rounding)"),
        ("{price: 1 USD/MB, minute: 0.01 USD/min}", "another way (price per minute)"),
        ("{price: 1 USD/MB, cloud: aws_iot_core}", "the tariff has another cloud; run"),
        ("{price: 1}", "price"),
        ("none", '"none"'),
    ],
)
def test_what_the_results_do_not_say_is_one_line(folder: Path, tariff: str, clue: str) -> None:
    with pytest.raises(LasthopError) as refused:
        repriced(read_source([folder]), read_tariff(tariff, option="tariff"))
    assert clue in str(refused.value)
    assert "\n" not in str(refused.value)


def test_results_without_a_tariff_or_without_sims_are_refused(folder: Path, tmp_path: Path) -> None:
    tariff = read_tariff("{price: 1 USD/MB}", option="tariff")
    text = STUDY.replace("tariff: {fee: 1 USD/month, price: 0.5 USD/MB}\n", "")
    text = text[: text.index("decide:")]
    (tmp_path / "study.yaml").write_text(text)
    ran = lasthop.run(tmp_path / "study.yaml", out=tmp_path / "out")
    with pytest.raises(LasthopError, match="the results have no tariff; write one"):
        repriced(read_source([ran.path]), tariff)
    source = read_source([folder])
    sims = folder / "sims.parquet"
    kept = sims.read_bytes()
    try:
        pl.read_parquet(sims).filter(pl.col("device") > 0).write_parquet(sims)
        with pytest.raises(LasthopError, match="do not hold each SIM"):
            repriced(source, tariff)
    finally:
        sims.write_bytes(kept)
