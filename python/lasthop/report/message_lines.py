"""Time lines of a few messages, which the page shows when their dots are clicked."""

from typing import Any

from lasthop.errors import LasthopError
from lasthop.explained import MessageName, explain_message
from lasthop.report.figures import Figure
from lasthop.report.source import ReportSource

MOST_MESSAGES = 5_000
"""Of a run that is simulated again for the page; a larger run has the command alone."""
_MOST_EVENTS = 120


def message_lines(source: ReportSource, figure: Figure) -> dict[str, Any] | None:
    """Give what the page shows of single messages of a figure; None where it shows none.

    A run in real time and a large one are not simulated again: then the page gives the command.
    """
    shown = figure.shown_run
    if shown is None:
        return None
    spec = source.virtual_spec(shown.run_id) if shown.messages <= MOST_MESSAGES else None
    told = {}
    for name in shown.names if spec is not None else ():
        events = _events(str(spec), name)
        if events and events[0]["time_ns"] == shown.instants[name]:
            told[name] = [_line(event, events[0]["time_ns"]) for event in events[:_MOST_EVENTS]]
    return {
        "command": source.explain_command(shown.run_id, "\0"),
        "names": list(shown.names),
        "told": told,
    }


def _events(spec: str, name: str) -> list[dict[str, Any]]:
    """Simulate the run again; nothing where this version cannot, for example without a module."""
    try:
        events: list[dict[str, Any]] = explain_message(spec, MessageName.parse(name))["events"]
    except LasthopError:
        return []
    return events


def _line(event: dict[str, Any], origin: int) -> list[Any]:
    return [(event["time_ns"] - origin) / 1e6, event["where"], event["what"]]
