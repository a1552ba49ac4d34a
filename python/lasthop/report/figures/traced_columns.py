"""Columns of figures that runs lack: computed from the packets of a path and from messages."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from lasthop.report.source import ReportSource
from lasthop.study.figures import PaperFigures
from lasthop.study.figures.traced import OF_A_PATH, TRACED, column_of

ETHERNET_BYTES = 14


def with_traced_columns(source: ReportSource, paper: PaperFigures) -> pl.DataFrame:
    """Return the runs of a source with every such column that a figure of the paper reads."""
    asked = set(_asked(paper))
    if not asked:
        return source.runs
    runs = source.runs.join(_of_messages(source.paths), on="run_id", how="left")
    for path in sorted({path for _, path in asked if path is not None}):
        runs = runs.join(_of_path(source.paths, path), on="run_id", how="left")
        runs = runs.with_columns(
            _path_column("path_rate_ethernet", path, 8 * pl.col("bytes") / pl.col("_span_s")),
            _path_column(
                "path_packet_interval_up", path, 1e3 * pl.col("_span_s") / pl.col("packets_up")
            ),
            _path_column(
                "path_packets_per_message", path, pl.col("packets") / pl.col("messages_offered")
            ),
            _path_column("path_loss_ratio", path, pl.col("dropped") / pl.col("packets")),
        ).drop("bytes", "packets", "packets_up", "dropped")
    return runs.drop("_span_s")


def _path_column(name: str, path: str, value: pl.Expr) -> pl.Expr:
    return value.alias(column_of(name, path))


def _asked(paper: PaperFigures) -> Iterable[tuple[str, str | None]]:
    """Give each traced measure with its path."""
    for figure in paper.figures:
        several = [column.measurands for column in figure.columns]
        several += [arm.measurands for arm in figure.arms]
        for one in (found for measurands in several for found in measurands):
            if one.name in TRACED:
                path = one.measure.name.partition(" of ")[2]
                yield one.name, path if one.name in OF_A_PATH else None


def _of_messages(folders: Sequence[Path]) -> pl.DataFrame:
    """Read how long the messages of each run take; nothing where runs keep no messages."""
    schema = {
        "run_id": pl.String,
        "_span_s": pl.Float64,
        "messages_span": pl.Float64,
        "sent_to_delivered_mean": pl.Float64,
        "sent_to_acknowledged_mean": pl.Float64,
    }
    files = [folder / "messages.parquet" for folder in folders]
    scanned = [pl.scan_parquet(file) for file in files if file.exists()]
    if not scanned:
        return pl.DataFrame(schema=schema)
    last = pl.max_horizontal(pl.max("delivered_ns"), pl.max("acknowledged_ns"))
    span = last - pl.min("intended_ns")
    return (
        pl.concat(scanned)
        .filter(pl.col("measured"))
        .group_by("run_id")
        .agg(
            _span_s=span / 1e9,
            messages_span=span / 1e6,
            sent_to_delivered_mean=(pl.col("delivered_ns") - pl.col("sent_ns")).mean() / 1e6,
            sent_to_acknowledged_mean=(pl.col("acknowledged_ns") - pl.col("sent_ns")).mean() / 1e6,
        )
        .collect()
        .unique("run_id")
    )


def _of_path(folders: Sequence[Path], path: str) -> pl.DataFrame:
    scanned = [pl.scan_parquet(folder / "packets.parquet") for folder in folders]
    packets = pl.col("packets")
    offered = packets.filter(fate="offered")
    return (
        pl.concat(scanned)
        .filter(path=path)
        .unique()
        .group_by("run_id")
        .agg(
            bytes=pl.col("bytes").filter(fate="offered").sum() + ETHERNET_BYTES * offered.sum(),
            packets=offered.sum(),
            packets_up=packets.filter(fate="offered", direction="up").sum(),
            dropped=packets.filter(fate="dropped").sum(),
        )
        .collect()
    )
