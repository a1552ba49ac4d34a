"""Tells the base settings of a study in words, for the report and the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.devices import Arriving
from lasthop.study.energy import Energy, describe_energy
from lasthop.study.nbiot.resolve import resolve
from lasthop.study.nbiot.words import network_in_words
from lasthop.study.path import DelayModel, Direction, LossProcess
from lasthop.study.quantity import ARRIVALS, FRACTION, RATE, SIZE, TIME, format_quantity
from lasthop.study.timing import timing
from lasthop.study.traffic import JsonPayload, Traffic

if TYPE_CHECKING:
    from lasthop.study.model import StudyForm
    from lasthop.study.path import Path


def describe(form: StudyForm, *, quick: bool = False) -> dict[str, str]:
    """Give each base setting with its unit, in reading order."""
    spans = timing(form, quick=quick)
    described = {
        "devices": _devices(form.devices),
        "traffic": _traffic(form.traffic),
        "duration": _time(spans.duration_ns),
        "warm-up": _time(spans.warm_up_ns),
        "drain": _time(spans.drain_ns),
    }
    if form.measure.overload == "allow":
        described["overload"] = "allowed"
    if form.path.nbiot is not None:
        described["energy"] = describe_energy(form.energy or Energy())
        return described | network_in_words(resolve(form.path.nbiot))
    return described | _link(form.path)


def _link(path: Path) -> dict[str, str]:
    described: dict[str, str] = {}
    up, down = _direction(path.up), _direction(path.down)
    for name in {**up, **down}:
        there, back = up.get(name, "none"), down.get(name, "none")
        if there == back:
            described[name] = there
        else:
            described[f"{name} up"], described[f"{name} down"] = there, back
    if path.shared:
        described["medium"] = "shared by both directions"
    if path.nat is not None:
        nat = f"UDP mappings time out after {_time(path.nat.udp)}"
        if path.nat.rebind_every is not None:
            nat += f", change every {_time(path.nat.rebind_every)}"
        described["NAT"] = nat
    described["order"] = ", ".join(path.full_order())
    return described


def _devices(devices: int | Arriving) -> str:
    if not isinstance(devices, Arriving):
        return str(devices)
    arrive = format_quantity(devices.arrive, ARRIVALS)
    stay = f"stay {_time(devices.linger)} after, give up after {_time(devices.give_up)}"
    return f"{arrive} arrive in {'each cell' if devices.per == 'cell' else 'the network'}, {stay}"


def _time(ns: int) -> str:
    return format_quantity(ns, TIME)


def _percent(fraction: float) -> str:
    return format_quantity(fraction, FRACTION)


def _traffic(traffic: Traffic) -> str:
    payload = traffic.payload
    if not isinstance(payload, JsonPayload):
        size = format_quantity(payload, SIZE)
    elif payload.size is not None:
        size = f"{format_quantity(payload.size, SIZE)} of JSON"
    else:
        size = f"JSON fields {', '.join(payload.fields_written)}"
    if traffic.every is None:
        return f"{traffic.kind.replace('_', ' ')} of {size}, one a device"
    rhythm = "every" if traffic.arrivals == "periodic" else "at random, on average every"
    words = f"{traffic.kind.replace('_', ' ')} of {size} {rhythm} {_time(traffic.every)}"
    if traffic.burst > 1:
        words += f", {traffic.burst} at a time"
    if traffic.start:
        words += f", from {_time(traffic.start)} on"
    if traffic.at is not None:
        words += f", {_time(traffic.at)} after the start of each period"
    if traffic.spread:
        words += f", devices start within {_time(traffic.spread)}"
    elif traffic.spread is None and not traffic.is_in_step:
        words += ", each device at a moment of its own"
    return words


def _direction(direction: Direction) -> dict[str, str]:
    described = {"loss": _loss(direction.loss), "delay": _delay(direction)}
    if direction.rate is None:
        described["rate"] = "unlimited"
    else:
        described["rate"] = f"{format_quantity(direction.rate, RATE)} ({_line(direction)})"
        unit = direction.queue.unit
        described["queue"] = (
            format_quantity(direction.queue.amount, SIZE)
            if unit == "bytes"
            else f"{direction.queue.amount} packets"
        )
    described["MTU"] = format_quantity(direction.mtu, SIZE)
    if direction.outages:
        described["outages"] = "; ".join(
            f"from {_time(outage.start)} for {_time(outage.lasts)}"
            + (f", every {_time(outage.every)}" if outage.every is not None else "")
            for outage in direction.outages
        )
    for name in ("duplicate", "corrupt"):
        if getattr(direction, name) > 0:
            described[name] = _percent(getattr(direction, name))
    return described


def _line(direction: Direction) -> str:
    if direction.rate_kind == "serial":
        return "serial line"
    return f"token bucket of {format_quantity(direction.burst, SIZE)}"


def _loss(loss: float | LossProcess) -> str:
    if not isinstance(loss, LossProcess):
        return _percent(loss)
    burst = loss.gilbert_elliott
    if burst is None:
        return f"packets {', '.join(str(index) for index in (loss.packets or [])[:20])}"
    losses = f"losing {_percent(burst.loss_in_good)} and {_percent(burst.loss_in_bad)}"
    if burst.good is not None and burst.bad is not None:
        return f"in bursts: good for {_time(burst.good)}, bad for {_time(burst.bad)}, {losses}"
    into, out = _percent(burst.to_bad or 0.0), _percent(burst.to_good or 0.0)
    return f"in bursts: {into} a packet to bad, {out} to good, {losses}"


def _delay(direction: Direction) -> str:
    delay = direction.delay
    if not isinstance(delay, DelayModel):
        return _time(delay)
    if delay.around is not None:
        words = f"{_time(delay.around)} ± {_percent(delay.spread or 0.0)}, uniform"
    elif delay.uniform is not None:
        words = f"{_time(delay.uniform.lower)} to {_time(delay.uniform.upper)}, uniform"
    elif delay.normal is not None:
        words = f"{_time(delay.normal.mean)} ± {_time(delay.normal.sd)}, normal"
    elif delay.pareto is not None:
        words = f"{_time(delay.pareto.minimum)} or more, Pareto of shape {delay.pareto.shape:g}"
    elif isinstance(delay.trace, list):
        words = f"a trace of {len(delay.trace)} values, each for {_time(delay.every or 1)}"
    else:
        words = f"the trace {delay.trace}"
    return words if direction.reordering else f"{words}, no overtaking"
