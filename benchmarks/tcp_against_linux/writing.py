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

    from benchmarks.tcp_against_linux.compare import Arms, Comparison, Quantile
    from benchmarks.tcp_against_linux.grid import Cell, Flow, FlowId

STEPS = 50
"""The points of a curve."""

BEGIN, END = "<!-- table:start -->\n", "<!-- table:end -->\n"

_WORKLOADS = {"upload": "30 kB", "thin": "400 B at 4/s"}
_WHO = {"ours": "#d1495b", "Linux": "#30638e"}


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


def write_figure(path: Path, arms: Arms, cells: Sequence[Cell], workload: str) -> None:
    """Draw the distributions of the completion times of a workload, a panel for each cell."""
    points: list[dict[str, Any]] = [
        {
            "who": who,
            "path": f"{cell.delay_ms} ms, {cell.loss_percent:g} %",
            "how": f"{cell.congestion}{', time stamps' if cell.timestamps else ''}",
            "seconds": compare.quantile(values, step / STEPS),
            "share": step / STEPS,
        }
        for cell in cells
        if cell.workload == workload
        for who, parts in (("ours", arms.ours), ("Linux", arms.linux))
        for values in [_completions(parts, cell)]
        for step in range(1, STEPS + 1)
    ]
    drawn = [point for point in points if math.isfinite(point["seconds"])]
    columns: list[str] = list(dict.fromkeys(point["path"] for point in points))
    chart = (
        alt.Chart(pl.DataFrame(drawn))
        .mark_line(interpolate="step-after", strokeWidth=1.2, opacity=0.85)
        .encode(
            x=alt.X("seconds:Q", title="completion time, s")
            .scale(type="log", zero=False, nice=False)
            .axis(grid=False, tickCount=3, labelFontSize=8),
            y=alt.Y("share:Q", title="share of flows").axis(tickCount=2, labelFontSize=8),
            color=alt.Color("who:N", title=None).scale(
                domain=list(_WHO), range=list(_WHO.values())
            ),
            strokeDash=alt.StrokeDash("who:N", title=None).scale(
                domain=list(_WHO), range=[[1, 0], [4, 2]]
            ),
            order="share:Q",
        )
        .properties(width=110, height=70)
        .facet(
            row=alt.Row("how:N", title=None).header(labelFontSize=9),
            column=alt.Column("path:N", title=None, sort=columns).header(labelFontSize=9),
        )
        .resolve_scale(x="independent")
        .properties(title=f"{_WORKLOADS[workload]}: one-way delay, loss each way")
    )
    chart.save(path)


def _completions(parts: Sequence[Mapping[FlowId, Flow]], cell: Cell) -> list[float]:
    return [
        known.completion_s for part in parts for flow, known in part.items() if flow[0] == cell.cell
    ]
