"""Vega-Lite configurations: one for a light page, one for a dark one."""

from dataclasses import dataclass
from typing import Any

from lasthop.report.styles import STACK_COLOURS, Mode, energy_colours, ledger_colours

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True, slots=True)
class Inks:
    """The neutral colours of a mode: of the page and of its figures."""

    page: str
    card: str
    text: str
    quiet: str
    line: str
    grid: str


INKS: dict[Mode, Inks] = {
    "light": Inks("#f6f7f9", "#ffffff", "#1b2430", "#566273", "#c9d0da", "#e9ecf1"),
    "dark": Inks("#10151c", "#18202a", "#e8edf4", "#a3afbf", "#3d4a5a", "#27313d"),
}


_PRINT = Inks("#ffffff", "#ffffff", "#000000", "#000000", "#000000", "#d9d9d9")


def vega_config(mode: Mode) -> dict[str, Any]:
    """Return the configuration that draws a figure for a light or a dark page."""
    return _config(mode, INKS[mode])


def print_config() -> dict[str, Any]:
    """Return the configuration for paper: black on white, in a face that every printer has."""
    return _config("light", _PRINT) | {
        "background": "white",
        "font": "Helvetica, Arial, sans-serif",
    }


def _config(mode: Mode, inks: Inks) -> dict[str, Any]:
    return {
        "background": None,
        "font": FONT,
        "padding": 4,
        "view": {"stroke": None},
        "range": {
            "category": list(STACK_COLOURS[mode]),
            "ordinal": [*ledger_colours(mode), *energy_colours(mode)],
        },
        "axis": {
            "domainColor": inks.line,
            "gridColor": inks.grid,
            "labelColor": inks.quiet,
            "labelFontSize": 12,
            "labelPadding": 6,
            "tickColor": inks.line,
            "tickSize": 4,
            "titleColor": inks.text,
            "titleFontSize": 12,
            "titleFontWeight": 500,
            "titlePadding": 10,
        },
        "axisX": {"grid": False},
        "axisY": {"domain": False, "ticks": False},
        "legend": {
            "labelColor": inks.text,
            "labelFontSize": 12,
            "labelLimit": 420,
            "orient": "bottom",
            "columns": 2,
            "symbolStrokeWidth": 2,
            "title": None,
        },
        "title": {
            "anchor": "start",
            "color": inks.text,
            "fontSize": 13,
            "fontWeight": 600,
            "offset": 12,
        },
        "text": {"color": inks.quiet, "fontSize": 11},
        "line": {"strokeWidth": 2, "strokeJoin": "round"},
        "point": {"size": 55, "filled": True, "opacity": 1},
        "rule": {"strokeWidth": 1.5},
        "style": {
            "crash": {"color": STACK_COLOURS[mode][1], "strokeDash": [4, 3]},
            "event": {"color": STACK_COLOURS[mode][2], "strokeDash": [1, 3]},
            "flip": {"color": inks.quiet, "strokeDash": [5, 4], "strokeWidth": 1.5},
            "flip-range": {"color": inks.quiet, "opacity": 0.18},
            "limit": {"color": inks.text, "strokeWidth": 1.5},
            "lost": {"color": STACK_COLOURS[mode][1], "fontSize": 13},
            "open-interval": {"strokeDash": [3, 3], "opacity": 0.6},
            "overload-line": {"strokeDash": [2, 4]},
            "overload-run": {"strokeWidth": 1.5},
        },
    }
