"""Form of a flow of messages: direction, size and schedule."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from lasthop.study.fields.form import Form, PositiveTime, Quantity, Time
from lasthop.study.fields.quantity import SIZE, TIME, format_quantity
from lasthop.study.text.faults import Fault, show
from lasthop.study.traffic.moment import Moment, check_period
from lasthop.study.traffic.payload import (
    MAXIMUM_PAYLOAD_BYTES,
    MINIMUM_PAYLOAD_BYTES,
    FieldsPayload,
    Payload,
    within_a_datagram,
)
from lasthop.study.traffic.session import Session, SessionPolicy

MAXIMUM_BURST = 10_000
MAXIMUM_BATCH = 10_000
MAXIMUM_DOWNLOAD_BYTES = 64 * 10**6
MAXIMUM_MESSAGES_OF_A_DEVICE = 16_000_000

TrafficKind = Literal["round_trip", "report", "command", "pull", "download"]
FROM_SERVER: tuple[TrafficKind, ...] = ("command", "pull", "download")
"""Kinds of traffic in which the server sends first."""

DownloadSize = Annotated[int, Quantity(SIZE, "300 kB", minimum=MINIMUM_PAYLOAD_BYTES)]

_OF_A_SCHEDULE = ("every", "arrivals", "burst", "at", "batch")
_GIVE_UP_NS = 90 * 10**9
"""As long as libcoap's client waits."""

_KINDS: tuple[TrafficKind, ...] = ("round_trip", "report", "command", "pull", "download")
_ONE_FLOW = 'write one flow "{report: 96 B, every: 1 min}"'


class Traffic(Form):
    """A flow of messages between each device and the server, sent on schedule."""

    not_yet: ClassVar[dict[str, str]] = {"upload": 'write "report: 40 kB, every: 1 d"'}
    elsewhere: ClassVar[dict[str, str]] = dict.fromkeys(
        ("from", "to"), 'it can be used only with a fleet; add "fleet"'
    )

    @classmethod
    def sketch(cls) -> str:
        """Return an example of a flow."""
        return "{report: 96 B, every: 10 s}"

    round_trip: Payload | None = Field(default=None, examples=["409 B"])
    """Payload of a message that a device sends and the server returns."""
    report: Payload | None = Field(default=None, examples=["96 B"])
    """Payload of a message from a device to the server."""
    command: Payload | None = Field(default=None, examples=["40 B"])
    """Payload of a message from the server to a device."""
    pull: Payload | None = Field(default=None, examples=["96 B"])
    """Payload of a device's answer to a request of the server."""
    download: DownloadSize | None = Field(default=None, examples=["300 kB"])
    """The device fetches a file of this size from the server, once or at the interval `every`."""
    every: PositiveTime | None = Field(default=None, examples=["250 ms"])
    """Interval of the messages of a device, or its mean. Devices that come and go have none."""
    pause: PositiveTime | None = Field(default=None, examples=["1 s"])
    """Closed loop, instead of `every`: time from the end of a message to the next one of the same
    device. A message ends with its answer. A report ends with its acknowledgement."""
    give_up: PositiveTime | None = Field(default=None, examples=["90 s"])
    """Time after which a device with `pause` stops waiting for the end of a message. Its pause
    follows. Default: 90 s."""
    messages: Annotated[int, Field(ge=1, le=MAXIMUM_MESSAGES_OF_A_DEVICE)] | None = Field(
        default=None, examples=["100"]
    )
    """Number of messages of a device with `pause`. Default: as many as `duration` has time for."""
    arrivals: Literal["periodic", "poisson"] = Field(default="periodic", examples=["periodic"])
    """Periodic messages, or random ones with the same mean interval."""
    burst: Annotated[int, Field(ge=1, le=MAXIMUM_BURST)] = Field(default=1, examples=["1"])
    """Number of messages at each interval."""
    at: Annotated[int, Moment(TIME, "06:30")] | None = Field(
        default=None, examples=["0 s", '"06:30"', "mon 06:30"]
    )
    """Time in each period at which all devices send. Default: each device has its own time. A run
    begins on a Monday at 00:00."""
    spread: Time | None = Field(default=None, examples=["10 s"])
    """Each device starts at a random time within this. Default: one period; with `at` and with
    `arrivals: poisson` 0."""
    start: Time = Field(default=0, examples=["5 s"])
    """Start of the first period, before the end of `duration`. Messages are due for `duration` from
    then on. A download has the rest of the run."""

    session: Annotated[SessionPolicy, Session()] = Field(
        default="keep", examples=["keep", "established", "per_message", "per 10", "per 1 h"]
    )
    """How long a connection or session lasts: the whole run, one message, a number of messages, or
    a time. The next one follows at once. With `established` it lasts for the whole run, and its
    set-up is finished before anything is measured."""
    batch: Annotated[int, Field(ge=1, le=MAXIMUM_BATCH)] = Field(default=1, examples=["12"])
    """Number of readings that are sent together as one message, which is due with the last of them.
    JSON fields become a list in one object."""
    within: PositiveTime | None = Field(default=None, examples=["15 min"])
    """Time within which a message should be delivered after it is due. It changes no run. It is the
    deadline of `in_time_ratio`, and a lost message is not in time."""

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
                        f"a flow can have a name, such as {show(name)}, only with a fleet",
                        hint=f'{_ONE_FLOW}, or add "fleet"',
                        location=(name,),
                        at_key=True,
                    )
        return data

    @model_validator(mode="before")
    @classmethod
    def _at_a_time_of_day(cls, data: object) -> object:
        if isinstance(data, dict) and "at" in data:
            check_period(data["at"], data.get("every"))
        return data

    @field_validator("round_trip", "report", "command", "pull")
    @classmethod
    def _fits(cls, payload: int | FieldsPayload | None) -> int | FieldsPayload | None:
        return within_a_datagram(payload) if isinstance(payload, int) else payload

    @field_validator("download")
    @classmethod
    def _is_no_archive(cls, size: int | None) -> int | None:
        if size is not None and size > MAXIMUM_DOWNLOAD_BYTES:
            most = format_quantity(MAXIMUM_DOWNLOAD_BYTES, SIZE)
            what = f"a download of {format_quantity(size, SIZE)} is more than {most}"
            raise Fault(what, hint=f'write "{most}" or less')
        return size

    @model_validator(mode="after")
    def _one_kind(self) -> Traffic:
        given = [kind for kind in _KINDS if kind in self.model_fields_set]
        if not given:
            raise Fault(
                "the message is missing",
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
    def _is_a_loop(self) -> Traffic:
        if self.pause is None:
            for key in ("give_up", "messages"):
                if getattr(self, key) is not None:
                    raise Fault(
                        f'"{key}" has an effect only with "pause"',
                        hint='remove it, or write "pause: 1 s" instead of "every"',
                        location=(key,),
                        at_key=True,
                    )
            return self
        for key in _OF_A_SCHEDULE:
            if key in self.model_fields_set:
                raise Fault(
                    f'"pause" and "{key}" exclude each other: after a pause the next message waits '
                    "for the last answer, and not for a schedule",
                    hint="remove one of the two",
                    location=(key,),
                    at_key=True,
                )
        if self.kind == "command":
            raise Fault(
                "the sender of a command has no answer that a pause could follow",
                hint='write "pull" instead of "command", or "every" instead of "pause"',
                location=("pause",),
                at_key=True,
            )
        return self

    @model_validator(mode="after")
    def _is_a_file(self) -> Traffic:
        if self.kind == "download" and self.batch > 1:
            raise Fault(
                "downloads cannot be sent in a batch",
                hint="remove it",
                location=("batch",),
                at_key=True,
            )
        return self

    @model_validator(mode="after")
    def _is_no_burst_of_bundles(self) -> Traffic:
        if self.batch == 1:
            return self
        if self.burst > 1:
            raise Fault(
                "bursts cannot be sent in a batch",
                hint="remove one of the two",
                location=("batch",),
                at_key=True,
            )
        payload = self.payload
        each = payload if isinstance(payload, int) else payload.size_in_a_batch
        if each:
            try:
                within_a_datagram(each * self.batch)
            except Fault as fault:
                most = MAXIMUM_PAYLOAD_BYTES // each
                hint = f'write "batch: {most}" or less' if most > 1 else "remove it"
                raise Fault(fault.what, hint=hint, location=("batch",)) from None
        return self

    @model_validator(mode="after")
    def _at_is_in_a_period(self) -> Traffic:
        if self.at is None:
            return self
        if self.every is None or self.arrivals != "periodic":
            raise Fault(
                '"at" is a time within a period, and this flow has no period',
                hint='remove it, or write "every: 1 d" and "arrivals: periodic"',
                location=("at",),
                at_key=True,
            )
        if self.at >= self.every:
            period = format_quantity(self.every, TIME)
            raise Fault(
                f"{format_quantity(self.at, TIME)} is not within the period of {period}",
                hint=f"write less than {period}",
                location=("at",),
            )
        return self

    @property
    def is_in_step(self) -> bool:
        """Return whether all devices start at the same time by default."""
        return self.at is not None or self.every is None or self.arrivals != "periodic"

    @property
    def gives_up_after(self) -> int:
        """Return the time in ns for which a closed loop waits for the end of a message."""
        return _GIVE_UP_NS if self.give_up is None else self.give_up

    def messages_within(self, duration_ns: int) -> int:
        """Return the maximum number of messages of a device in a time."""
        if self.pause is not None:
            in_time = duration_ns // self.pause + 1
            return in_time if self.messages is None else min(in_time, self.messages)
        if self.every is None:
            return 1
        return duration_ns // (self.every * self.batch) * self.burst

    def spread_within(self, duration_ns: int) -> int:
        """Return the time in ns within which the devices start."""
        if self.spread is not None:
            return self.spread
        if self.is_in_step or self.every is None:
            return 0
        return min(self.every * self.batch, duration_ns)

    @property
    def kind(self) -> TrafficKind:
        """Return the kind of the messages, which includes their direction."""
        return next(kind for kind in _KINDS if kind in self.model_fields_set)

    @property
    def payload(self) -> int | FieldsPayload:
        """Return the payload of a message: a size in bytes, or fields."""
        payload: int | FieldsPayload = getattr(self, self.kind)
        return payload

    @property
    def begins_at_server(self) -> bool:
        """Return whether the server sends first."""
        return self.kind in FROM_SERVER
