"""Writes the table and the figures of a comparison."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl
from benchmarks.tcp_against_linux import compare

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from benchmarks.tcp_against_linux.compare import Comparison, Quantile

BEGIN, END = "<!-- table:start -->\n", "<!-- table:end -->\n"

_WORKLOADS = {
    "message": "100 B and the end",
    "tail": "4 kB",
    "upload": "30 kB",
    "thin": "400 B at 4/s",
    "bulk": "1 MB",
    "idle_restart": "15 kB, 5 s, 15 kB",
    "nagle": "2 x 100 B, Nagle",
    "small_window": "30 kB, small window",
}
_MOST_DRAWN = 0.4


def write_csv(
    path: Path, comparisons: Sequence[Comparison], delays: Mapping[int, Sequence[Quantile]]
) -> None:
    """Write all figures, one line a cell."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = [
            _row(comparison, delays.get(comparison.cell.cell, ())) for comparison in comparisons
        ]
        names = max(rows, key=len).keys()
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _row(comparison: Comparison, delays: Sequence[Quantile]) -> dict[str, Any]:
    cell = comparison.cell
    row: dict[str, Any] = {
        "workload": cell.workload,
        "congestion": cell.congestion,
        "delay_ms": cell.delay_ms,
        "loss_percent": f"{cell.loss_percent:g}",
        "timestamps": str(cell.timestamps).lower(),
        "flows": comparison.flows,
        "same": f"{comparison.same:.3f}",
        "agrees": str(comparison.agrees).lower(),
    }
    for prefix, quantiles in (("", comparison.quantiles), ("delay_", delays)):
        for found in quantiles:
            name = f"{prefix}p{100 * found.share:.0f}"
            row[f"{name}_ours_s"] = f"{found.ours:.4f}"
            row[f"{name}_linux_s"] = f"{found.linux:.4f}"
            row[f"{name}_difference"] = f"{found.difference:.4f}"
            row[f"{name}_floor"] = f"{found.floor:.4f}"
    return row


def table(comparisons: Sequence[Comparison]) -> str:
    """Return the table of the README."""
    lines = [
        (
            "| workload | control | delay | loss | time stamps "
            "| p50 ours | Linux | diff. | floor "
            "| p90 ours | Linux | diff. | floor | same | agrees |"
        ),
        f"|{'---|' * 15}",
    ]
    for comparison in comparisons:
        cell = comparison.cell
        found = [part for quantile in comparison.quantiles for part in _cells_of(quantile)]
        words = (
            _WORKLOADS[cell.workload],
            cell.congestion,
            f"{cell.delay_ms} ms",
            f"{cell.loss_percent:g} %",
            "yes" if cell.timestamps else "no",
            *found,
            f"{100 * comparison.same:.0f} %",
            "yes" if comparison.agrees else "**no**",
        )
        lines.append(f"| {' | '.join(words)} |")
    return "\n".join(lines) + "\n"


def _cells_of(quantile: Quantile) -> tuple[str, str, str, str]:
    return (
        _short(quantile.ours),
        _short(quantile.linux),
        f"{100 * quantile.difference:+.1f} %" if math.isfinite(quantile.difference) else "∞",
        f"{100 * quantile.floor:.1f} %" if math.isfinite(quantile.floor) else "∞",
    )


def _short(seconds: float) -> str:
    return f"{seconds:.3f} s" if math.isfinite(seconds) else "> 300 s"


def write_between_marks(path: Path, text: str) -> None:
    """Replace what stands between the marks of a file."""
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    path.write_text(before + BEGIN + text + END + after, encoding="utf-8")


def write_figure(path: Path, comparisons: Sequence[Comparison]) -> None:
    """Draw how far ours is from Linux in each cell, and how far it may be."""
    points = [
        {
            "quantile": f"p{100 * found.share:.0f}",
            "workload": _WORKLOADS[comparison.cell.workload],
            "cell": comparison.cell.cell,
            "difference": found.difference,
            "allowed": found.floor + compare.TOLERANCES[found.share],
            "agrees": "yes" if found.agrees else "no",
        }
        for comparison in comparisons
        for found in comparison.quantiles
        if math.isfinite(found.difference) and math.isfinite(found.floor)
    ]
    frame = pl.DataFrame(points).with_columns(
        low=-pl.col("allowed").clip(upper_bound=_MOST_DRAWN),
        high=pl.col("allowed").clip(upper_bound=_MOST_DRAWN),
        difference=pl.col("difference").clip(-_MOST_DRAWN, _MOST_DRAWN),
    )
    x = alt.X("cell:O", title=None).axis(labels=False, ticks=False)
    y = alt.Y("low:Q", title="from Linux").axis(format="+%", tickCount=5)
    base = alt.Chart(frame).encode(x=x)
    allowed = base.mark_bar(color="#dde3ea").encode(y=y, y2="high:Q")
    dots = base.mark_circle(size=28, opacity=1).encode(
        y="difference:Q",
        color=alt.Color("agrees:N", title="agrees").scale(
            domain=["yes", "no"], range=["#30638e", "#d1495b"]
        ),
    )
    chart = (
        (allowed + dots)
        .properties(width=alt.Step(9), height=110)
        .facet(
            column=alt.Column("workload:N", title=None, sort=list(_WORKLOADS.values())),
            row=alt.Row("quantile:N", title=None),
        )
        .resolve_scale(x="independent")
        .properties(title="Completion time of ours from Linux's; grey: noise floor and tolerance")
    )
    chart.save(path)
