"""Writes the study and the claims of a fit, with a comment on each fitted value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.fields.quantity import SIZE, TIME, format_quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lasthop.fitting.fit import Fit
    from lasthop.fitting.intervals import Ranged
    from lasthop.fitting.messages import FlowFit

LEAST_PAYLOAD_BYTES = 8
MOST_DEVICES = 1_000
_WITHIN = "10 %"
_MINIMUM_DURATION_S = 1.0
_MILLISECOND_NS = 10**6
_NAMES = {"up": "readings", "down": "commands"}
_SHOWN_SPREAD = 0.05


def compose(fit: Fit, *, name: str, claims: str, files: str) -> tuple[str, str]:
    """Write the study, and claims about the held-out part of the capture.

    Parameters
    ----------
    name
        Name of the study.
    claims
        Name of the claims file.
    files
        The capture as the user named it.
    """
    return "\n".join(_study(fit, name, claims, files)) + "\n", "\n".join(_claims(fit, files)) + "\n"


def _study(fit: Fit, name: str, claims: str, files: str) -> Iterator[str]:
    captured, held = fit.captured, fit.held_out
    yield f"# {captured.protocol} at port {captured.port} in {files}."
    yield f"# Fitted to the first {fit.fitted_s:.3f} s. The last {held.span_s:.3f} s are held out:"
    yield f"# {claims} holds the runs against them. What the capture does not tell:"
    yield from (f"# - {one}" for one in fit.unknown)
    for protocol, packets in captured.left_out.items():
        yield f"# - {packets} packets of other conversations ({protocol}), which are left out"
    yield f"study: {name}"
    yield f"duration: {_time(max(held.span_s, _MINIMUM_DURATION_S))}"
    yield "measure: {drain: 10 s}"
    yield "fleet:"
    yield "  # addresses that open conversations, and conversations of one that overlap in time"
    yield f"  devices: {{count: {min(captured.devices, MOST_DEVICES)}}}"
    yield "traffic:"
    for flow in fit.flows:
        yield from _flow(flow, fit.session)
    yield "paths:"
    yield from _path(fit)
    yield f"stacks: [{fit.stack}]"
    yield "repeat: 5"
    yield f"claims: {claims}"


def _flow(flow: FlowFit, session: str) -> Iterator[str]:
    way = "from: devices, report" if flow.direction == "up" else "to: devices, command"
    size = max(LEAST_PAYLOAD_BYTES, round(flow.mean_size))
    arrivals = "" if flow.arrivals == "periodic" else ", arrivals: poisson"
    opened = f", session: {session}" if flow.direction == "up" else ""
    yield f"  # {flow.messages} messages; size {_range(flow.size, 'B', 1)};"
    yield f"  # interval {_range(flow.interval, 's', 3)}"
    yield (
        f"  {_NAMES[flow.direction]}: {{{way}: {format_quantity(size, SIZE)}, "
        f"every: {_time(flow.every_s)}{arrivals}{opened}}}"
    )


def _path(fit: Fit) -> Iterator[str]:
    trip, loss = fit.path.round_trip_s, fit.path.loss
    delay, lost = "0 ms", "0 %"
    if trip is not None:
        yield f"  # round trip {_range(trip, 'ms', 1, factor=1000)}, by {fit.path.by}"
        delay = f"{_number(1000 * trip.value / 2)} ms"
    if loss is not None:
        yield f"  # loss {_range(loss, '%', 2, factor=100)}, by what was sent again"
        lost = f"{_number(100 * loss.value)} %"
    yield f"  network: {{delay: {delay}, loss: {lost}}}"


def _claims(fit: Fit, files: str) -> Iterator[str]:
    held = fit.held_out
    yield f"# Measured in the last {_time(held.span_s)} of {files}. The study was not fitted to it."
    yield f"paper: capture {files.replace(':', ' ')}"
    yield "claims:"
    rules = [
        ("messages", "messages_offered", f"{held.messages}", "messages in the part held out"),
        (
            "bytes",
            "wire_bytes_per_message",
            f"{round(held.bytes_per_message)} B",
            "IP bytes of a message in the part held out, both ways",
        ),
    ]
    if held.response_ms is not None and _is_answered(fit.stack):
        rules.append(
            (
                "response",
                "response_mean",
                f"{_number(held.response_ms)} ms",
                "mean time until a message is answered in the part held out",
            )
        )
    for name, column, value, what in rules:
        yield f"  - id: {name}"
        yield "    kind: value"
        yield f"    what: {what}"
        yield f'    published: "{value}"'
        yield f"    source: {files}, held out"
        yield (
            f"    rules: [{{column: {column}, stacks: [{fit.stack}], part: base, "
            f"equals: {value}, within: {_WITHIN}}}]"
        )


def _is_answered(stack: str) -> bool:
    """Return whether the first response shows a sender that its message arrived.

    At QoS 2 they learn by the second one.
    """
    silent = ("qos=0", "qos=2", "type=non")
    return not (stack.startswith("raw_") or any(option in stack for option in silent))


def _range(found: Ranged, unit: str, digits: int, *, factor: float = 1.0) -> str:
    value, low, high = (f"{factor * it:.{digits}f}" for it in (found.value, found.low, found.high))
    return f"{value} {unit} (95 %: {low} to {high}; {found.samples} samples)"


def _number(value: float) -> str:
    """Format a number with at most three decimals.

    Examples
    --------
    >>> _number(80.0), _number(1.23456)
    ('80', '1.235')
    """
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _time(seconds: float) -> str:
    """Format a time with a resolution of one millisecond.

    Examples
    --------
    >>> _time(12.3456)
    '12346 ms'
    """
    return format_quantity(max(1, round(1000 * seconds)) * _MILLISECOND_NS, TIME)
