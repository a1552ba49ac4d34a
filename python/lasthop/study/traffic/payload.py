"""What a message carries: so many bytes, or JSON fields."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import Field, Tag, field_validator, model_validator

from lasthop.study.faults import Fault, show
from lasthop.study.form import SCALAR_OR_MAPPING, Form, Quantity
from lasthop.study.quantity import SIZE
from lasthop.study.source import DecimalText, OtherNumber

MINIMUM_PAYLOAD_BYTES = 8
MAXIMUM_PAYLOAD_BYTES = 60_000

# What the simulator adds to JSON fields: "id":"AAAAAAAA" and a comma; with padding ,"pad":"".
_ID_BYTES = 16
_EMPTY_PAD_BYTES = 9
_RESERVED_FIELDS = ("id", "pad")

PayloadSize = Annotated[int, Quantity(SIZE, "409 B", minimum=MINIMUM_PAYLOAD_BYTES)]


def within_a_datagram(size: int) -> int:
    """Refuse a size that no datagram carries."""
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
            within_a_datagram(least)
            return self
        within_a_datagram(self.size)
        if self.size != least and self.size < least + _EMPTY_PAD_BYTES:
            raise Fault(
                f"the fields and the message's id take {least} B, {_EMPTY_PAD_BYTES} B more padded",
                hint=f'write "size: {least} B", or "size: {least + _EMPTY_PAD_BYTES} B" or more',
                location=("size",),
            )
        return self

    @property
    def size_in_a_batch(self) -> int:
        """What each of several readings takes at most, in bytes, in the list that they go in."""
        return self.size or len(self.text().encode()) + _ID_BYTES

    def text(self) -> str:
        """Give the fields as compact JSON."""
        return json.dumps(
            self.fields_written, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        )


Payload = Annotated[
    Annotated[PayloadSize, Tag("<value>")] | Annotated[JsonPayload, Tag("<mapping>")],
    SCALAR_OR_MAPPING,
]
