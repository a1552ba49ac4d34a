"""The traffic of a study: what each device sends or gets, how large and how often."""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Tag, field_validator, model_validator

from lasthop.study.faults import Fault, show
from lasthop.study.form import (
    SCALAR_OR_MAPPING,
    Form,
    PositiveTime,
    Quantity,
    Time,
)
from lasthop.study.quantity import SIZE, TIME, format_quantity
from lasthop.study.source import DecimalText, OtherNumber

MINIMUM_PAYLOAD_BYTES = 8
MAXIMUM_PAYLOAD_BYTES = 60_000
MAXIMUM_BURST = 10_000
MAXIMUM_MESSAGES_OF_A_DEVICE = 16_000_000

# What the simulator adds to JSON fields: "id":"AAAAAAAA" and a comma; with padding ,"pad":"".
_ID_BYTES = 16
_EMPTY_PAD_BYTES = 9
_RESERVED_FIELDS = ("id", "pad")

PayloadSize = Annotated[int, Quantity(SIZE, "409 B", minimum=MINIMUM_PAYLOAD_BYTES)]


def _within_a_datagram(size: int) -> int:
    if size > MAXIMUM_PAYLOAD_BYTES:
        raise Fault(
            f"a payload of {size} B is more than {MAXIMUM_PAYLOAD_BYTES} B",
            hint='write "60 kB" or less',
        )
    return size


class JsonPayload(Form):
    """A payload of JSON fields, padded to a size."""

    fields_written: dict[str, Any] = Field(alias="json", examples=["{heart_rate: 72}"])
    """The fields, each a number, a text or true/false."""
    size: PayloadSize | None = Field(default=None, examples=["409 B"])
    """Padded up to this size."""

    @field_validator("fields_written", mode="before")
    @classmethod
    def _scalars(cls, fields: object) -> object:
        if not isinstance(fields, dict) or not fields:
            raise Fault(f"{show(fields)} has no fields", hint='write "json: {heart_rate: 72}"')
        read: dict[str, Any] = {}
        for name, value in fields.items():
            if name in _RESERVED_FIELDS:
                raise Fault(
                    f"the field {show(name)} is ours",
                    hint="rename it",
                    location=(name,),
                    at_key=True,
                )
            if value is None or isinstance(value, dict | list):
                raise Fault(
                    f"{show(value)} is not a number, a text or true/false",
                    hint=f'write "{name}: 72"',
                    location=(name,),
                )
            if isinstance(value, OtherNumber):
                raise Fault(
                    f"{show(value)} is a number in another notation",
                    hint=f'write it with digits and a point, as 1000.5, or as text: "{value}"',
                    location=(name,),
                )
            read[name] = float(value) if isinstance(value, DecimalText) else value
        return read

    @model_validator(mode="after")
    def _fits(self) -> JsonPayload:
        least = len(self.text().encode()) + _ID_BYTES
        if self.size is None:
            _within_a_datagram(least)
            return self
        _within_a_datagram(self.size)
        if self.size != least and self.size < least + _EMPTY_PAD_BYTES:
            raise Fault(
                f"the fields and the message's id take {least} B, {_EMPTY_PAD_BYTES} B more padded",
                hint=f'write "size: {least} B", or "size: {least + _EMPTY_PAD_BYTES} B" or more',
                location=("size",),
            )
        return self

    def text(self) -> str:
        """Give the fields as compact JSON."""
        return json.dumps(
            self.fields_written, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        )


Payload = Annotated[
    Annotated[PayloadSize, Tag("<value>")] | Annotated[JsonPayload, Tag("<mapping>")],
    SCALAR_OR_MAPPING,
]

_KINDS: tuple[Literal["round_trip", "report", "command"], ...] = ("round_trip", "report", "command")
_ONE_FLOW = 'write one flow "{report: 96 B, every: 1 min}"'


class Traffic(Form):
    """One flow of messages between each device and the server, sent on schedule."""

    not_yet: ClassVar[dict[str, str]] = dict.fromkeys(
        ("from", "to", "session", "download", "upload"), _ONE_FLOW
    )

    @classmethod
    def sketch(cls) -> str:
        """Give one flow, as there is one a study."""
        return "{report: 96 B, every: 10 s}"

    round_trip: Payload | None = Field(default=None, examples=["409 B"])
    """The device sends and the same message comes back to it."""
    report: Payload | None = Field(default=None, examples=["96 B"])
    """The device sends to the server."""
    command: Payload | None = Field(default=None, examples=["40 B"])
    """The server sends to the device."""
    every: PositiveTime | None = Field(default=None, examples=["250 ms"])
    """Interval of the messages of a device, or its mean; devices that come and go have none."""
    arrivals: Literal["periodic", "poisson"] = Field(default="periodic", examples=["periodic"])
    """On the beat, or at random with the same mean."""
    burst: Annotated[int, Field(ge=1, le=MAXIMUM_BURST)] = Field(default=1, examples=["1"])
    """Messages at each arrival."""
    at: Time | None = Field(default=None, examples=["0 s"])
    """When in each period all devices send; else each has a moment of its own."""
    spread: Time | None = Field(default=None, examples=["10 s"])
    """Each device begins within this time, at a moment that the seed draws; by default within one
    period. With `at`, and with `arrivals: poisson`, all begin at once by default."""
    start: Time = Field(default=0, examples=["5 s"])
    """When the first period begins."""

    @model_validator(mode="before")
    @classmethod
    def _one_flow(cls, data: object) -> object:
        if isinstance(data, dict):
            for name, value in data.items():
                if (
                    name not in cls.written_keys()
                    and name not in cls.not_yet
                    and isinstance(value, dict)
                ):
                    raise Fault(
                        f"the named flow {show(name)} is not yet supported",
                        hint=_ONE_FLOW,
                        location=(name,),
                        at_key=True,
                    )
        return data

    @field_validator("round_trip", "report", "command")
    @classmethod
    def _fits(cls, payload: int | JsonPayload | None) -> int | JsonPayload | None:
        return _within_a_datagram(payload) if isinstance(payload, int) else payload

    @model_validator(mode="after")
    def _one_kind(self) -> Traffic:
        given = [kind for kind in _KINDS if kind in self.model_fields_set]
        if not given:
            raise Fault(
                "says nothing about what is sent",
                hint='write "round_trip: 409 B", "report: 409 B" or "command: 409 B"',
            )
        if len(given) > 1:
            raise Fault(
                f"both {given[0]} and {given[1]} are given",
                hint="keep one of them",
                location=(given[1],),
                at_key=True,
            )
        return self

    @model_validator(mode="after")
    def _at_is_in_a_period(self) -> Traffic:
        if self.at is None:
            return self
        if self.every is None or self.arrivals != "periodic":
            raise Fault(
                "at says when in a period, and there is none",
                hint='remove it, or write "every: 1 d" and "arrivals: periodic"',
                location=("at",),
                at_key=True,
            )
        if self.at >= self.every:
            period = format_quantity(self.every, TIME)
            raise Fault(
                f"{format_quantity(self.at, TIME)} lies behind the period of {period}",
                hint=f"write less than {period}",
                location=("at",),
            )
        return self

    @property
    def is_in_step(self) -> bool:
        """Whether all devices begin at the same moment unless `spread` says otherwise."""
        return self.at is not None or self.every is None or self.arrivals != "periodic"

    def spread_within(self, duration_ns: int) -> int:
        """Give the time within which the devices begin, in ns, in a run that sends so long."""
        if self.spread is not None:
            return self.spread
        if self.is_in_step or self.every is None:
            return 0
        return min(self.every, duration_ns)

    @property
    def kind(self) -> Literal["round_trip", "report", "command"]:
        """Which way the messages go."""
        return next(kind for kind in _KINDS if kind in self.model_fields_set)

    @property
    def payload(self) -> int | JsonPayload:
        """What a message carries: a size in bytes, or JSON fields."""
        payload: int | JsonPayload = getattr(self, self.kind)
        return payload
