"""Cautions for good figures: effects that a model ignores, and costs of a setting."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from lasthop.answer.bills import bill_sentences
from lasthop.answer.completed_runs import completed_runs
from lasthop.answer.crashes import crashes
from lasthop.answer.evictions import evictions
from lasthop.answer.network_span import network_span
from lasthop.answer.quantities import format_quantity
from lasthop.answer.unmet_faults import unmet_faults

PINGREQ_BYTES = 2
"""A client's sign of life (MQTT 3.1.1 section 3.12)."""

_MOST = 0.5
"""A larger part of the joules is worth a word."""

_MOST_SET_UP = 0.1
_ONCE, _STEADY = "energy_set_up_j", "energy_steady_j"

_LOADED = ("run_id", "stack", "status", "energy_load_j", _STEADY)

_FATE = ("run_id", "messages_offered", "failure_reasons")
_RUN = ("run_id", "stack", "messages_offered", "energy_j", "energy_sleep_j", "energy_paging_j")


def cautions(folders: Iterable[Path], study: Mapping[str, Any]) -> tuple[str, ...]:
    """Give the cautions about the runs in result folders of one study.

    Parameters
    ----------
    study
        As the manifest holds it.
    """
    held = tuple(folders)
    return (
        *study.get("cautions", ()),
        *network_span(held),
        *crashes(held),
        *evictions(held),
        *_weights(held),
        *_keep_alive(held),
        *bill_sentences(held, study),
        *_set_up(held),
        *_load(held),
        *_unanswered_blocks(held, study),
        *unmet_faults(held, study),
    )


def _weights(folders: tuple[Path, ...]) -> Iterable[str]:
    """Say which figures are of simulated devices, where these stand for different numbers."""
    weights = [
        pl.scan_parquet(folder / "groups.parquet")
        .filter(pl.col("messages_offered") > 0)
        .group_by("run_id")
        .agg(least=pl.col("weight").min(), most=pl.col("weight").max())
        .filter(pl.col("most") > pl.col("least"))
        .select(pl.col("least").min(), pl.col("most").max())
        .collect()
        for folder in folders
        if (folder / "groups.parquet").exists()
    ]
    found = pl.concat(weights).drop_nulls() if weights else pl.DataFrame()
    if found.is_empty():
        return
    least, most = (found[name].to_list() for name in ("least", "most"))
    yield (
        f"a simulated device stands for {min(least):,.6g} to {max(most):,.6g} real ones. Delivery, "
        "percentiles, battery life and energy_per_message are those of the fleet. Bytes a run, "
        "causes of energy and histograms are those of the simulated devices"
    )


def _keep_alive(folders: tuple[Path, ...]) -> Iterable[str]:
    """Name the stacks whose radios spend most of their joules on keep-alive, at any point.

    A radio tells what it does and not for which packet. So the joules that are neither sleep nor
    paging are divided by what makes a device send: each sign of life and each message alike.
    """
    found = [shares for folder in folders if (shares := _shares(folder)) is not None]
    if not found:
        return
    largest = (
        pl.concat(found)
        .group_by("stack", maintain_order=True)
        .agg(pl.all().sort_by("share").last())
        .filter(pl.col("share") > _MOST)
    )
    for row in largest.iter_rows(named=True):
        yield (
            f"keep-alive takes {row['share']:.0%} of the radio's joules of {row['stack']}: "
            f"{row['pings']:.0f} signs of life beside {row['messages_offered']:.0f} messages in a "
            "run, each taken to cost the same; a longer keep_alive, or 0s, costs less"
        )


def _shares(folder: Path) -> pl.DataFrame | None:
    runs, ledger = folder / "runs.parquet", folder / "ledger.parquet"
    if not (runs.exists() and ledger.exists()):
        return None
    table = pl.scan_parquet(runs)
    if not set(_RUN) <= set(table.collect_schema().names()):
        return None
    pings = (
        pl.scan_parquet(ledger)
        .filter(
            pl.col("cause") == "keep_alive",
            pl.col("layer") == "application",
            pl.col("direction") == "up",
            pl.col("fate") == "offered",
        )
        .group_by("run_id")
        .agg((pl.col("bytes").sum() / PINGREQ_BYTES).alias("pings"))
    )
    awake = pl.col("energy_j") - pl.col("energy_sleep_j") - pl.col("energy_paging_j")
    sent = pl.col("pings") + pl.col("messages_offered")
    return (
        table.select(_RUN)
        .filter(pl.col("energy_j") > 0)
        .join(pings, on="run_id")
        .with_columns((awake / pl.col("energy_j") * pl.col("pings") / sent).alias("share"))
        .select("stack", "share", "pings", "messages_offered")
        .collect()
    )


def _set_up(folders: tuple[Path, ...]) -> Iterable[str]:
    """Say what the set-up of the devices takes, of the stacks of which it is a large part of a run.

    A battery feeds it once, whatever the length of the run.
    """
    found = [shares for folder in folders if (shares := _set_up_shares(folder)) is not None]
    if not found:
        return
    largest = (
        pl.concat(found)
        .group_by("stack", maintain_order=True)
        .agg(pl.all().sort_by("share").last())
        .filter(pl.col("share") > _MOST_SET_UP)
    )
    for row in largest.iter_rows(named=True):
        set_up, steady = (format_quantity(row[name], "J") for name in (_ONCE, _STEADY))
        yield (
            f"the set-up of all devices takes {set_up} of {row['stack']}, beside {steady} of their "
            "steady state in a run; a battery life has it once"
        )


def _load(folders: tuple[Path, ...]) -> Iterable[str]:
    """Say what devices draw beside their radios, where it is a large part that no stack changes."""
    found = [rows for folder in folders if (rows := _loads(folder)) is not None]
    if not found:
        return
    least = pl.concat(found).group_by("stack", maintain_order=True).agg(pl.col("share").min())
    shares: list[float] = least["share"].to_list()
    if min(shares) > _MOST_SET_UP:
        low, high = (format_quantity(share, "fraction") for share in (min(shares), max(shares)))
        part = low if low == high else f"{low} to {high}"
        yield (
            f"the load beside the radio takes {part} of what empties the batteries after their "
            "set-up, which no stack changes"
        )


def _loads(folder: Path) -> pl.DataFrame | None:
    """Give the share of the load in the steady energy of each run that has one."""
    runs = completed_runs(folder, _LOADED, having="energy_load_j")
    if runs is None or runs.is_empty():
        return None
    load = pl.col("energy_load_j")
    return runs.select("stack", share=load / (load + pl.col(_STEADY)))


def _set_up_shares(folder: Path) -> pl.DataFrame | None:
    """Give the share of the set-up in the joules of each run with batteries."""
    runs = folder / "runs.parquet"
    if not runs.exists():
        return None
    table = pl.scan_parquet(runs)
    if not {"battery_years", _ONCE, _STEADY} <= set(table.collect_schema().names()):
        return None
    return (
        table.filter(pl.col("battery_years").is_not_null(), pl.col(_ONCE) > 0)
        .select("stack", _ONCE, _STEADY)
        .with_columns(share=pl.col(_ONCE) / (pl.col(_ONCE) + pl.col(_STEADY)))
        .collect()
    )


def _unanswered_blocks(folders: tuple[Path, ...], study: Mapping[str, Any]) -> Iterable[str]:
    """Name the stacks whose messages failed since a non-confirmable block was not answered in time.

    A non-confirmable message of one block waits for nothing, and so never fails for that.
    """
    meant = {stack["name"]: stack["resolved"] or "" for stack in study.get("stacks") or ()}
    waiting = {
        name: resolved.split()
        for name, resolved in meant.items()
        if resolved.startswith("coap/udp") and "type=non" in resolved.split()
    }
    found = [_fates(folder, list(waiting)) for folder in folders if waiting]
    tables = [table for table in found if table is not None]
    if not tables:
        return
    stacks = pl.concat(tables).group_by("stack", maintain_order=True).sum()
    for row in stacks.filter(pl.col("failed") > 0).iter_rows(named=True):
        settings = dict(word.split("=", 1) for word in waiting[row["stack"]] if "=" in word)
        yield (
            f"{row['failed']} of {row['messages_offered']} messages of {row['stack']} failed "
            "because a non-confirmable block of them was not answered within ack_timeout="
            f"{settings['ack_timeout']} to {settings['ack_random_factor']} times that; where a "
            "round trip takes longer, write a longer ack_timeout"
        )


def _fates(folder: Path, stacks: Sequence[str]) -> pl.DataFrame | None:
    """Give the messages of each run that were offered, and that failed without an answer."""
    table = pl.scan_parquet(folder / "runs.parquet") if (folder / "runs.parquet").exists() else None
    if table is None or not {"stack", *_FATE} <= set(table.collect_schema().names()):
        return None
    count = pl.col("failure_reasons").str.extract(r"no_acknowledgement: (\d+)").cast(pl.Int64)
    return (
        table.filter(pl.col("stack").is_in(stacks))
        .unique("run_id", maintain_order=True)
        .select("stack", "messages_offered", failed=count.fill_null(0))
        .collect()
    )
