"""The hops of a path as the run spec holds them: links, address translators, radio networks."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from lasthop.study.beside import file_beside
from lasthop.study.faults import Fault
from lasthop.study.nbiot.check import check
from lasthop.study.nbiot.form import Nbiot
from lasthop.study.nbiot.resolve import resolve
from lasthop.study.paths.impairments import DelayModel, GilbertElliott, LossProcess
from lasthop.study.paths.path import Direction, Nat, Path
from lasthop.study.paths.trace import read_trace

if TYPE_CHECKING:
    import pathlib

    from lasthop.study.assembly import Hop

Spec = dict[str, Any]


def hop_spec(hop: Hop, folder: pathlib.Path) -> Spec:
    """Give a hop of a run spec.

    Parameters
    ----------
    folder
        Where trace files are looked for.

    Raises
    ------
    Fault
        If its settings contradict each other.
    """
    try:
        return {"name": hop.name, "scope": hop.scope, **_settings(hop.settings, folder)}
    except Fault as fault:
        raise fault.within(hop.location) from None


def _settings(settings: Path | Nat | Nbiot, folder: pathlib.Path) -> Spec:
    match settings:
        case Nbiot():
            network = resolve(settings)
            check(network)
            return {"nbiot": network}
        case Nat():
            return {"nat": _nat(settings)}
        case Path():
            return {"link": _link(settings, folder)}


def _nat(nat: Nat) -> Spec:
    return {
        "udp_timeout_ns": nat.udp,
        "tcp_timeout_ns": nat.tcp,
        "rebind_every_ns": nat.rebind_every,
    }


def _link(path: Path, folder: pathlib.Path) -> Spec:
    for side, direction in (("up", path.up), ("down", path.down)):
        _check_rate(direction, side)
    if path.shared:
        _check_shared(path)
    return {
        "order": path.full_order(),
        "shared": path.shared,
        "up": _direction(path.up, "up", folder),
        "down": _direction(path.down, "down", folder),
    }


def _check_rate(direction: Direction, side: str) -> None:
    given = direction.model_fields_set
    if direction.rate is None:
        for key in ("queue", "burst", "rate_kind"):
            if key in given:
                raise Fault(
                    f"{key} without a rate has no effect",
                    hint='write "rate: 50 kbit/s" beside it',
                    location=(side, key),
                    at_key=True,
                )
    elif "burst" in given and direction.rate_kind == "serial":
        raise Fault(
            "a serial line has no burst",
            hint='remove it or write "rate_kind: token_bucket"',
            location=(side, "burst"),
            at_key=True,
        )


def _check_shared(path: Path) -> None:
    up, down = path.up, path.down
    if up.rate is None or down.rate is None:
        raise Fault(
            "a shared medium needs a rate",
            hint='write "rate: 50 kbit/s"',
            location=("shared",),
        )
    for key in ("rate", "rate_kind", "burst"):
        if getattr(up, key) != getattr(down, key):
            raise Fault(
                f"a shared medium has one {key}, not one each way",
                hint=f'write it once, as "path.{key}"',
                location=("up" if key in up.model_fields_set else "down", key),
                at_key=True,
            )


def _direction(direction: Direction, side: str, folder: pathlib.Path) -> Spec:
    return {
        "mtu_bytes": direction.mtu,
        "outages": [
            {"start_ns": outage.start, "duration_ns": outage.lasts, "every_ns": outage.every}
            for outage in direction.outages
        ],
        "loss": _loss(direction.loss),
        "delay": _delay(direction, side, folder),
        "rate": _rate(direction),
        "duplicate": _probability(direction.duplicate),
        "corrupt": _probability(direction.corrupt),
    }


def _probability(probability: float) -> Spec | None:
    return {"probability": probability} if probability > 0 else None


def _loss(loss: float | LossProcess) -> Spec | None:
    if not isinstance(loss, LossProcess):
        return {"bernoulli": {"probability": loss}} if loss > 0 else None
    if loss.packets is not None:
        return {"packets": {"indices": loss.packets}}
    burst = cast("GilbertElliott", loss.gilbert_elliott)  # the model allows nothing else
    losses = {"loss_in_good": burst.loss_in_good, "loss_in_bad": burst.loss_in_bad}
    if burst.good is not None:
        times = {"mean_good_ns": burst.good, "mean_bad_ns": burst.bad}
        return {"gilbert_elliott_time": {**times, **losses}}
    changes = {"good_to_bad": burst.to_bad, "bad_to_good": burst.to_good}
    return {"gilbert_elliott_packet": {**changes, **losses}}


def _rate(direction: Direction) -> Spec | None:
    if direction.rate is None:
        return None
    bucket = direction.rate_kind == "token_bucket"
    return {
        "bits_per_second": direction.rate,
        "kind": {"token_bucket": {"burst_bytes": direction.burst}} if bucket else "serial",
        "queue": {direction.queue.unit: direction.queue.amount},
    }


def _delay(direction: Direction, side: str, folder: pathlib.Path) -> Spec | None:
    delay = direction.delay
    if isinstance(delay, DelayModel):
        model = _delay_model(delay, side, folder)
    elif delay == 0:
        return None
    else:
        model = {"constant": {"delay_ns": delay}}
    return {"model": model, "reordering": direction.reordering}


def _delay_model(delay: DelayModel, side: str, folder: pathlib.Path) -> Spec:
    if delay.around is not None:
        return _around(delay.around, delay.spread or 0.0)
    if delay.uniform is not None:
        return {"uniform": {"from_ns": delay.uniform.lower, "to_ns": delay.uniform.upper}}
    if delay.normal is not None:
        return {"normal": {"mean_ns": delay.normal.mean, "sd_ns": delay.normal.sd}}
    if delay.pareto is not None:
        return {"pareto": {"minimum_ns": delay.pareto.minimum, "shape": delay.pareto.shape}}
    return {"trace": _trace(delay, side, folder)}


def _around(middle_ns: int, spread: float) -> Spec:
    half = round(Decimal(middle_ns) * Decimal(str(spread)))
    if half == 0:
        return {"constant": {"delay_ns": middle_ns}}
    return {"uniform": {"from_ns": middle_ns - half, "to_ns": middle_ns + half}}


def _trace(delay: DelayModel, side: str, folder: pathlib.Path) -> Spec:
    if isinstance(delay.trace, list):
        every = delay.every or 1
        times = [number * every for number in range(len(delay.trace))]
        period = len(delay.trace) * every
        return {"times_ns": times, "delays_ns": delay.trace, "period_ns": period}
    try:
        times, delays = read_trace(file_beside(folder, str(delay.trace)))
    except Fault as fault:
        raise fault.within((side, "delay", "trace")) from None
    return {"times_ns": times, "delays_ns": delays, "period_ns": None}
