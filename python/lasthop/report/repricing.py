"""Results under other prices: what SIMs cost a year, where the bytes that they are billed stay."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from lasthop.errors import UsageError
from lasthop.report.source import ReportSource, with_costs
from lasthop.study.fleet.tariff import TariffForm, tariff_spec

_MONTHS = 12.0
_COST = "cost_per_year"
_BILLED, _SET_UP = "billed_bytes_per_month", "billed_bytes_set_up"
_PRICES = ("price_per_byte", "included_bytes_per_month", "prepaid")
"""What of a data plan can change: all else decides how many bytes are billed."""
_BY_PERIOD = ("month", "year")
_SAME = 1e-9
_RERUN = "run the study with it: lasthop run --set tariff=..."


def repriced(source: ReportSource, tariff: TariffForm) -> ReportSource:
    """Give results as they were under other prices; nothing is simulated.

    Raises
    ------
    UsageError
        The stored measures do not say what SIMs would cost: the tariff counts or rounds bytes in
        another way, takes something for minutes or a cloud, or devices stand for different numbers
        of real ones.
    """
    specs = _specs(source)
    currencies = {one["currency"] for one in source.study.get("tariffs") or ()}
    if not specs or not currencies:
        raise UsageError("the results have no tariff; write one in the study and run it")
    if currencies != {tariff.currency}:
        (known,) = currencies
        raise UsageError(f"the tariff is in {tariff.currency}; write prices in {known}")
    new = tariff_spec(tariff)
    changes = {run: _Change.between(old, new) for run, old in specs.items()}
    sims = _sims(source).filter(pl.col("run_id").is_in(list(changes)))
    if sims.is_empty() or source.has_weights:
        raise UsageError(f"the results do not hold each SIM; {_RERUN}")
    added = [changes[row["run_id"]].of(row) for row in sims.iter_rows(named=True)]
    priced = sims.with_columns(pl.Series("added", added, dtype=pl.Float64))
    _check(source, priced)
    by_run = priced.group_by("run_id").agg(pl.col("added").mean())
    by_group = priced.group_by("run_id", "group", "stratum").agg(pl.col("added").mean())
    runs = with_costs(source.runs, by_run, ["run_id"])
    told = [{**one, "words": tariff.words()} for one in source.study["tariffs"][:1]]
    first = {**source.manifests[0], "study": {**source.study, "tariffs": told}}
    manifests = (first, *source.manifests[1:])
    return replace(source, manifests=manifests, runs=runs, group_costs=by_group)


@dataclass(frozen=True, slots=True)
class _Change:
    """An old and a new tariff that bill the same bytes."""

    old: Mapping[str, Any]
    new: Mapping[str, Any]

    @classmethod
    def between(cls, old: Mapping[str, Any], new: Mapping[str, Any]) -> "_Change":
        """Check that only prices differ."""
        if (old["cloud"], new["cloud"]) != (None, None) and old["cloud"] != new["cloud"]:
            raise UsageError(f"the tariff has another cloud; {_RERUN}")
        before, after = old["data"], new["data"]
        for key in sorted({*before, *after} - set(_PRICES)):
            if before.get(key) != after.get(key):
                name = key.removesuffix("_bytes").removesuffix("_ns").replace("_", " ")
                raise UsageError(f"the tariff counts bytes in another way ({name}); {_RERUN}")
        if (after["rounding"] or {}).get("per") in _BY_PERIOD:
            raise UsageError(f"the tariff rounds a {after['rounding']['per']}; {_RERUN}")
        return cls(old, new)

    def of(self, sim: Mapping[str, Any]) -> float:
        """Give what a SIM costs more a year."""
        return _year(self.new, sim) - _year(self.old, sim)


def _year(tariff: Mapping[str, Any], sim: Mapping[str, Any]) -> float:
    """Give fees and the price of bytes of the first year, as `lasthop_tariff` computes them."""
    plan, billed, set_up = tariff["data"], sim[_BILLED], sim[_SET_UP]
    fees = float(tariff["fee_per_year"])
    if (prepaid := plan["prepaid"]) is not None:
        of_a_year = _MONTHS * billed
        left = max(0.0, prepaid["bytes"] - set_up)
        lasts = left / of_a_year if of_a_year > 0 else prepaid["years"]
        return fees + float(prepaid["fee"] / max(min(lasts, prepaid["years"]), _LEAST))
    included = plan["included_bytes_per_month"]
    paid = max(0.0, billed + set_up - included) + (_MONTHS - 1) * max(0.0, billed - included)
    return fees + float(plan["price_per_byte"] * paid)


_LEAST = 5e-324


def _specs(source: ReportSource) -> dict[str, Mapping[str, Any]]:
    """Give the tariff of each run, where all its groups have the same one."""
    found: dict[str, Mapping[str, Any]] = {}
    for folder in source.paths:
        table = pl.read_parquet(folder / "runs.parquet", columns=["run_id", "run_spec", "status"])
        for run_id, spec, status in table.rows():
            if status != "completed" or spec is None:
                continue
            groups = json.loads(spec).get("groups") or []
            tariffs = [group.get("tariff") for group in groups]
            if not tariffs or tariffs[0] is None:
                continue
            if any(one != tariffs[0] for one in tariffs):
                raise UsageError(f"the groups have different tariffs; {_RERUN}")
            found[run_id] = tariffs[0]
    return found


def _sims(source: ReportSource) -> pl.DataFrame:
    tables = [folder / "sims.parquet" for folder in source.paths]
    read = [pl.read_parquet(table) for table in tables if table.exists()]
    if not read:
        raise UsageError(f"the results do not hold each SIM; {_RERUN}")
    return pl.concat(read).unique(["run_id", "group", "stratum", "device"], maintain_order=True)


def _check(source: ReportSource, sims: pl.DataFrame) -> None:
    """See that the SIMs are all those behind the costs of the runs."""
    means = sims.group_by("run_id").agg(pl.col(_COST).mean().alias("of_sims"))
    both = source.runs.filter(pl.col(_COST).is_not_null()).join(means, on="run_id", how="left")
    apart = (pl.col(_COST) - pl.col("of_sims")).abs() > _SAME * pl.col(_COST).abs()
    if not both.filter(apart | pl.col("of_sims").is_null()).is_empty():
        raise UsageError(f"the results do not hold each SIM; {_RERUN}")
