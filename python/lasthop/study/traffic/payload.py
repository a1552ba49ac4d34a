"""The payload of a message: a size in bytes, or fields in an encoding."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field, Tag, field_validator, model_validator

from lasthop import _native
from lasthop.study.fields.form import SCALAR_OR_MAPPING, Form, Quantity
from lasthop.study.fields.quantity import SIZE
from lasthop.study.text.faults import Fault, show
from lasthop.study.text.source import DecimalText, OtherNumber

MINIMUM_PAYLOAD_BYTES = 8
MAXIMUM_PAYLOAD_BYTES = 60_000

# What the simulator adds to JSON fields: "id":"AAAAAAAA" and a comma; with padding ,"pad":"".
_ID_BYTES = 16
_EMPTY_PAD_BYTES = 9
_RESERVED_FIELDS = ("id", "pad")

PayloadSize = Annotated[int, Quantity(SIZE, "409 B", minimum=MINIMUM_PAYLOAD_BYTES)]


def within_a_datagram(size: int) -> int:
    """Return a payload size, or raise an error if no datagram can carry it."""
    if size > MAXIMUM_PAYLOAD_BYTES:
        raise Fault(
            f"a payload of {size} B is more than {MAXIMUM_PAYLOAD_BYTES} B",
            hint='write "60 kB" or less',
        )
    return size


class FieldsPayload(Form):
    """A payload of fields in JSON, CBOR or Protocol Buffers, optionally padded."""

    fields_written: dict[str, Any] | None = Field(
        default=None, alias="json", examples=["{heart_rate: 72}"]
    )
    """Fields of the payload. Each value is a number, a text or true/false."""
    count: Annotated[int, Field(ge=1, le=1000)] | None = Field(
        default=None, alias="fields", examples=["10"]
    )
    """Number of generated fields instead of `json`, each a name and a number with two decimals."""
    encoding: Literal["json", "cbor", "protobuf"] = "json"
    """Encoding of the fields: JSON, CBOR (RFC 8949) or Protocol Buffers."""
    compression: Literal["none", "deflate"] = "none"
    """Compression of the encoded payload (deflate, RFC 1950). The 8 B that identify the message are
    never compressed."""
    size: PayloadSize | None = Field(default=None, examples=["409 B"])
    """Size to which the JSON is padded."""

    @field_validator("fields_written", mode="before")
    @classmethod
    def _scalars(cls, fields: object) -> object:
        if not isinstance(fields, dict) or not fields:
            raise Fault(f"{show(fields)} has no fields", hint='write "json: {heart_rate: 72}"')
        read: dict[str, Any] = {}
        for name, value in fields.items():
            if name in _RESERVED_FIELDS:
                raise Fault(
                    f"the field name {show(name)} is reserved by lasthop",
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
                    f"{show(value)} may be a number or text",
                    hint="write a number with digits and a point, for example "
                    f'1000.5, or text in quotes: "{value}"',
                    location=(name,),
                )
            read[name] = float(value) if isinstance(value, DecimalText) else value
        return read

    @model_validator(mode="after")
    def _fits(self) -> FieldsPayload:
        if (self.fields_written is None) == (self.count is None):
            given = "has no fields" if self.count is None else "has both json and fields"
            raise Fault(given, hint='write "json: {heart_rate: 72}", or "fields: 10"')
        if self.is_plain:
            self._fits_its_padding()
        elif self.size is not None:
            raise Fault(
                '"size" can be used only with uncompressed JSON',
                hint="remove it",
                location=("size",),
                at_key=True,
            )
        else:
            within_a_datagram(self.encoded_bytes)
        return self

    def _fits_its_padding(self) -> None:
        least = len(self.text().encode()) + _ID_BYTES
        if self.size is None:
            within_a_datagram(least)
            return
        within_a_datagram(self.size)
        if self.size != least and self.size < least + _EMPTY_PAD_BYTES:
            raise Fault(
                f"the fields and the message id need {least} B, or "
                f"{least + _EMPTY_PAD_BYTES} B and more with padding",
                hint=f'write "size: {least} B", or "size: {least + _EMPTY_PAD_BYTES} B" or more',
                location=("size",),
            )

    @property
    def is_plain(self) -> bool:
        """Return whether the payload is uncompressed JSON."""
        return self.encoding == "json" and self.compression == "none"

    @cached_property
    def encoded_bytes(self) -> int:
        """Return the size of a message with one reading, without padding."""
        is_deflated = self.compression == "deflate"
        return _native.encoded_bytes(self.text(), self.encoding, is_deflated)

    @property
    def size_in_a_batch(self) -> int:
        """Return the largest size of each of several readings in a batch, in bytes."""
        if not self.is_plain:
            return self.encoded_bytes
        return self.size or len(self.text().encode()) + _ID_BYTES

    def names(self) -> str:
        """Return the names of the fields, or their number."""
        fields = self.fields_written
        return f"{self.count}" if fields is None else ", ".join(fields)

    def text(self) -> str:
        """Return the fields as compact JSON."""
        fields = self.fields_written
        if fields is None:
            fields = dict(map(_made_up, range(self.count or 0)))
        return json.dumps(fields, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _made_up(place: int) -> tuple[str, float]:
    """Return a generated field with values like those of a sensor."""
    return f"value_{place + 1}", round(20 + (37 * place % 1000) / 100, 2)


Payload = Annotated[
    Annotated[PayloadSize, Tag("<value>")] | Annotated[FieldsPayload, Tag("<mapping>")],
    SCALAR_OR_MAPPING,
]
