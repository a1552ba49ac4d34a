"""Counting methods (for example of bytes or latency) applied to the same runs."""

from collections.abc import Mapping

import polars as pl

from lasthop.study.run_spec.reader import PAYLOAD_BYTES

ETHERNET_HEADER_BYTES = 14

_CONTROL, _CONTROL_ETHERNET = "control_bytes_per_100", "control_bytes_per_100_ethernet"
_WIRE = {way: f"wire_bytes_{way}_offered" for way in ("up", "down")}

CHANGED: Mapping[str, frozenset[str]] = {
    "latency": frozenset({"latency_mean_ms"}),
    "application_bytes": frozenset({_CONTROL, _CONTROL_ETHERNET}),
    "wire_bytes": frozenset({_CONTROL, _CONTROL_ETHERNET, *_WIRE.values()}),
    "frame_headers": frozenset({_CONTROL_ETHERNET}),
}
"""Columns of ``runs.parquet`` that depend on the counting method."""

PAYLOAD = "__payload_bytes"

READ = frozenset(
    {
        "latency_mean_ms",
        "messages_offered",
        "payload_bytes_first_sent",
        PAYLOAD,
        *(
            f"{what}_{way}_{fate}"
            for what in ("wire_bytes", "packets")
            for way in ("up", "down")
            for fate in ("offered", "delivered")
        ),
    }
)
"""Columns that the counting methods read."""


def with_payload_bytes(runs: pl.LazyFrame) -> pl.LazyFrame:
    """Add the payload size from the run spec as a column."""
    sizes = [pl.col("run_spec").str.json_path_match(place) for place in PAYLOAD_BYTES]
    return runs.with_columns(pl.coalesce(sizes).cast(pl.Int64).alias(PAYLOAD))


def count(runs: pl.DataFrame, ways: Mapping[str, str]) -> pl.DataFrame:
    """Return the runs with their columns recomputed by the chosen counting methods.

    Half of the round trip stands for one leg: the legs of these paths are alike. ``delivered``
    bytes leave the path, which is what a capture at the device sees when the path's impairments
    lie in front of it.

    Parameters
    ----------
    runs
        Runs with their payload sizes.
    ways
        Chosen counting methods. Missing ones are those of the table.
    """
    fate = ways.get("wire_bytes", "offered")
    wire = sum(pl.col(f"wire_bytes_{way}_{fate}") for way in ("up", "down"))
    headers = ETHERNET_HEADER_BYTES * sum(pl.col(f"packets_{way}_{fate}") for way in ("up", "down"))
    if ways.get("frame_headers") == "none":
        headers = pl.lit(0)
    application = (
        pl.col("messages_offered") * pl.col(PAYLOAD)
        if ways.get("application_bytes") == "one_leg"
        else pl.col("payload_bytes_first_sent")
    )
    legs = 2 if ways.get("latency") == "one_leg" else 1
    return runs.with_columns(
        (pl.col("latency_mean_ms") / legs),
        (100 * (wire - application) / application).alias(_CONTROL),
        (100 * (wire + headers - application) / application).alias(_CONTROL_ETHERNET),
        *(pl.col(f"wire_bytes_{way}_{fate}").alias(column) for way, column in _WIRE.items()),
    )
