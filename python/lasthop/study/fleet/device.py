"""Form of a device's hardware limits (key ``device`` of a group or a server)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from lasthop.study.fields.form import Form, LongTime, Quantity, Size, Switch, Time, WordOr
from lasthop.study.fields.quantity import SIZE, TIME, format_quantity
from lasthop.study.fleet.device_profiles import device_profile
from lasthop.study.text.faults import Fault

_SEGMENT = Annotated[int, Quantity(SIZE, "1440 B", minimum=64)]
_BUFFER = Annotated[int, Quantity(SIZE, "5744 B", minimum=1)]
_COUNT = Annotated[int, Field(ge=1, le=100_000)]
_WATCHDOG = Annotated[int | str, WordOr(TIME, "26 s", minimum=1, words=("off",))]


class DeviceForm(Form):
    """A resource-constrained device. Missing keys have the values of its profile."""

    profile: str = Field(examples=["esp8266"])
    """Name of the hardware profile."""
    like: Literal["lwip", "linux"] | None = Field(default=None, examples=["lwip"])
    """TCP implementation whose timers and rules the device uses."""
    max_segment: _SEGMENT | None = Field(default=None, examples=["1440 B"])
    """Maximum segment size (MSS) that the device announces."""
    window: _BUFFER | None = Field(default=None, examples=["5744 B"])
    """Receive window of a connection."""
    send_buffer: _BUFFER | None = Field(default=None, examples=["2920 B"])
    """Send buffer of a connection: bytes that are written and not yet acknowledged."""
    out_of_order: Switch | None = Field(default=None, examples=["off"])
    """Whether the device keeps segments that arrive out of order."""
    time_wait: LongTime | None = Field(default=None, examples=["120 s"])
    """How long a closed connection stays in TIME-WAIT."""
    frames: _COUNT | None = Field(default=None, examples=["1"])
    """Number of frames in the queue of the network task, which handles one at a time."""
    frame_time: Time | None = Field(default=None, examples=["200 us"])
    """Processing time of the network task for each frame."""
    mailbox: _COUNT | None = Field(default=None, examples=["6"])
    """Number of segments or datagrams of a connection that wait for the application task, and
    number of connections that wait to be accepted."""
    connections: _COUNT | None = Field(default=None, examples=["5"])
    """Largest number of open connections."""
    heap: _BUFFER | None = Field(default=None, examples=["43848 B"])
    """Memory for connections after boot. A packet that finds no memory is lost; a task that finds
    none crashes the device."""
    connection_memory: Size | None = Field(default=None, examples=["3400 B"])
    """Memory of a connection, including its application."""
    secured_memory: Size | None = Field(default=None, examples=["13321 B"])
    """Additional memory of a connection with TLS or DTLS."""
    segment_memory: Size | None = Field(default=None, examples=["90 B"])
    """Additional memory of a waiting segment, beside its bytes."""
    reading: Literal["all", "first_message_only"] | None = Field(default=None, examples=["all"])
    """Which messages of one read are handled: all, or only the first one. With the first one,
    further messages in the same segment are lost."""
    read_size: _BUFFER | None = Field(default=None, examples=["1024 B"])
    """Bytes of one read."""
    reads_segments: Switch | None = Field(default=None, examples=["on"])
    """Whether a read ends at the end of a segment, for example where lwIP stops at PSH."""
    message: Time | None = Field(default=None, examples=["28 ms"])
    """Processing time of the application task for each message that arrives."""
    byte: Time | None = Field(default=None, examples=["133.5 us"])
    """Processing time of the application task for each byte that it reads."""
    connection: Time | None = Field(default=None, examples=["1.6 s"])
    """Processing time of the application task for each new connection."""
    handshake: Time | None = Field(default=None, examples=["3 s"])
    """Additional processing time for a full handshake with certificates."""
    resumption: Time | None = Field(default=None, examples=["600 ms"])
    """Additional processing time for a resumed handshake, or one with a pre-shared key."""
    answers_first: Switch | None = Field(default=None, examples=["on"])
    """Whether the device answers a message before it processes it."""
    tick: Time | None = Field(default=None, examples=["10 ms"])
    """Resolution of the network timers. They fire at multiples of this time."""
    watchdog: _WATCHDOG | None = Field(default=None, examples=["26 s"])
    """Longest time that the application task may work without a pause before the watchdog resets
    the device."""
    boot: LongTime | None = Field(default=None, examples=["5 s"])
    """Time from a crash until the device has a network again."""
    survives: Literal["nothing", "sessions", "tickets"] | None = Field(
        default=None, examples=["sessions"]
    )
    """State that survives a crash: nothing, the resumption state of the layers, or sessions too."""

    @model_validator(mode="before")
    @classmethod
    def _as_its_profile(cls, data: object) -> object:
        """Fill in missing settings from the profile."""
        written = {"profile": data} if isinstance(data, str) else data
        if not isinstance(written, dict) or "profile" not in written:
            return written
        return {**device_profile(written["profile"]).values, **written}

    @model_validator(mode="after")
    def _has_room(self) -> DeviceForm:
        """Raise an error if the heap is too small for a single connection."""
        device = self.filled()
        heap = _size(device["heap"])
        least = device["connection_memory"] + device["segment_memory"]
        if least > device["heap"]:
            what = f"a heap of {heap} is too small for a connection, which needs {_size(least)}"
            raise Fault(what, hint=f'write "{_size(least)}" or more', location=("heap",))
        if device["window"] > device["heap"]:
            what = f"the window of {_size(device['window'])} is larger than the heap of {heap}"
            raise Fault(what, hint=f'write "{heap}" or less', location=("window",))
        if device["max_segment"] > device["window"]:
            what = f"a segment of {_size(device['max_segment'])} does not fit into the window"
            hint = f'write "{_size(device["window"])}" or less'
            raise Fault(what, hint=hint, location=("max_segment",))
        return self

    def filled(self) -> dict[str, Any]:
        """Return every setting, from the form or its profile, in base units."""
        return {name: getattr(self, name) for name in type(self).model_fields}

    def spec(self) -> dict[str, Any]:
        """Return the device's part of the run spec with all defaults."""
        of = self.filled()
        return {
            "tcp": {
                "like": of["like"],
                "max_segment_bytes": of["max_segment"],
                "window_bytes": of["window"],
                "send_buffer_bytes": of["send_buffer"],
                "keeps_out_of_order": of["out_of_order"],
                "time_wait_ns": of["time_wait"],
            },
            "frames": of["frames"],
            "frame_ns": of["frame_time"],
            "mailbox": of["mailbox"],
            "connections": of["connections"],
            "heap_bytes": of["heap"],
            "connection_bytes": of["connection_memory"],
            "secured_bytes": of["secured_memory"],
            "segment_bytes": of["segment_memory"],
            "reading": of["reading"],
            "read_bytes": of["read_size"],
            "reads_segments": of["reads_segments"],
            "message_ns": of["message"],
            "byte_ns": of["byte"],
            "connection_ns": of["connection"],
            "handshake_ns": of["handshake"],
            "resumption_ns": of["resumption"],
            "answers_first": of["answers_first"],
            "tick_ns": of["tick"],
            "watchdog_ns": None if of["watchdog"] == "off" else of["watchdog"],
            "boot_ns": of["boot"],
            "survives": of["survives"],
        }

    def words(self) -> str:
        """Return a description of the device."""
        profile = device_profile(self.profile).values
        usual = type(self).model_validate(self.profile).filled()
        of = self.filled()
        differs = [f"{key} {_shown(key, of[key])}" for key in profile if of[key] != usual[key]]
        return ", ".join([self.profile, *differs])


def _size(amount: int) -> str:
    return format_quantity(amount, SIZE)


_TIMES = (
    *("time_wait", "frame_time", "message", "byte", "connection", "handshake", "resumption"),
    *("tick", "watchdog", "boot"),
)
_SIZES = (
    *("max_segment", "window", "send_buffer", "heap"),
    *("connection_memory", "secured_memory", "segment_memory", "read_size"),
)


def _shown(key: str, value: Any) -> str:  # noqa: ANN401  (a setting of any kind)
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int) and key in _TIMES:
        return format_quantity(value, TIME)
    if isinstance(value, int) and key in _SIZES:
        return _size(value)
    return str(value)
