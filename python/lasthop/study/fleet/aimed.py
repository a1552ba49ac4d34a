"""Faults that target messages of a protocol type whenever they pass."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from lasthop.compiled import compiled_part
from lasthop.study.fields.form import Form, Percentage
from lasthop.study.text.faults import Fault, show, suggestion

with compiled_part():
    from lasthop._native import message_kinds

AimedKind = Literal["drop", "cut_before"]


class AimedFaultForm(Form):
    """A fault of messages of one type, at the server's end of each device's path."""

    drop: str | None = Field(default=None, examples=["coap.ACK"])
    """Message type to lose, with its packet. A retransmission passes."""
    cut_before: str | None = Field(default=None, examples=["mqtt.PUBREC"])
    """Message type before which the connection is cut. Nothing more passes between its two ports
    until a SYN opens another connection."""
    nth: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = Field(default=None, examples=["1"])
    """Applies only to the n-th such message on the path of each device, counted from 1."""
    share: Annotated[Percentage, Field(gt=0, le=1)] | None = Field(default=None, examples=["10 %"])
    """Applies only to this share of such messages, drawn one by one."""
    direction: Literal["up", "down"] | None = Field(default=None, examples=["up"])
    """Applies only to messages in this direction. Up is from the device to the server."""
    of: str | None = Field(default=None, examples=["meters"])
    """Applies only to devices of this group."""

    @field_validator("drop", "cut_before")
    @classmethod
    def _known(cls, message: str | None) -> str | None:
        if message is None:
            return None
        kinds = {kind.lower(): kind for kind in message_kinds()}
        if message.lower() not in kinds:
            raise Fault(
                f"there is no message type {show(message)}",
                hint=suggestion(message, kinds.values(), kind="messages"),
            )
        return kinds[message.lower()]

    @model_validator(mode="after")
    def _one_kind(self) -> AimedFaultForm:
        if (self.drop is None) == (self.cut_before is None):
            given = (
                "both drop and cut_before are given"
                if self.drop
                else ("the fault does not say what happens")
            )
            raise Fault(given, hint="write either drop or cut_before")
        if self.nth is not None and self.share is not None:
            raise Fault(
                "both nth and share are given",
                hint="write one of them",
                location=("share",),
                at_key=True,
            )
        return self

    @property
    def kind(self) -> AimedKind:
        """Return the kind of fault."""
        return "cut_before" if self.drop is None else "drop"

    @property
    def message(self) -> str:
        """Return the type of messages that the fault targets."""
        return self.drop or self.cut_before or ""

    @property
    def protocol(self) -> str:
        """Return the application protocol of these messages."""
        return self.message.split(".", 1)[0]

    def words(self) -> str:
        """Return a description of the fault."""
        which = "each" if self.nth is None else f"number {self.nth} of each device"
        if self.share is not None:
            which = f"{100 * self.share:.6g} %"
        way = f" {self.direction}" if self.direction else ""
        who = f" of {self.of}" if self.of else ""
        what = "lost" if self.kind == "drop" else "the connection cut before it"
        return f"{self.message}{way}{who}: {what} ({which})"
