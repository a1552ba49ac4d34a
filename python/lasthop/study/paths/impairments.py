"""What may happen to the packets of a link: losses, outages, delays."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

from pydantic import Field, field_validator, model_validator

from lasthop.study.faults import Fault, show
from lasthop.study.form import (
    Form,
    Number,
    Percentage,
    PositiveTime,
    Quantity,
    Time,
)
from lasthop.study.quantity import TIME

MAXIMUM_TRACE_POINTS = 100_000

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
