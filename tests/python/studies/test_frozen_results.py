"""No number of a shipped study or example moves unless somebody says so."""

from pathlib import Path

import polars as pl
import pytest

import lasthop
from lasthop.outcome.results import Results

from .frozen import store
from .frozen.campaigns import ALL, GOOGLE, LARMO_QUICK, ROOT, SHORT, Campaign
from .frozen.columns import Column, digests_of
from .frozen.holding import assert_nothing_moved


@pytest.mark.parametrize(
    "campaign",
    [
        pytest.param(campaign, marks=pytest.mark.soak if campaign is GOOGLE else ())
        for campaign in SHORT
    ],
    ids=lambda campaign: campaign.name,
)
def test_no_number_has_moved(campaign: Campaign, tmp_path: Path) -> None:
    assert_nothing_moved(campaign, campaign.run(tmp_path / "results"))


@pytest.mark.soak
def test_no_number_of_the_whole_quick_variant_of_larmo_has_moved(tmp_path: Path) -> None:
    assert_nothing_moved(LARMO_QUICK, LARMO_QUICK.run(tmp_path / "results"))


def test_every_shipped_study_and_example_is_frozen() -> None:
    shipped = [*(ROOT / "studies").glob("*/study.yaml"), *(ROOT / "examples").glob("*.yaml")]
    # What real software did comes no second time.
    repeatable = [file for file in shipped if "\nengine: live\n" not in file.read_text()]
    studies = {campaign.study for campaign in ALL}
    assert {file.relative_to(ROOT).as_posix() for file in repeatable} <= studies
    assert store.read().keys() == {campaign.name for campaign in ALL}


SMALL = Campaign("examples/nat-timeout.yaml", settings={"duration": "5 min", "repeat": "1"})


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Eight runs."""
    return SMALL.run(tmp_path_factory.mktemp("small") / "results")


@pytest.fixture
def changed(small: Results) -> Results:
    """The same results, whose tables a test replaces."""
    results = Results(small.path)
    for table in ("runs", "messages", "ledger", "packets", "latency"):
        setattr(results, table, getattr(small, table))
    return results


def moved(was: Results, now: Results) -> list[str]:
    return store.movements(digests_of(was), digests_of(now))


def test_neither_ids_nor_the_order_of_rows_are_numbers(small: Results, changed: Results) -> None:
    renamed = pl.col("run_id").str.reverse()
    for table in ("runs", "messages", "ledger", "packets", "latency"):
        rows = getattr(small, table).with_columns(renamed)
        setattr(changed, table, rows.sample(fraction=1.0, shuffle=True, seed=1))
    assert moved(small, changed) == []


def test_a_number_that_moves_by_its_last_bit_is_named(small: Results, changed: Results) -> None:
    first = pl.int_range(pl.len()) == pl.col("latency_ms").is_not_null().arg_max()
    last_bit = pl.col("latency_ms") * (1 + 2.0**-52)
    changed.messages = small.messages.with_columns(
        pl.when(first).then(last_bit).otherwise("latency_ms").alias("latency_ms")
    )
    assert moved(small, changed) == ["messages: moved latency_ms"]


def test_runs_that_change_places_move_what_they_gave(small: Results, changed: Results) -> None:
    stacks = {"raw_udp": "raw_udp ack=on", "raw_udp ack=on": "raw_udp"}
    changed.runs = small.runs.with_columns(pl.col("stack").replace_strict(stacks))
    assert {said.partition(":")[0] for said in moved(small, changed)} >= {"runs", "messages"}


def test_a_column_may_come_but_not_go(small: Results, changed: Results) -> None:
    changed.ledger = small.ledger.with_columns(pl.lit(1).alias("hop"))
    assert moved(small, changed) == []
    assert moved(changed, small) == ["ledger: missing hop"]


def test_a_row_that_is_gone_is_counted(small: Results, changed: Results) -> None:
    changed.packets = small.packets.tail(-1)
    rows = len(small.packets)
    said = moved(small, changed)
    assert said[0] == f"packets: {rows} rows are now {rows - 1}"
    assert said[1].startswith("packets: moved ")


def test_rows_that_nothing_tells_apart_are_refused(small: Results, changed: Results) -> None:
    changed.ledger = pl.concat([small.ledger, small.ledger.head(1)])
    with pytest.raises(LookupError, match=r"rows of ledger\.parquet are not told apart by"):
        digests_of(changed)


def test_another_seed_fails_and_names_tables_and_columns(tmp_path: Path) -> None:
    campaign = Campaign("examples/close-call.yaml")
    other = lasthop.run(ROOT / campaign.study, out=tmp_path / "other", seed=2)
    with pytest.raises(
        AssertionError, match=r"numbers of examples/close-call\.yaml moved"
    ) as caught:
        assert_nothing_moved(campaign, other)
    said = str(caught.value)
    assert "\nruns: moved " in said
    assert "latency_p95_ms" in said
    assert "--write" in said
    assert "CHANGELOG.md under Results" in said


def test_the_file_of_digests_is_read_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: Results
) -> None:
    monkeypatch.setattr(store, "FILE", tmp_path / "digests.csv")
    digests = digests_of(small)
    assert Column("messages", "latency_ms") in digests
    store.write({SMALL.name: digests})
    assert store.read() == {SMALL.name: digests}
