"""Draw who is ahead along each factor: a strip for each pair of stacks, a dot for each paper.

``python studies/conflicting-winners/figure.py FOLDER FOLDER OUT``, of the results of study.yaml and
at-work.yaml, into a file that ends in .svg, .png or .pdf.

A strip changes its colour where the winner changes; the short rule there is the 95 % interval of
that value. Latency is that of what arrives, as in the first table of matrix.py.
"""

import sys
from collections.abc import Iterator, Mapping
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Final

import polars as pl
from matrix import FACTORS, PAIRS, Factor, Pair, change, line

from lasthop import Results
from lasthop.cli.script import run_script
from lasthop.errors import UsageError
from lasthop.report.figures.vega_lite import side_by_side
from lasthop.report.write import write_picture

COLUMN: Final = "latency_mean_ms"
TITLE: Final = "Who is ahead in mean latency, and where the papers stand"
WINNERS: Final = {1: "the first of the pair", 0: "equal within 5 %", -1: "the second of the pair"}
COLOURS: Final = ("#0072b2", "#d9dde3", "#d55e00")
LOGARITHMIC: Final = {"session", "round_trip", "payload", "rate", "round_trip_at_work"}
WIDTH, ROW, COLUMNS = 300, 17, 2

PAPERS: Final[Mapping[str, Mapping[str, tuple[float, ...]]]] = {
    "Chen & Kunz 2016": {
        "session": (100,),
        "loss": (0, 5, 10, 15, 20, 25),
        "round_trip": (4, 204, 400),
        "payload": (409,),
        "rate": (4, 6.25, 12.5, 25, 50, 100),
    },
    "Google 2018": {
        "session": (1, 100),
        "loss": (0,),
        "loss_with_short_sessions": (0,),
        "round_trip": (26.7,),
        "payload": (33, 330, 3300),
        "message_work": (13.3,),
    },
    "Larmo 2019": {"session": (1,), "payload": (25, 400)},
    "Yudayev 2019": {
        "session": (1, 100),
        "loss": (0,),
        "round_trip": (2,),
        "payload": (31,),
        "clients": (10, 100),
    },
    "EMQ 2022": {
        "session": (1,),
        "loss": (10,),
        "loss_with_short_sessions": (0,),
        "round_trip": (1, 10, 30),
        "round_trip_at_work": (1, 10, 30),
    },
}
"""Where each paper stands on a factor, as the page has it; a session that is kept is at 100."""


def strips(runs: pl.DataFrame, factor: Factor, pair: Pair) -> Iterator[dict[str, Any]]:
    """Give the stretches of a pair along a factor, each with its winner."""
    found = line(runs, factor, pair, COLUMN)
    if found is None:
        return
    signs = found.signs()
    places = [
        (left, change(found, left, right))
        for left, right in pairwise(range(len(signs)))
        if signs[left] != signs[right]
    ]
    ends = [found.positions[0], *(at[1] for _, at in places), found.positions[-1]]
    winners = [sign for sign, _ in groupby(signs)]
    for (start, end), winner in zip(pairwise(ends), winners, strict=True):
        yield {"row": named(pair), "from": start, "to": end, "ahead": WINNERS[winner]}


def flips(runs: pl.DataFrame, factor: Factor, pair: Pair) -> Iterator[dict[str, Any]]:
    """Give the interval of each value at which the winner changes."""
    found = line(runs, factor, pair, COLUMN)
    signs = [] if found is None else found.signs()
    for left, right in pairwise(range(len(signs))):
        if found is not None and signs[left] != signs[right]:
            low, _, high = change(found, left, right)
            yield {"row": named(pair), "low": low, "high": high}


def named(pair: Pair) -> str:
    """Name the row of a pair."""
    return f"{pair.one} against {pair.other}"


def chart(runs: pl.DataFrame, factor: Factor) -> dict[str, Any]:
    """Draw one factor."""
    bars = [row for pair in PAIRS for row in strips(runs, factor, pair)]
    rules = [row for pair in PAIRS for row in flips(runs, factor, pair)]
    dots = [
        {"row": paper, "at": at}
        for paper, places in PAPERS.items()
        for at in places.get(factor.part, ())
    ]
    here = {row["row"] for row in (*bars, *dots)}
    rows = [row for row in (*PAPERS, *map(named, PAIRS)) if row in here]
    title = factor.what + (f" ({factor.unit})" if factor.unit else "")
    kind = {"type": "log"} if factor.part in LOGARITHMIC else {"type": "linear"}
    ends = [end for row in bars for end in (row["from"], row["to"])]
    scale = {**kind, "domain": [min(ends), max(ends)], "nice": False, "clamp": True}
    axis = {"format": ",.6~g", "tickCount": 5, "labelOverlap": True}
    x = {"type": "quantitative", "title": title, "scale": scale, "axis": axis}
    y = {"field": "row", "type": "nominal", "title": None, "scale": {"domain": rows}}
    y["axis"] = {"labelLimit": 220, "grid": False, "ticks": False, "domain": False}
    colour = {
        "field": "ahead",
        "type": "nominal",
        "scale": {"domain": list(WINNERS.values()), "range": list(COLOURS)},
        "legend": {"title": None, "orient": "bottom", "columns": 3, "symbolType": "square"},
    }
    return {
        "title": factor.what,
        "width": WIDTH,
        "height": ROW * len(rows),
        "layer": [
            {
                "data": {"values": bars},
                "mark": {"type": "bar", "height": 10},
                "encoding": {
                    "x": x | {"field": "from"},
                    "x2": {"field": "to"},
                    "y": y,
                    "color": colour,
                },
            },
            {
                "data": {"values": rules},
                "mark": {"type": "rule", "strokeWidth": 2, "color": "#1c2430"},
                "encoding": {"x": x | {"field": "low"}, "x2": {"field": "high"}, "y": y},
            },
            {
                "data": {"values": dots},
                "mark": {"type": "point", "filled": True, "size": 60, "color": "#1c2430"},
                "encoding": {"x": x | {"field": "at"}, "y": y},
            },
        ],
    }


def spec(runs: pl.DataFrame) -> dict[str, Any]:
    """Draw every factor beside the others."""
    charts = [chart(runs, factor) for factor in FACTORS]
    # Readers have wider letters than the program that measures them here.
    room = {"left": 40, "right": 20, "top": 5, "bottom": 5}
    return side_by_side(charts, title=TITLE, columns=COLUMNS) | {"padding": room}


def main() -> None:
    """Write the figure."""
    if len(sys.argv) != 4:  # noqa: PLR2004  (two folders and a file)
        usual = "results/conflicting-winners results/conflicting-winners-at-work figure.svg"
        message = f"two result folders and a file are needed; write: python {sys.argv[0]} {usual}"
        raise UsageError(message)
    *folders, out = map(Path, sys.argv[1:])
    runs = pl.concat([Results(folder).runs for folder in folders], how="diagonal_relaxed")
    write_picture(spec(runs), out)


if __name__ == "__main__":
    run_script(main)
