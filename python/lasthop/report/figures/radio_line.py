"""The time line of a report on the radio, and where its joules went, as one picture."""

from collections.abc import Mapping, Sequence
from typing import Any

from lasthop.report.figures.vega_lite import (
    SCHEMA,
    Axis,
    Color,
    End,
    Field,
    Layer,
    Scale,
    Spec,
    X,
    Y,
)
from lasthop.report.styles import ENERGY_CAUSES

CHANNELS = ("module", "NPRACH", "NPDCCH", "NPDSCH", "NPUSCH", "HARQ-ACK", "network")
_MS_NS = 1e6
_S_NS = 1e9
_WIDTH = 760
_OUTCOMES = ("received", "not received")


def radio_line_spec(
    radio: Mapping[str, Any],
    marks: Sequence[Mapping[str, Any]],
    waits: Sequence[tuple[int, int, str]],
    *,
    title: str,
) -> Spec:
    """Draw what was sent until the message was through, its waits, and the joules until sleep.

    Parameters
    ----------
    radio
        What the simulator tells: ``events`` by ``channel``, and ``spans`` by ``cause``.
    marks
        What happened to the message, by ``time_ns``.
    waits
        What the message waited for: begin and end in ns, and a name.
    """
    begin = marks[0]["time_ns"]
    through = max(marks[-1]["time_ns"], begin + 1)
    events = [
        {
            "from": (max(event["from_ns"], begin) - begin) / _MS_NS,
            "until": (min(event["until_ns"], through) - begin) / _MS_NS,
            "channel": event["channel"],
            "what": event["what"],
            "outcome": _OUTCOMES[not event["received"]],
        }
        for event in radio["events"]
        if event["from_ns"] < through
    ]
    used = [one for one in CHANNELS if any(event["channel"] == one for event in events)]
    lanes = (
        Layer("events")
        .marked("bar", height={"band": 0.6}, minWidth=1.5)
        .encoded(
            x=X("from:Q", title="ms since the message was due", scale=Scale(nice=False)),
            x2=End("until"),
            y=Y("channel:N", title=None, scale=Scale(domain=used), axis=Axis(grid=True)),
            color=Color(
                "outcome:N", scale=Scale(domain=list(_OUTCOMES), range=["#3b6fb5", "#d1495b"])
            ),
            tooltip=[Field("what:N")],
        )
    )
    charts = [{"width": _WIDTH, "height": 34 * max(len(used), 1), "layer": [lanes.spec()]}]
    data = {"events": events}
    waited = _waits(waits, begin)
    if waited:
        data["waits"] = waited
        names = list(dict.fromkeys(row["waits"] for row in waited))
        bars = (
            Layer("waits")
            .marked("bar", height={"band": 0.6}, minWidth=1.5, color="#8a6d3b")
            .encoded(
                x=X("from:Q", title="ms since the message was due", scale=Scale(nice=False)),
                x2=End("until"),
                y=Y(
                    "waits:N",
                    title="it waited for",
                    scale=Scale(domain=names),
                    axis=Axis(grid=True, labelLimit=320),
                ),
                tooltip=[Field("waits:N")],
            )
        )
        charts.append({"width": _WIDTH, "height": 24 * len(names), "layer": [bars.spec()]})
    drawn = _draws(radio["spans"], begin)
    if drawn:
        data["joules"] = drawn
        causes = [cause.replace("_", " ") for cause in ENERGY_CAUSES]
        present = [one for one in causes if any(row["cause"] == one for row in drawn)]
        bars = (
            Layer("joules")
            .marked("area", interpolate="linear")
            .encoded(
                x=X("at:Q", title="s, until the radio sleeps again", scale=Scale(nice=False)),
                y=Y("joules:Q", title="joules so far", stack="zero"),
                color=Color("cause:N", scale=Scale(domain=present), sort=present),
                order=Field("order:Q"),
            )
        )
        charts.append({"width": _WIDTH, "height": 170, "layer": [bars.spec()]})
    return {
        "$schema": SCHEMA,
        "title": {"text": title, "fontSize": 16},
        "vconcat": charts,
        "resolve": {"scale": {"color": "independent", "x": "independent"}},
        "datasets": data,
    }


def _waits(waits: Sequence[tuple[int, int, str]], begin: int) -> list[dict[str, Any]]:
    """Give each wait with its seconds in the name, what took longest first."""
    seconds: dict[str, float] = {}
    for start, end, name in waits:
        seconds[name] = seconds.get(name, 0.0) + (end - start) / _S_NS
    rows = [
        {
            "from": (start - begin) / _MS_NS,
            "until": (end - begin) / _MS_NS,
            "waits": f"{name}, {seconds[name]:.3f} s",
            "seconds": seconds[name],
        }
        for start, end, name in waits
    ]
    return sorted(rows, key=lambda row: (-row["seconds"], row["waits"], row["from"]))


def _draws(spans: Sequence[Mapping[str, Any]], begin: int) -> list[dict[str, Any]]:
    """Give the joules of each cause so far, at each end of a span; none without a profile."""
    if not spans or any(span["joules"] is None for span in spans):
        return []
    causes = [cause for cause in ENERGY_CAUSES if any(span["cause"] == cause for span in spans)]
    so_far = dict.fromkeys(causes, 0.0)
    rows: list[dict[str, Any]] = []

    def note(at_ns: int) -> None:
        rows.extend(
            {
                "at": (at_ns - begin) / _S_NS,
                "cause": cause.replace("_", " "),
                "joules": joules,
                "order": place,
            }
            for place, (cause, joules) in enumerate(so_far.items())
        )

    note(spans[0]["from_ns"])
    for span in spans:
        so_far[span["cause"]] += span["joules"]
        note(span["until_ns"])
    return rows
