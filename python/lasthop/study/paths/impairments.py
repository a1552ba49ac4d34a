"""Impairments of a link (loss, outages, delay), as descriptions and run specs."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, field_validator, model_validator

from lasthop.study.fields.form import (
    Form,
    Number,
    Percentage,
    PositiveTime,
    Quantity,
    Time,
)
from lasthop.study.fields.quantity import FRACTION, TIME, format_quantity
from lasthop.study.paths.trace import MAXIMUM_TRACE_POINTS, read_trace
from lasthop.study.text.beside import file_beside
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    import pathlib

Spec = dict[str, Any]

HoldingTime = Annotated[int, Quantity(TIME, "5 s", minimum=1_000)]


class GilbertElliott(Form):
    """Burst losses by the Gilbert-Elliott model: a good and a bad state."""

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
                "mean times and probabilities per packet cannot be mixed",
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

    def spec(self) -> Spec:
        """Return the losses as part of a run spec."""
        losses = {"loss_in_good": self.loss_in_good, "loss_in_bad": self.loss_in_bad}
        if self.good is not None:
            times = {"mean_good_ns": self.good, "mean_bad_ns": self.bad}
            return {"gilbert_elliott_time": {**times, **losses}}
        changes = {"good_to_bad": self.to_bad, "bad_to_good": self.to_good}
        return {"gilbert_elliott_packet": {**changes, **losses}}

    def words(self) -> str:
        """Return a description of the losses."""
        losses = f"losing {_percent(self.loss_in_good)} and {_percent(self.loss_in_bad)}"
        if self.good is not None and self.bad is not None:
            return f"in bursts: good for {_time(self.good)}, bad for {_time(self.bad)}, {losses}"
        into, out = _percent(self.to_bad or 0.0), _percent(self.to_good or 0.0)
        return f"in bursts: {into} a packet to bad, {out} to good, {losses}"


def _exactly_one(form: Form, keys: tuple[str, ...], sketch: str) -> str:
    given = [key for key in keys if key in form.model_fields_set]
    if len(given) == 1:
        return given[0]
    what = f"both {given[0]} and {given[1]} are given" if given else "says nothing"
    raise Fault(what, hint=f"write one of {sketch}")


class Passing(Form):
    """Independent losses that end at a given time."""

    share: Percentage = Field(examples=["10 %"])
    """Share of packets that are lost until then."""
    until: PositiveTime = Field(examples=["1 min"])
    """End of these losses, from the start of the run."""

    def spec(self) -> Spec:
        """Return the losses as part of a run spec."""
        return {"passing": {"probability": self.share, "until_ns": self.until}}

    def words(self) -> str:
        """Return a description of the losses."""
        return f"{_percent(self.share)} until {_time(self.until)}"


class LossProcess(Form):
    """Losses that depend on the packet, or end at a time."""

    gilbert_elliott: GilbertElliott | None = Field(
        default=None, examples=["{to_bad: 2 %, to_good: 18 %}"]
    )
    """Burst losses by the Gilbert-Elliott model."""
    bit_errors: Percentage | None = Field(default=None, examples=["0.001 %"])
    """Bit error ratio. One wrong bit loses the packet, so larger packets are lost more often."""
    packets: list[Annotated[int, Field(ge=1, le=10**12)]] | None = Field(
        default=None, min_length=1, max_length=MAXIMUM_TRACE_POINTS, examples=["[1, 7]"]
    )
    """Numbers of the lost packets of this direction, counted from 1."""
    passing: Passing | None = Field(default=None, examples=["{share: 10 %, until: 1 min}"])
    """Independent losses that end at a given time."""

    @model_validator(mode="after")
    def _one_form(self) -> LossProcess:
        keys = ("gilbert_elliott", "bit_errors", "packets", "passing")
        _exactly_one(self, keys, ", ".join(keys))
        return self

    @field_validator("packets")
    @classmethod
    def _ascending(cls, packets: list[int] | None) -> list[int] | None:
        if packets is not None and any(b <= a for a, b in pairwise(packets)):
            raise Fault("the packets are not in ascending order", hint='write "[1, 7]"')
        return packets

    def spec(self) -> Spec:
        """Return the losses as part of a run spec."""
        if self.gilbert_elliott is not None:
            return self.gilbert_elliott.spec()
        if self.bit_errors is not None:
            return {"bit_errors": {"ratio": self.bit_errors}}
        if self.passing is not None:
            return self.passing.spec()
        return {"packets": {"indices": self.packets}}

    def words(self) -> str:
        """Return a description of the losses."""
        if self.gilbert_elliott is not None:
            return self.gilbert_elliott.words()
        if self.bit_errors is not None:
            return f"of packets with a wrong bit, of which there are {_percent(self.bit_errors)}"
        if self.passing is not None:
            return self.passing.words()
        return f"packets {', '.join(str(index) for index in (self.packets or [])[:20])}"


class Outage(Form):
    """A period in which no packet passes."""

    start: Time = Field(examples=["7 s"])
    """Start of the outage, from the start of the run."""
    lasts: PositiveTime = Field(alias="for", examples=["30 s"])
    """Duration of the outage."""
    every: PositiveTime | None = Field(default=None, examples=["60 s"])
    """Interval after which the outage is repeated."""

    @model_validator(mode="after")
    def _ends(self) -> Outage:
        if self.every is not None and self.every <= self.lasts:
            raise Fault(
                "the next outage begins before the last one has ended",
                hint='write a longer "every" or a shorter "for"',
                location=("every",),
            )
        return self

    def spec(self) -> Spec:
        """Return the outage as part of a run spec."""
        return {"start_ns": self.start, "duration_ns": self.lasts, "every_ns": self.every}

    def words(self) -> str:
        """Return a description of the outage."""
        words = f"from {_time(self.start)} for {_time(self.lasts)}"
        return f"{words}, every {_time(self.every)}" if self.every is not None else words


class Uniform(Form):
    """Delays with a uniform distribution between two bounds."""

    lower: Time = Field(alias="from", examples=["80 ms"])
    """Smallest delay."""
    upper: Time = Field(alias="to", examples=["120 ms"])
    """Largest delay."""

    @model_validator(mode="after")
    def _ordered(self) -> Uniform:
        if self.lower > self.upper:
            raise Fault(
                '"from" is larger than "to"', hint="exchange the two values", location=("from",)
            )
        return self

    def spec(self) -> Spec:
        """Return the delay as part of a run spec."""
        return {"from_ns": self.lower, "to_ns": self.upper}

    def words(self) -> str:
        """Return a description of the delay."""
        return f"{_time(self.lower)} to {_time(self.upper)}, uniform"


class Normal(Form):
    """Delays with a normal distribution, cut at 0."""

    mean: Time = Field(examples=["100 ms"])
    """Mean delay."""
    sd: Time = Field(examples=["10 ms"])
    """Standard deviation."""

    def spec(self) -> Spec:
        """Return the delay as part of a run spec."""
        return {"mean_ns": self.mean, "sd_ns": self.sd}

    def words(self) -> str:
        """Return a description of the delay."""
        return f"{_time(self.mean)} ± {_time(self.sd)}, normal"


class Exponential(Form):
    """Delays with a minimum plus an exponentially distributed part."""

    minimum: Time = Field(examples=["50 ms"])
    """Smallest delay."""
    mean: PositiveTime = Field(examples=["80 ms"])
    """Mean delay."""

    @model_validator(mode="after")
    def _ordered(self) -> Exponential:
        if self.mean < self.minimum:
            raise Fault(
                "the mean is below the minimum",
                hint=f'write "{_time(self.minimum)}" or more',
                location=("mean",),
            )
        return self

    def spec(self) -> Spec:
        """Return the delay as part of a run spec."""
        return {"minimum_ns": self.minimum, "mean_ns": self.mean}

    def words(self) -> str:
        """Return a description of the delay."""
        return f"{_time(self.minimum)} or more, {_time(self.mean)} in the mean, exponential"


class Pareto(Form):
    """Delays with a Pareto distribution, which are rarely very long."""

    minimum: PositiveTime = Field(examples=["50 ms"])
    """Smallest delay."""
    shape: Annotated[float, Number(above=0.0)] = Field(examples=["2.5"])
    """Tail index of the distribution. A smaller value gives a longer tail."""

    def spec(self) -> Spec:
        """Return the delay as part of a run spec."""
        return {"minimum_ns": self.minimum, "shape": self.shape}

    def words(self) -> str:
        """Return a description of the delay."""
        return f"{_time(self.minimum)} or more, Pareto of shape {self.shape:g}"


class HeldBack(Form):
    """A constant delay, with a share of packets that is delayed more and overtaken."""

    delay: Time = Field(examples=["15 ms"])
    """Delay of the other packets."""
    share: Percentage = Field(examples=["20 %"])
    """Share of packets with an additional delay."""
    by: PositiveTime = Field(examples=["10 ms"])
    """Additional delay of these packets."""

    def spec(self) -> Spec:
        """Return the delay as part of a run spec."""
        return {"delay_ns": self.delay, "probability": self.share, "by_ns": self.by}

    def words(self) -> str:
        """Return a description of the delay."""
        return f"{_time(self.delay)}, {_percent(self.share)} held back by {_time(self.by)}"


_DISTRIBUTIONS = ("uniform", "normal", "exponential", "pareto", "held_back")
"""Distributions of a delay. Each has a form and a key of its own."""


class DelayModel(Form):
    """Delays that vary by a distribution or a trace."""

    around: Time | None = Field(default=None, examples=["100 ms"])
    """Middle of a uniform distribution."""
    spread: Percentage | None = Field(default=None, examples=["20 %"])
    """Half width of the distribution around the middle."""
    uniform: Uniform | None = Field(default=None, examples=["{from: 80 ms, to: 120 ms}"])
    """Delays between two bounds, uniformly distributed."""
    normal: Normal | None = Field(default=None, examples=["{mean: 100 ms, sd: 10 ms}"])
    """Normally distributed delays."""
    exponential: Exponential | None = Field(
        default=None, examples=["{minimum: 50 ms, mean: 80 ms}"]
    )
    """A minimum delay plus an exponentially distributed one."""
    pareto: Pareto | None = Field(default=None, examples=["{minimum: 50 ms, shape: 2.5}"])
    """Pareto distributed delays."""
    held_back: HeldBack | None = Field(
        default=None, examples=["{delay: 15 ms, share: 20 %, by: 10 ms}"]
    )
    """A share of the packets is delayed more, so that other packets overtake them."""
    trace: str | list[Time] | None = Field(default=None, examples=["[100 ms, 120 ms]"])
    """List of delays, or a CSV file in the folder of the study with the header time_s,delay_ms."""
    every: PositiveTime | None = Field(default=None, examples=["1 s"])
    """Duration of each delay of a listed trace. The trace then repeats."""

    @field_validator("trace", mode="before")
    @classmethod
    def _trace_form(cls, trace: object) -> object:
        if not isinstance(trace, str | list):
            raise Fault(
                f"{show(trace)} is not a trace of delays",
                hint='write a list, for example "[100 ms, 120 ms]", or the name of a CSV file',
            )
        if isinstance(trace, list) and not 1 <= len(trace) <= MAXIMUM_TRACE_POINTS:
            raise Fault(
                f"a trace cannot have {len(trace)} delays",
                hint='write for example "[100 ms, 120 ms]"',
            )
        return (
            [_trace_delay(item, index) for index, item in enumerate(trace)]
            if isinstance(trace, list)
            else trace
        )

    @model_validator(mode="after")
    def _one_form(self) -> DelayModel:
        forms = ("around", *_DISTRIBUTIONS, "trace")
        chosen = _exactly_one(self, forms, ", ".join(forms))
        self._require("spread", wanted=chosen == "around", example="20 %", beside="around")
        written = chosen == "trace" and isinstance(self.trace, list)
        self._require("every", wanted=written, example="1 s", beside="a written trace")
        return self

    def spec(self, folder: pathlib.Path) -> Spec:
        """Return the delay as part of a run spec."""
        if self.around is not None:
            return _around(self.around, self.spread or 0.0)
        for name in _DISTRIBUTIONS:
            if (model := getattr(self, name)) is not None:
                return {name: model.spec()}
        times, delays, period = self._trace_points(folder)
        return {"trace": {"times_ns": times, "delays_ns": delays, "period_ns": period}}

    def words(self) -> str:
        """Return a description of the delay."""
        if self.around is not None:
            return f"{_time(self.around)} ± {_percent(self.spread or 0.0)}, uniform"
        for name in _DISTRIBUTIONS:
            if (model := getattr(self, name)) is not None:
                return str(model.words())
        if isinstance(self.trace, list):
            return f"a trace of {len(self.trace)} values, each for {_time(self.every or 1)}"
        return f"the trace {self.trace}"

    def _trace_points(self, folder: pathlib.Path) -> tuple[list[int], list[int], int | None]:
        if isinstance(self.trace, list):
            every = self.every or 1
            times = [number * every for number in range(len(self.trace))]
            return times, self.trace, len(self.trace) * every
        try:
            return (*read_trace(file_beside(folder, str(self.trace))), None)
        except Fault as fault:
            raise fault.within(("trace",)) from None

    def _require(self, key: str, *, wanted: bool, example: str, beside: str) -> None:
        given = key in self.model_fields_set
        if wanted and not given:
            raise Fault(f'the key "{key}" is missing', hint=f'write "{key}: {example}"')
        if given and not wanted:
            raise Fault(
                f'"{key}" can be used only with {beside}',
                hint="remove it",
                location=(key,),
                at_key=True,
            )


def _trace_delay(value: object, index: int) -> object:
    try:
        Quantity(kind=TIME, example="100 ms").read(value)
    except Fault as fault:
        raise fault.within((index,)) from None
    return value


def _around(middle_ns: int, spread: float) -> Spec:
    half = round(Decimal(middle_ns) * Decimal(str(spread)))
    if half == 0:
        return {"constant": {"delay_ns": middle_ns}}
    return {"uniform": {"from_ns": middle_ns - half, "to_ns": middle_ns + half}}


def _time(ns: int) -> str:
    return format_quantity(ns, TIME)


def _percent(fraction: float) -> str:
    return format_quantity(fraction, FRACTION)
