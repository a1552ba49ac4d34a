"""Base class of all study forms: checks keys, parses units and words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    model_validator,
)

from lasthop.study.fields.descriptions import descriptions
from lasthop.study.fields.quantity import (
    FRACTION,
    PACKETS,
    RATE,
    SIZE,
    TIME,
    Kind,
    format_quantity,
    parse,
)
from lasthop.study.fields.written import Written
from lasthop.study.text.faults import Fault, nearest, show

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic.fields import FieldInfo
    from pydantic_core import CoreSchema


class Form(BaseModel):
    """A mapping of the study file. Unknown keys are errors with a remedy."""

    # What reads a form is built when it is read: a study uses few of them.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    not_yet: ClassVar[dict[str, str]] = {}
    """Words that are reserved for later versions, and the alternative today."""

    elsewhere: ClassVar[dict[str, str]] = {}
    """Keys that belong to another mapping, and the name of that mapping."""

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, data: object) -> object:
        if not isinstance(data, dict):
            raise Fault(f"{show(data)} is not a mapping", hint=f"write {cls.sketch()}")
        keys = cls.written_keys()
        for key in data:
            if key not in keys:
                raise cls._unknown_key(str(key), list(keys))
        for key, field in keys.items():
            if field.is_required() and key not in data:
                example = field.examples[0] if field.examples else "..."
                raise Fault(f'the key "{key}" is missing', hint=f'write "{key}: {example}"')
            if key in data and data[key] is None:
                example = field.examples[0] if field.examples else "..."
                raise Fault(
                    "the key has no value",
                    hint=f'write "{key}: {example}"',
                    location=(key,),
                    at_key=True,
                )
        return data

    @classmethod
    def written_keys(cls) -> dict[str, FieldInfo]:
        """Return the field of each key, by the key's name in the study."""
        return _written_keys(cls)

    @classmethod
    def sketch(cls) -> str:
        """Return a short example of the mapping."""
        shown = [
            f"{key}: {field.examples[0]}"
            for key, field in cls.written_keys().items()
            if field.examples
        ]
        return "{" + ", ".join(shown[:2]) + "}"

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Add the description of each key to the JSON Schema."""
        reference = handler(schema)
        properties = handler.resolve_ref_schema(reference)["properties"]
        for name, text in descriptions(cls).items():
            if (field := cls.model_fields.get(name)) is not None:
                properties[field.alias or name]["description"] = text
        return reference

    @classmethod
    def _unknown_key(cls, key: str, known: list[str]) -> Fault:
        if key in cls.not_yet:
            return Fault(
                f"{show(key)} is not yet supported",
                hint=cls.not_yet[key],
                location=(key,),
                at_key=True,
            )
        if key in cls.elsewhere:
            hint = cls.elsewhere[key]
        elif (match := nearest(key, known)) is not None:
            hint = f'did you mean "{match}"?'
        else:
            hint = f"known keys: {', '.join(known)}"
        return Fault(f"unknown key {show(key)}", hint=hint, location=(key,), at_key=True)


@cache
def _written_keys(form: type[Form]) -> dict[str, FieldInfo]:
    return {field.alias or name: field for name, field in form.model_fields.items()}


@dataclass(frozen=True, slots=True)
class Quantity(Written):
    """Marks a number with a unit, which is stored in base units.

    Parameters
    ----------
    kind
        Kind of the quantity.
    example
        Example value for errors.
    minimum
        Smallest value, in base units.
    """

    kind: Kind
    example: str
    minimum: int = 0

    def read(self, value: object) -> int | float:
        """Parse a quantity into base units."""
        amount = parse(value, self.kind, example=self.example)
        if amount < self.minimum:
            if self.minimum == 1:
                raise Fault(
                    f"{show(value)} is too small", hint=f'write for example "{self.example}"'
                )
            least = format_quantity(Decimal(self.minimum), self.kind)
            raise Fault(f"{show(value)} is too small", hint=f'write "{least}" or more')
        return int(amount) if self.kind.whole else float(amount)

    def described(self) -> dict[str, Any]:
        """Return the JSON Schema of the quantity."""
        return quantity_schema(self.kind, self.example)


@dataclass(frozen=True, slots=True)
class WordOr(Quantity):
    """Marks a quantity that can be replaced by certain words.

    Parameters
    ----------
    words
        Words that can replace the quantity.
    """

    words: tuple[str, ...] = ()

    def read(self, value: object) -> Any:  # noqa: ANN401  (a number or a word)
        """Parse one of the words, or a quantity."""
        if value in self.words:
            return value
        try:
            return Quantity.read(self, value)
        except Fault as fault:
            words = " or ".join(f'"{word}"' for word in self.words)
            raise Fault(fault.what, hint=f"{fault.hint}, or {words}") from None

    def described(self) -> dict[str, Any]:
        """Return the JSON Schema of the words and the quantity."""
        return {"anyOf": [{"enum": list(self.words)}, quantity_schema(self.kind, self.example)]}


def quantity_schema(kind: Kind, example: str) -> dict[str, Any]:
    """Return the JSON Schema of a quantity."""
    units = "|".join(kind.units)
    sign = "[-+]" if kind.signed else r"\+"
    return {
        "type": "string",
        "pattern": rf"^{sign}?([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*({units})$",
        "description": f"{kind.noun}, in {' '.join(kind.units)}",
        "examples": [example],
    }


@dataclass(frozen=True, slots=True)
class OnOff(Written):
    """Marks a boolean value that is written ``on`` or ``off``."""

    def read(self, value: object) -> bool:
        """Parse ``on``, ``off``, ``true`` or ``false``."""
        if isinstance(value, bool):
            return value
        if value in ("on", "off"):
            return value == "on"
        raise Fault(f"{show(value)} is neither on nor off", hint='write "on" or "off"')

    def described(self) -> dict[str, Any]:
        """Return the JSON Schema of the words."""
        return {"enum": ["on", "off", True, False]}


_NUMBER = re.compile(r"[-+]?[0-9]{1,18}(\.[0-9]{1,18})?")


@dataclass(frozen=True, slots=True)
class Number(Written):
    """Marks a number without a unit, larger than ``above``."""

    above: float
    maximum: float = 1e6

    def read(self, value: object) -> float:
        """Parse an integer or a decimal number."""
        text = "" if isinstance(value, bool) else str(value)
        if _NUMBER.fullmatch(text) is None:
            raise Fault(f"{show(value)} is not a number", hint="write a number, for example 2.5")
        number = float(text)
        if not self.above < number <= self.maximum:
            raise Fault(
                f"{show(value)} is out of range",
                hint=f"write a number above {self.above:g}, at most {self.maximum:g}",
            )
        return number

    def described(self) -> dict[str, Any]:
        """Return the JSON Schema of the number."""
        return {"type": "number", "exclusiveMinimum": self.above, "maximum": self.maximum}


@dataclass(frozen=True, slots=True)
class QueueLimit:
    """The limit of a queue in bytes or packets."""

    amount: int
    unit: str


@dataclass(frozen=True, slots=True)
class QueueSize(Written):
    """Marks a queue limit, written as a size or as a number of packets."""

    def read(self, value: object) -> QueueLimit:
        """Parse ``64 kB`` or ``100 packets``."""
        kind = PACKETS if isinstance(value, str) and "packet" in value else SIZE
        amount = int(parse(value, kind, example="64 kB" if kind is SIZE else "100 packets"))
        if amount < 1:
            raise Fault(
                f"a queue of {show(value)} holds nothing", hint='write "64 kB" or "100 packets"'
            )
        return QueueLimit(amount, kind.column_unit)

    def described(self) -> dict[str, Any]:
        """Return the JSON Schema of both notations."""
        return {"anyOf": [quantity_schema(SIZE, "64 kB"), quantity_schema(PACKETS, "100 packets")]}


def _shape(value: object) -> str:
    return "<mapping>" if isinstance(value, dict) else "<value>"


SCALAR_OR_MAPPING = Discriminator(_shape)
"""Selects ``Tag("<value>")`` or ``Tag("<mapping>")``, so that error messages stay short."""

Time = Annotated[int, Quantity(TIME, "250 ms")]
LongTime = Annotated[int, Quantity(TIME, "2 min")]
PositiveTime = Annotated[int, Quantity(TIME, "250 ms", minimum=1)]
LongPositiveTime = Annotated[int, Quantity(TIME, "10 min", minimum=1)]
Size = Annotated[int, Quantity(SIZE, "409 B")]
Rate = Annotated[int, Quantity(RATE, "50 kbit/s", minimum=1)]
Percentage = Annotated[float, Quantity(FRACTION, "10 %")]
Switch = Annotated[bool, OnOff()]
