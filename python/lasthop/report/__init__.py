"""The report: the answer to a study and the figures behind it, in one file."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lasthop.answer.decision import Decision, Outcome, PointDecision, decide
    from lasthop.report.write import figure_names, write_figure, write_report

__all__ = [
    "Decision",
    "Outcome",
    "PointDecision",
    "decide",
    "figure_names",
    "write_figure",
    "write_report",
]

# Imported on first use: who only wants the decision need not load what draws.
_HOMES = {
    "Decision": "lasthop.answer.decision",
    "Outcome": "lasthop.answer.decision",
    "PointDecision": "lasthop.answer.decision",
    "decide": "lasthop.answer.decision",
    "figure_names": "lasthop.report.write",
    "write_figure": "lasthop.report.write",
    "write_report": "lasthop.report.write",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        message = f"module 'lasthop.report' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(home), name)
