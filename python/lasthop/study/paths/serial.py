"""A serial line as a hop: UART, RS-232 or RS-485."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from lasthop.study.fields.form import Form, QueueLimit, QueueSize, Rate, Time
from lasthop.study.fields.quantity import PACKETS, RATE, SIZE, TIME, format_quantity
from lasthop.study.text.faults import Fault

_BITS_OF_A_BYTE = {"8N1": 10, "8E1": 11, "8O1": 11, "8N2": 11, "8E2": 12, "8O2": 12}
"""Bits of a byte on the line: start bit, eight data bits, parity, stop bits."""

_FRAMING_WORDS = {"ppp": "PPP (RFC 1662)", "slip": "SLIP (RFC 1055)", "none": "no framing"}


class Serial(Form):
    """A serial line on which one station sends at a time.

    Hops of one name on several paths are one line.
    """

    rate: Rate = Field(default=115_200, examples=["9600 bit/s"])
    """Baud rate: bits per second on the line, including start and stop bits."""
    frame: Literal["8N1", "8E1", "8O1", "8N2", "8E2", "8O2"] = Field(
        default="8N1", examples=["8E1"]
    )
    """Data bits, parity and stop bits of a byte."""
    duplex: Literal["half", "full"] = Field(default="half", examples=["full"])
    """With `half` one station sends at a time (two wires of RS-485), with `full` one each way
    (RS-232, four wires of RS-485)."""
    turnaround: Time = Field(default=0, examples=["2 ms"])
    """Idle time of the line before another station sends."""
    framing: Literal["ppp", "slip", "none"] = Field(default="ppp", examples=["slip"])
    """Framing of packets on the line. Escaped bytes count."""
    queue: Annotated[QueueLimit, QueueSize()] = Field(
        default=QueueLimit(100, "packets"), examples=["10 packets"]
    )
    """Size of the queue of a station. Packets that do not fit are dropped."""

    @model_validator(mode="after")
    def _turns_around(self) -> Serial:
        if self.duplex == "full" and self.turnaround:
            raise Fault(
                "a full duplex line does not turn around",
                hint='remove it, or write "duplex: half"',
                location=("turnaround",),
                at_key=True,
            )
        return self

    def spec(self) -> dict[str, Any]:
        """Return the line as part of a run spec."""
        return {
            "bits_per_second": self.rate,
            "bits_per_byte": _BITS_OF_A_BYTE[self.frame],
            "framing": self.framing,
            "duplex": self.duplex,
            "turnaround_ns": self.turnaround,
            "queue": {self.queue.unit: self.queue.amount},
        }

    def words(self) -> dict[str, str]:
        """Return a description of each setting."""
        queue = format_quantity(self.queue.amount, SIZE if self.queue.unit == "bytes" else PACKETS)
        described = {
            "serial line": f"{format_quantity(self.rate, RATE)}, {self.frame}, "
            f"{self.duplex} duplex, {_FRAMING_WORDS[self.framing]}",
            "stations": f"room for {queue}",
        }
        if self.turnaround:
            described["turnaround"] = format_quantity(self.turnaround, TIME)
        return described
