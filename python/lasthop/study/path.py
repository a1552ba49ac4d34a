"""The path of a study: one hop with impairments each way, and a NAT."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Tag, field_validator, model_validator

from lasthop.study.faults import Fault, show, suggestion
from lasthop.study.form import (
    SCALAR_OR_MAPPING,
    Form,
    LongPositiveTime,
    Number,
    Percentage,
    PositiveTime,
    Quantity,
    QueueLimit,
    QueueSize,
    Rate,
    Switch,
    Time,
)
from lasthop.study.nbiot.form import Nbiot  # noqa: TC001  (pydantic reads it)
from lasthop.study.quantity import SIZE, TIME

DEFAULT_ORDER = ("mtu", "outage", "loss", "rate", "delay", "corrupt", "duplicate")
"""The order in which a packet meets the impairments of a direction."""

MAXIMUM_TRACE_POINTS = 100_000

_MTU_MINIMUM_BYTES = 68
_MTU_MAXIMUM_BYTES = 65_535


HoldingTime = Annotated[int, Quantity(TIME, "5 s", minimum=1_000)]


class GilbertElliott(Form):
    """Losses in bursts: a good and a bad state, changed per packet or over time."""

    to_bad: Percentage | None = Field(default=None, examples=["2 %"])
    """Probability per packet of leaving the good state."""
    to_good: Percentage | None = Field(default=None, examples=["18 %"])
    """Probability per packet of leaving the bad state."""
    good: HoldingTime | None = Field(default=None, examples=["5 s"])
    """Mean time spent in the good state."""
    bad: HoldingTime | None = Field(default=None, examples=["500 ms"])
    """Mean time spent in the bad state."""
    loss_in_bad: Percentage = Field(default=1.0, examples=["100 %"])
    """Loss of a packet in the bad state."""
    loss_in_good: Percentage = Field(default=0.0, examples=["0 %"])
    """Loss of a packet in the good state."""

    @model_validator(mode="after")
    def _one_way(self) -> GilbertElliott:
        pairs = [("to_bad", "to_good"), ("good", "bad")]
        given = [pair for pair in pairs if set(pair) & self.model_fields_set]
        if len(given) != 1:
            raise Fault(
                "give either probabilities per packet or mean times",
                hint='write "to_bad: 2 %, to_good: 18 %" or "good: 5 s, bad: 500 ms"',
            )
        missing = [key for key in given[0] if key not in self.model_fields_set]
        if missing:
            example = {"to_bad": "2 %", "to_good": "18 %", "good": "5 s", "bad": "500 ms"}
            raise Fault(
                f'the key "{missing[0]}" is missing',
                hint=f'write "{missing[0]}: {example[missing[0]]}"',
            )
        return self


def _exactly_one(form: Form, keys: tuple[str, ...], sketch: str) -> str:
    given = [key for key in keys if key in form.model_fields_set]
    if len(given) == 1:
        return given[0]
    what = f"both {given[0]} and {given[1]} are given" if given else "says nothing"
    raise Fault(what, hint=f"write one of {sketch}")


class LossProcess(Form):
    """Losses that are not independent."""

    gilbert_elliott: GilbertElliott | None = Field(
        default=None, examples=["{to_bad: 2 %, to_good: 18 %}"]
    )
    """Losses in bursts."""
    packets: list[Annotated[int, Field(ge=1, le=10**12)]] | None = Field(
        default=None, min_length=1, max_length=MAXIMUM_TRACE_POINTS, examples=["[1, 7]"]
    )
    """Exactly these packets of the direction are lost, counted from 1."""

    @model_validator(mode="after")
    def _one_form(self) -> LossProcess:
        _exactly_one(self, ("gilbert_elliott", "packets"), "gilbert_elliott, packets")
        return self

    @field_validator("packets")
    @classmethod
    def _ascending(cls, packets: list[int] | None) -> list[int] | None:
        if packets is not None and any(b <= a for a, b in pairwise(packets)):
            raise Fault("the packets are not in ascending order", hint='write "[1, 7]"')
        return packets


class Outage(Form):
    """A time in which nothing passes."""

    start: Time = Field(examples=["7 s"])
    """When it begins, from the start of the run."""
    lasts: PositiveTime = Field(alias="for", examples=["30 s"])
    """How long it lasts."""
    every: PositiveTime | None = Field(default=None, examples=["60 s"])
    """It comes again after this time."""

    @model_validator(mode="after")
    def _ends(self) -> Outage:
        if self.every is not None and self.every <= self.lasts:
            raise Fault(
                "the outage comes again before it has ended",
                hint='write an "every" that is longer than "for"',
                location=("every",),
            )
        return self


class Uniform(Form):
    """Delays of equal probability between two bounds."""

    lower: Time = Field(alias="from", examples=["80 ms"])
    """Smallest delay."""
    upper: Time = Field(alias="to", examples=["120 ms"])
    """Largest delay."""

    @model_validator(mode="after")
    def _ordered(self) -> Uniform:
        if self.lower > self.upper:
            raise Fault('"from" is larger than "to"', hint="exchange them", location=("from",))
        return self


class Normal(Form):
    """Delays of a normal distribution, cut at 0."""

    mean: Time = Field(examples=["100 ms"])
    """Mean delay."""
    sd: Time = Field(examples=["10 ms"])
    """Standard deviation."""


class Pareto(Form):
    """Delays of a Pareto distribution: rarely very long."""

    minimum: PositiveTime = Field(examples=["50 ms"])
    """Smallest delay."""
    shape: Annotated[float, Number(above=0.0)] = Field(examples=["2.5"])
    """Tail index; the smaller, the longer the tail."""


class DelayModel(Form):
    """Delays that vary."""

    around: Time | None = Field(default=None, examples=["100 ms"])
    """Middle of a uniform distribution."""
    spread: Percentage | None = Field(default=None, examples=["20 %"])
    """Half width of the distribution around the middle."""
    uniform: Uniform | None = Field(default=None, examples=["{from: 80 ms, to: 120 ms}"])
    """Between two bounds."""
    normal: Normal | None = Field(default=None, examples=["{mean: 100 ms, sd: 10 ms}"])
    """A normal distribution."""
    pareto: Pareto | None = Field(default=None, examples=["{minimum: 50 ms, shape: 2.5}"])
    """A Pareto distribution."""
    trace: str | list[Time] | None = Field(default=None, examples=["[100 ms, 120 ms]"])
    """Delays in turn, or a CSV file with the header time_s,delay_ms beside the study."""
    every: PositiveTime | None = Field(default=None, examples=["1 s"])
    """How long each delay of a written trace holds; the trace then repeats."""

    @field_validator("trace", mode="before")
    @classmethod
    def _trace_form(cls, trace: object) -> object:
        if not isinstance(trace, str | list):
            raise Fault(f"{show(trace)} is not a trace", hint='write "[100 ms, 120 ms]" or a file')
        if isinstance(trace, list) and not 1 <= len(trace) <= MAXIMUM_TRACE_POINTS:
            raise Fault(f"a trace of {len(trace)} delays", hint='write "[100 ms, 120 ms]"')
        return (
            [_trace_delay(item, index) for index, item in enumerate(trace)]
            if isinstance(trace, list)
            else trace
        )

    @model_validator(mode="after")
    def _one_form(self) -> DelayModel:
        forms = ("around", "uniform", "normal", "pareto", "trace")
        chosen = _exactly_one(self, forms, ", ".join(forms))
        self._require("spread", wanted=chosen == "around", example="20 %", beside="around")
        written = chosen == "trace" and isinstance(self.trace, list)
        self._require("every", wanted=written, example="1 s", beside="a written trace")
        return self

    def _require(self, key: str, *, wanted: bool, example: str, beside: str) -> None:
        given = key in self.model_fields_set
        if wanted and not given:
            raise Fault(f'the key "{key}" is missing', hint=f'write "{key}: {example}"')
        if given and not wanted:
            raise Fault(
                f'"{key}" belongs to {beside}', hint="remove it", location=(key,), at_key=True
            )


def _trace_delay(value: object, index: int) -> object:
    try:
        Quantity(kind=TIME, example="100 ms").read(value)
    except Fault as fault:
        raise fault.within((index,)) from None
    return value


class Nat(Form):
    """A NAT in front of the device."""

    udp: LongPositiveTime = Field(examples=["120 s"])
    """A UDP mapping without a packet for this time is forgotten."""
    tcp: LongPositiveTime = Field(default=7440 * 10**9, examples=["1 h"])
    """The same for TCP; by default 124 min, as RFC 5382 asks for."""
    rebind_every: LongPositiveTime | None = Field(default=None, examples=["5 min"])
    """All mappings are changed at this interval."""


class Direction(Form):
    """The impairments of one direction."""

    elsewhere: ClassVar[dict[str, str]] = {
        key: f'it is the same both ways; write it as "path.{key}"'
        for key in ("shared", "order", "nat")
    }

    loss: Annotated[
        Annotated[Percentage, Tag("<value>")] | Annotated[LossProcess, Tag("<mapping>")],
        SCALAR_OR_MAPPING,
    ] = Field(default=0.0, examples=["10 %"])
    """Loss of packets, independent or as a process."""
    outages: list[Outage] = Field(
        default_factory=list, max_length=1000, examples=["[{start: 7 s, for: 30 s}]"]
    )
    """Times in which nothing passes."""
    delay: Annotated[
        Annotated[Time, Tag("<value>")] | Annotated[DelayModel, Tag("<mapping>")],
        SCALAR_OR_MAPPING,
    ] = Field(default=0, examples=["100 ms"])
    """Delay of packets, constant or varying."""
    reordering: Switch = Field(default=True, examples=["off"])
    """Whether a packet may overtake another one."""
    rate: Rate | None = Field(default=None, examples=["6.25 kB/s"])
    """Rate of IP bytes; without it the link is infinitely fast."""
    rate_kind: Literal["token_bucket", "serial"] = Field(
        default="token_bucket", examples=["token_bucket"]
    )
    """A token bucket that lets bursts pass, or a line that sends bit by bit."""
    burst: Annotated[int, Quantity(SIZE, "1600 B", minimum=1)] = Field(
        default=1600, examples=["1600 B"]
    )
    """Size of the token bucket."""
    queue: Annotated[QueueLimit, QueueSize()] = Field(
        default=QueueLimit(64_000, "bytes"), examples=["64 kB"]
    )
    """What waits in front of the rate before packets are dropped at the tail."""
    duplicate: Percentage = Field(default=0.0, examples=["1 %"])
    """Probability that a packet arrives twice."""
    corrupt: Percentage = Field(default=0.0, examples=["1 %"])
    """Probability that a bit of a packet is changed."""
    mtu: Annotated[int, Quantity(SIZE, "1500 B", minimum=_MTU_MINIMUM_BYTES)] = Field(
        default=1500, examples=["1500 B"]
    )
    """Largest IP packet."""

    @field_validator("mtu")
    @classmethod
    def _mtu_fits(cls, mtu: int) -> int:
        if mtu > _MTU_MAXIMUM_BYTES:
            raise Fault("the MTU is above 65535 B", hint='write "1500 B"')
        return mtu


class Path(Direction):
    """The path of a device's packets: both ways alike, or ``up:`` and ``down:`` apart."""

    not_yet: ClassVar[dict[str, str]] = {"wifi": "write loss, delay and rate of one link"}
    elsewhere: ClassVar[dict[str, str]] = {}

    up: Direction = Field(default_factory=Direction, examples=["{loss: 10 %}"])
    """What differs away from the device."""
    down: Direction = Field(default_factory=Direction, examples=["{loss: 10 %}"])
    """What differs towards the device."""
    shared: Switch = Field(default=False, examples=["on"])
    """Whether both directions use one rate and queue."""
    order: list[str] = Field(
        default_factory=lambda: list(DEFAULT_ORDER), examples=["[loss, rate, delay]"]
    )
    """The order of the named impairments; the others keep their positions."""
    nat: Nat | None = Field(default=None, examples=["{udp: 120 s}"])
    """A NAT on the path."""
    nbiot: Nbiot | None = Field(default=None, examples=["{coupling_loss: 154 dB}"])
    """An NB-IoT network in place of a link of their own for each device."""

    @model_validator(mode="before")
    @classmethod
    def _merge_directions(cls, data: object) -> object:
        if isinstance(data, list):
            raise Fault(
                "a list of hops is not yet supported",
                hint="write one mapping {loss: 10 %, delay: 100 ms}",
            )
        if not isinstance(data, dict):
            return data
        both = {key: value for key, value in data.items() if key in Direction.written_keys()}
        merged = dict(data)
        for side in ("up", "down"):
            own = data.get(side, {})
            merged[side] = merge(both, own) if isinstance(own, dict) else own
        return merged

    @model_validator(mode="before")
    @classmethod
    def _one_medium(cls, data: object) -> object:
        if isinstance(data, dict) and "nbiot" in data:
            for key in data:
                if key != "nbiot" and key in cls.written_keys():
                    raise Fault(
                        f"a radio network has no {show(key)} of a link",
                        hint='remove it, or "nbiot"',
                        location=(key,),
                        at_key=True,
                    )
        return data

    @field_validator("order", mode="before")
    @classmethod
    def _known_order(cls, order: object) -> object:
        if not isinstance(order, list):
            raise Fault(f"{show(order)} is not a list", hint='write "[loss, rate, delay]"')
        for index, name in enumerate(order):
            if name not in DEFAULT_ORDER:
                hint = suggestion(str(name), DEFAULT_ORDER, kind="impairments")
                raise Fault(f"unknown impairment {show(name)}", hint=hint, location=(index,))
            if name in order[:index]:
                raise Fault(f"{show(name)} stands twice", hint="remove one", location=(index,))
        return order

    def full_order(self) -> list[str]:
        """Give all impairments: the named ones in their order within the slots they hold."""
        named = iter(self.order)
        return [next(named) if name in self.order else name for name in DEFAULT_ORDER]


def merge(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Lay the keys of one direction over those of both.

    A mapping is merged key by key with one that has a key in common, and replaces it otherwise.

    Examples
    --------
    >>> merge({"delay": {"around": "100 ms", "spread": "20 %"}}, {"delay": {"spread": "5 %"}})
    {'delay': {'around': '100 ms', 'spread': '5 %'}}
    >>> merge({"delay": {"around": "100 ms", "spread": "20 %"}}, {"delay": {"normal": {}}})
    {'delay': {'normal': {}}}
    """
    merged = dict(base)
    for key, value in own.items():
        below = merged.get(key)
        alike = isinstance(value, dict) and isinstance(below, dict) and value.keys() & below.keys()
        merged[key] = merge(below, value) if alike and isinstance(below, dict) else value
    return merged
