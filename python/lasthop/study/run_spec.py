"""Builds the run spec: the resolved document that the simulator reads, every default written."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from lasthop.study.beside import file_beside
from lasthop.study.devices import Arriving
from lasthop.study.energy import energy_of_radio, energy_spec
from lasthop.study.faults import Fault, show
from lasthop.study.nbiot.check import check
from lasthop.study.nbiot.resolve import resolve
from lasthop.study.path import (
    DelayModel,
    Direction,
    GilbertElliott,
    LossProcess,
    Path,
)
from lasthop.study.quantity import ARRIVALS
from lasthop.study.stacks.spec import stack_spec
from lasthop.study.timing import timing
from lasthop.study.trace import read_trace
from lasthop.study.traffic import JsonPayload, Traffic
from lasthop.version import __version__

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator, Sequence

    from lasthop.study.model import StudyForm
    from lasthop.study.stacks.notation import ResolvedStack

RUN_SPEC_FORMAT = 1
IPV6_MTU_BYTES = 1_280

Spec = dict[str, Any]


def conditions_spec(form: StudyForm, *, folder: pathlib.Path, quick: bool) -> Spec:
    """Build everything of a run spec that the stack and the seed leave alone.

    Parameters
    ----------
    form
        The study at one point of its grid.
    folder
        Where trace files are looked for.
    quick
        Cap the spans.

    Raises
    ------
    Fault
        If the point contradicts itself.
    """
    spans = timing(form, quick=quick)
    arriving = isinstance(form.devices, Arriving)
    return {
        "format": RUN_SPEC_FORMAT,
        "population": _population(form),
        "server": "per_device" if arriving else "shared",
        "traffic": _traffic(form.traffic, duration_ns=spans.duration_ns),
        "measure": {
            "warm_up_ns": spans.warm_up_ns,
            "drain_ns": spans.drain_ns,
            "set_up_ns": spans.set_up_ns,
            "messages": form.measure.messages or ("summed" if arriving else "each"),
        },
        "path": _path(form.path, folder),
        "energy": energy_spec(energy_of_radio(form.energy, has_radio=form.path.nbiot is not None)),
    }


def check_mtu(path: Path, stack: ResolvedStack) -> None:
    """Check that a path carries the IP version of a stack.

    Raises
    ------
    Fault
        If IPv6 would meet less than 1280 B (RFC 8200, 5), which it leaves to the link to mend.
    """
    if path.nbiot is not None or stack.options.get("ip.version") != "6":
        return
    for side, direction in (("up", path.up), ("down", path.down)):
        if direction.mtu < IPV6_MTU_BYTES:
            raise Fault(
                f"IPv6, of {show(stack.name)}, needs an MTU of {IPV6_MTU_BYTES} B (RFC 8200, 5)",
                hint=f'write "{IPV6_MTU_BYTES} B" or more, or "ip.version=4" in the stack',
                location=("path", side, "mtu"),
            )


def run_spec(conditions: Spec, stack: ResolvedStack, *, seed: int) -> str:
    """Give the canonical JSON of a run."""
    return canonical_json({**conditions, "stack": stack_spec(stack), "seed": seed})


def run_specs(conditions: Spec, stack: ResolvedStack, seeds: Sequence[int]) -> Iterator[str]:
    """Give what `run_spec` gives for each seed, writing what they share once."""
    shared = {**conditions, "stack": stack_spec(stack)}
    before = {key: value for key, value in shared.items() if key < "seed"}
    after = {key: value for key, value in shared.items() if key > "seed"}
    head, tail = canonical_json(before)[:-1], canonical_json(after)[1:]
    for seed in seeds:
        yield f'{head},"seed":{seed},{tail}'


def canonical_json(value: object) -> str:
    """Write JSON in the one form that is hashed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def identity(spec_json: str, *, digits: int, version: str = __version__) -> str:
    """Hash a run spec with the version of lasthop."""
    text = f"{spec_json}\n{version}"
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


def _population(form: StudyForm) -> Spec:
    devices = form.devices
    if not isinstance(devices, Arriving):
        return {"fixed": {"devices": devices}}
    cells = 1 if devices.per == "cell" or form.path.nbiot is None else form.path.nbiot.cells
    return {
        "arriving": {
            "per_second_per_cell": devices.arrive / ARRIVALS.column_factor / cells,
            "linger_ns": devices.linger,
            "give_up_ns": devices.give_up,
        }
    }


def _traffic(traffic: Traffic, *, duration_ns: int) -> Spec:
    payload = traffic.payload
    if isinstance(payload, JsonPayload):
        written: Spec = {"json": {"fields": payload.text(), "bytes": payload.size}}
    else:
        written = {"text": {"bytes": payload}}
    return {
        "kind": traffic.kind,
        "payload": written,
        "arrivals": _arrivals(traffic),
        "burst": traffic.burst,
        "start_ns": traffic.start + (traffic.at or 0),
        "spread_ns": traffic.spread_within(duration_ns),
        "duration_ns": duration_ns,
    }


def _arrivals(traffic: Traffic) -> Spec | str:
    if traffic.every is None:
        return "once"
    if traffic.arrivals == "periodic":
        return {"periodic": {"every_ns": traffic.every}}
    return {"poisson": {"mean_ns": traffic.every}}


def _path(path: Path, folder: pathlib.Path) -> Spec:
    if path.nbiot is None:
        return {"link": _link(path, folder)}
    try:
        network = resolve(path.nbiot)
        check(network)
    except Fault as fault:
        raise fault.within(("path", "nbiot")) from None
    return {"nbiot": network}


def _link(path: Path, folder: pathlib.Path) -> Spec:
    for side, direction in (("up", path.up), ("down", path.down)):
        _check_rate(direction, side)
    if path.shared:
        _check_shared(path)
    nat = path.nat
    return {
        "order": path.full_order(),
        "shared": path.shared,
        "nat": nat
        and {
            "udp_timeout_ns": nat.udp,
            "tcp_timeout_ns": nat.tcp,
            "rebind_every_ns": nat.rebind_every,
        },
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
                    location=("path", side, key),
                    at_key=True,
                )
    elif "burst" in given and direction.rate_kind == "serial":
        raise Fault(
            "a serial line has no burst",
            hint='remove it or write "rate_kind: token_bucket"',
            location=("path", side, "burst"),
            at_key=True,
        )


def _check_shared(path: Path) -> None:
    up, down = path.up, path.down
    if up.rate is None or down.rate is None:
        raise Fault(
            "a shared medium needs a rate",
            hint='write "rate: 50 kbit/s"',
            location=("path", "shared"),
        )
    for key in ("rate", "rate_kind", "burst"):
        if getattr(up, key) != getattr(down, key):
            raise Fault(
                f"a shared medium has one {key}, not one each way",
                hint=f'write it once, as "path.{key}"',
                location=("path", "up" if key in up.model_fields_set else "down", key),
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
        raise fault.within(("path", side, "delay", "trace")) from None
    return {"times_ns": times, "delays_ns": delays, "period_ns": None}
