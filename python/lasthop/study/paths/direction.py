"""Settings of one direction of a link, as text and as a run spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, Tag, field_validator, model_validator

from lasthop.study.fields.form import (
    SCALAR_OR_MAPPING,
    Form,
    Percentage,
    Quantity,
    QueueLimit,
    QueueSize,
    Rate,
    Switch,
    Time,
)
from lasthop.study.fields.quantity import FRACTION, RATE, SIZE, TIME, format_quantity
from lasthop.study.paths.impairments import DelayModel, LossProcess, Outage
from lasthop.study.paths.rate_trace import RateTrace
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    import pathlib

Spec = dict[str, Any]

_PACKET_MINIMUM_BYTES = 20
_SHORTEST_INTERVAL_NS = 1_000
_SECOND_NS = 10**9
_MTU_MINIMUM_BYTES = 68
_MTU_MAXIMUM_BYTES = 65_535


class Background(Form):
    """Background traffic, which shares the bottleneck with the simulated devices."""

    share: Annotated[float, Quantity(FRACTION, "60 %", minimum=0)] | None = Field(
        default=None, examples=["60 %"]
    )
    """Share of the rate that the background traffic takes."""
    rate: Rate | None = Field(default=None, examples=["30 kbit/s"])
    """Rate of the background traffic, in IP bytes."""
    packet: Annotated[int, Quantity(SIZE, "500 B", minimum=_PACKET_MINIMUM_BYTES)] = Field(
        examples=["500 B"]
    )
    """Size of each background packet. The packets come at random (Poisson process)."""

    @model_validator(mode="after")
    def _one_amount(self) -> Background:
        given = self.model_fields_set & {"share", "rate"}
        if len(given) != 1:
            what = (
                "both share and rate are given"
                if given
                else ("the amount of background traffic is missing")
            )
            raise Fault(what, hint='write "share: 60 %" or "rate: 30 kbit/s"')
        if self.share == 0:
            raise Fault(
                "a share of 0 % is no traffic",
                hint='remove the background, or write "share: 60 %"',
                location=("share",),
            )
        return self

    def spec(self, direction: Direction) -> Spec:
        """Return the background traffic as part of the run spec."""
        of_link = 0 if isinstance(direction.rate, RateTrace) else direction.rate or 0
        rate = self.rate if self.rate is not None else (self.share or 0.0) * of_link
        every = round(self.packet * 8 * _SECOND_NS / rate)
        if every < _SHORTEST_INTERVAL_NS:
            raise Fault(
                f"a packet of {format_quantity(self.packet, SIZE)} every {every} ns",
                hint="write larger packets or a lower rate; at most one packet per "
                "microsecond is possible",
                location=("background",),
            )
        if self.packet > direction.mtu:
            raise Fault(
                f"its packets are larger than the MTU of {format_quantity(direction.mtu, SIZE)}",
                hint=f'write "packet: {format_quantity(direction.mtu, SIZE)}" or less',
                location=("background", "packet"),
            )
        return {"packet_bytes": self.packet, "every_ns": every}

    def words(self) -> str:
        """Return a description of the background traffic."""
        amount = (
            format_quantity(self.rate, RATE)
            if self.rate is not None
            else f"{_percent(self.share or 0.0)} of the rate"
        )
        return f"{amount} in packets of {format_quantity(self.packet, SIZE)}, at random"


class Direction(Form):
    """Impairments of one direction of a link."""

    elsewhere: ClassVar[dict[str, str]] = {
        key: f'it is the same in both directions; write it as "path.{key}"'
        for key in ("shared", "order", "nat", "profile", "scope")
    }

    block: Literal["udp", "tcp"] | None = Field(default=None, examples=["udp"])
    """Protocol that a firewall drops without an answer."""
    loss: Annotated[
        Annotated[Percentage, Tag("<value>")] | Annotated[LossProcess, Tag("<mapping>")],
        SCALAR_OR_MAPPING,
    ] = Field(default=0.0, examples=["10 %"])
    """Loss of packets, independent or as a process."""
    outages: list[Outage] = Field(
        default_factory=list, max_length=1000, examples=["[{start: 7 s, for: 30 s}]"]
    )
    """Periods in which no packet passes."""
    delay: Annotated[
        Annotated[Time, Tag("<value>")] | Annotated[DelayModel, Tag("<mapping>")],
        SCALAR_OR_MAPPING,
    ] = Field(default=0, examples=["100 ms"])
    """Delay of packets, constant or varying."""
    reordering: Switch = Field(default=True, examples=["off"])
    """Whether a packet may overtake another one."""
    rate: (
        Annotated[
            Annotated[Rate, Tag("<value>")] | Annotated[RateTrace, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
        ]
        | None
    ) = Field(default=None, examples=["6.25 kB/s"])
    """Rate of IP bytes, constant or recorded. Default: unlimited."""
    rate_kind: Literal["token_bucket", "serial"] = Field(
        default="token_bucket", examples=["token_bucket"]
    )
    """Kind of the rate limit: a token bucket that allows bursts, or a serial line."""
    burst: Annotated[int, Quantity(SIZE, "1600 B", minimum=1)] = Field(
        default=1600, examples=["1600 B"]
    )
    """Size of the token bucket."""
    queue: Annotated[QueueLimit, QueueSize()] = Field(
        default=QueueLimit(64_000, "bytes"), examples=["64 kB"]
    )
    """Size of the queue in front of the rate. Packets that do not fit are dropped."""
    background: Background | None = Field(default=None, examples=["{share: 60 %, packet: 500 B}"])
    """Background traffic that shares the rate and the queue."""
    duplicate: Percentage = Field(default=0.0, examples=["1 %"])
    """Probability that a packet arrives twice."""
    corrupt: Percentage = Field(default=0.0, examples=["1 %"])
    """Probability that a packet arrives with one changed bit."""
    mtu: Annotated[int, Quantity(SIZE, "1500 B", minimum=_MTU_MINIMUM_BYTES)] = Field(
        default=1500, examples=["1500 B"]
    )
    """Size of the largest IP packet."""

    @field_validator("mtu")
    @classmethod
    def _mtu_fits(cls, mtu: int) -> int:
        if mtu > _MTU_MAXIMUM_BYTES:
            raise Fault("an MTU above 65535 B is not possible", hint='write "1500 B"')
        return mtu

    def spec(self, folder: pathlib.Path) -> Spec:
        """Return the direction as part of a run spec.

        Raises
        ------
        Fault
            If its settings contradict each other.
        """
        self._check_rate()
        return {
            **({} if self.block is None else {"block": self.block}),
            "mtu_bytes": self.mtu,
            "outages": [outage.spec() for outage in self.outages],
            "loss": self._loss_spec(),
            "delay": self._delay_spec(folder),
            "rate": self._rate_spec(folder),
            "duplicate": _probability(self.duplicate),
            "corrupt": _probability(self.corrupt),
        }

    def words(self) -> dict[str, str]:
        """Return a description of each setting."""
        loss, delay = self.loss, self.delay
        of_delay = delay.words() if isinstance(delay, DelayModel) else format_quantity(delay, TIME)
        described = {
            "loss": loss.words() if isinstance(loss, LossProcess) else _percent(loss),
            "delay": of_delay if self.reordering else f"{of_delay}, no overtaking",
            **self._rate_words(),
            "MTU": format_quantity(self.mtu, SIZE),
        }
        if self.block is not None:
            described["blocked"] = self.block.upper()
        if self.outages:
            described["outages"] = "; ".join(outage.words() for outage in self.outages)
        if self.duplicate > 0:
            described["duplicate"] = _percent(self.duplicate)
        if self.corrupt > 0:
            described["corrupt"] = _percent(self.corrupt)
        return described

    def _loss_spec(self) -> Spec | None:
        if isinstance(self.loss, LossProcess):
            return self.loss.spec()
        return {"bernoulli": {"probability": self.loss}} if self.loss > 0 else None

    def _delay_spec(self, folder: pathlib.Path) -> Spec | None:
        if self.delay == 0:
            return None
        model: Spec = {"constant": {"delay_ns": self.delay}}
        if isinstance(self.delay, DelayModel):
            try:
                model = self.delay.spec(folder)
            except Fault as fault:
                raise fault.within(("delay",)) from None
        return {"model": model, "reordering": self.reordering}

    def _rate_spec(self, folder: pathlib.Path) -> Spec | None:
        if self.rate is None:
            return None
        kind: Spec | str
        if isinstance(self.rate, RateTrace):
            try:
                moments = self.rate.read(folder)
            except Fault as fault:
                raise fault.within(("rate",)) from None
            rate, kind = moments.bits_per_second, moments.spec()
        elif self.rate_kind == "token_bucket":
            rate, kind = self.rate, {"token_bucket": {"burst_bytes": self.burst}}
        else:
            rate, kind = self.rate, "serial"
        return {
            "bits_per_second": rate,
            "kind": kind,
            "queue": {self.queue.unit: self.queue.amount},
            "background": self.background.spec(self) if self.background is not None else None,
        }

    def _rate_words(self) -> dict[str, str]:
        if self.rate is None:
            return {"rate": "unlimited"}
        line = "serial line"
        if self.rate_kind == "token_bucket":
            line = f"token bucket of {format_quantity(self.burst, SIZE)}"
        queue = f"{self.queue.amount} packets"
        if self.queue.unit == "bytes":
            queue = format_quantity(self.queue.amount, SIZE)
        if isinstance(self.rate, RateTrace):
            rate = f"the trace {self.rate.trace}"
        else:
            rate = f"{format_quantity(self.rate, RATE)} ({line})"
        described = {"rate": rate, "queue": queue}
        if self.background is not None:
            described["other traffic"] = self.background.words()
        return described

    def _check_rate(self) -> None:
        given = self.model_fields_set
        if self.rate is None:
            for key in ("queue", "burst", "rate_kind", "background"):
                if key in given:
                    raise Fault(
                        f'"{key}" has no effect without a rate',
                        hint='add "rate: 50 kbit/s", or remove it',
                        location=(key,),
                        at_key=True,
                    )
        elif isinstance(self.rate, RateTrace):
            for key in given & {"burst", "rate_kind", "background"}:
                raise Fault(
                    f'"{key}" has no effect on a recorded rate',
                    hint='remove it, or write a constant rate such as "rate: 50 kbit/s"',
                    location=(key,),
                    at_key=True,
                )
        elif "burst" in given and self.rate_kind == "serial":
            raise Fault(
                '"burst" has no effect on a serial line',
                hint='remove it, or write "rate_kind: token_bucket"',
                location=("burst",),
                at_key=True,
            )


def _probability(probability: float) -> Spec | None:
    return {"probability": probability} if probability > 0 else None


def _percent(fraction: float) -> str:
    return format_quantity(fraction, FRACTION)
