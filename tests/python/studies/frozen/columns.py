"""The digest of each column of each table of results, whatever the ids and the order of rows."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from lasthop.measures import COLUMNS
from lasthop.outcome.results import Results

IDENTITY = {"run_id", "case_id", "run_spec", "stack_resolved", "trace_hash"}
"""Ids, spec texts and hashes: they may change while every number stays."""

ROWS_OF_A_RUN: Mapping[str, tuple[str, ...]] = {
    "messages": ("device", "flow", "message", "receiver"),
    "ledger": ("direction", "fate", "reason", "layer", "cause", "path"),
    "packets": ("direction", "fate", "reason", "path"),
    "latency": ("lower_ns", "upper_ns"),
}
"""What tells the rows of a run apart, by table."""

_NUMBER = "number_of_the_run"
_DIGITS = 16


@dataclass(frozen=True, slots=True, order=True)
class Column:
    """What is digested."""

    table: str
    name: str


@dataclass(frozen=True, slots=True)
class Digest:
    """What a column held: how many values, and the beginning of their SHA-256."""

    rows: int
    sha256: str

    @classmethod
    def of(cls, values: Sequence[Any]) -> "Digest":
        """Digest every value exactly; a column of nothing but empty cells says so.

        Examples
        --------
        >>> Digest.of([0.3, None]) == Digest.of([0.1 + 0.2, None])
        False
        >>> Digest.of([None, None])
        Digest(rows=2, sha256='empty')
        """
        if all(value is None for value in values):
            return cls(len(values), "empty")
        text = json.dumps(values, sort_keys=True)  # floats as their shortest exact form
        return cls(len(values), hashlib.sha256(text.encode()).hexdigest()[:_DIGITS])


def digests_of(results: Results) -> dict[Column, Digest]:
    """Digest the tables of a folder."""
    return {
        Column(table, name): Digest.of(values)
        for table, columns in _tables(results)
        for name, values in columns.items()
        if name not in IDENTITY
    }


def _tables(results: Results) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    runs = _numbered(results.runs)
    yield "runs", _columns(runs)
    places = runs.select("run_id", _NUMBER)
    for table, keys in ROWS_OF_A_RUN.items():
        rows: pl.DataFrame = getattr(results, table)
        if not rows.join(places, on="run_id", how="anti").is_empty():
            raise LookupError(f"{table}.parquet has rows of a run that runs.parquet has not")
        # A run that several parts share has its rows in each, as if each had run it.
        yield table, _columns(_ordered(rows.join(places, on="run_id"), (_NUMBER, *keys), table))
    claims = [judgement.as_json() for judgement in results.judgements]
    findings = [
        {"claim": claim["id"], **finding} for claim in claims for finding in claim.pop("findings")
    ]
    for table, said in (("claims", claims), ("findings", findings)):
        if said:
            yield table, {name: [each[name] for each in said] for name in said[0]}


def _numbered(runs: pl.DataFrame) -> pl.DataFrame:
    """Order and number the runs by what they are: a place in the study, and a repetition."""
    swept = sorted(set(runs.columns) - {column.name for column in COLUMNS})
    ordered = _ordered(runs, ("part", *swept, "stack", "seed", "repetition"), "runs")
    return ordered.with_row_index(_NUMBER)


def _ordered(rows: pl.DataFrame, keys: Sequence[str], table: str) -> pl.DataFrame:
    if rows.select(keys).is_duplicated().any():
        raise LookupError(f"rows of {table}.parquet are not told apart by {', '.join(keys)}")
    return rows.sort(keys, nulls_last=True)


def _columns(rows: pl.DataFrame) -> dict[str, list[Any]]:
    return rows.drop(_NUMBER).to_dict(as_series=False)
