"""Shares of devices by the value of a property, such as ``{144 dB: 80 %, 164 dB: 20 %}``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lasthop.study.fields.form import quantity_schema
from lasthop.study.fields.quantity import DECIBEL, FRACTION, Kind, format_quantity, parse
from lasthop.study.fields.written import Written
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from decimal import Decimal


MAXIMUM_STRATA = 100


@dataclass(frozen=True, slots=True)
class Share:
    """A value and the share of the devices that have it.

    Parameters
    ----------
    name
        The value as it is written in the shortest way.
    """

    name: str
    value: float
    share: Decimal


@dataclass(frozen=True, slots=True)
class Shares:
    """Values of a property and the shares of devices with each; together 100 %."""

    shares: tuple[Share, ...]

    def __str__(self) -> str:
        """Return the shares as one line."""
        return ", ".join(
            f"{format_quantity(one.share, FRACTION)} {one.name}" for one in self.shares
        )


@dataclass(frozen=True, slots=True)
class SharesOf(Written):
    """Marks a mapping from quantities to shares of devices.

    Parameters
    ----------
    kind
        Kind of the quantities.
    example
        Example of a quantity for errors.
    """

    kind: Kind
    example: str

    def read(self, value: object) -> Shares:
        """Parse the mapping. Its shares must add up to 100 %."""
        written = self.written
        if not isinstance(value, dict) or not value:
            raise Fault(f"{show(value)} has no shares of devices", hint=f'write "{written}"')
        if len(value) > MAXIMUM_STRATA:
            raise Fault(f"{len(value)} strata", hint=f"write at most {MAXIMUM_STRATA} strata")
        found = [self._share(key, share) for key, share in value.items()]
        for place, one in enumerate(found):
            if any(one.value == other.value for other in found[:place]):
                key = list(value)[place]
                what = f"{one.name} is written twice"
                raise Fault(what, hint="remove one of them", location=(key,), at_key=True)
        total = sum(one.share for one in found)
        if total != 1:
            what = f"the shares sum to {format_quantity(total, FRACTION)}, not to 100 %"
            raise Fault(what, hint=f'write shares that sum to 100 %, for example "{written}"')
        return Shares(tuple(found))

    @property
    def written(self) -> str:
        """Return an example of the mapping."""
        return f"{{{self.example}: 80 %, ..: 20 %}}"

    def _share(self, key: str, share: object) -> Share:
        try:
            value = parse(key, self.kind, example=self.example)
        except Fault as fault:
            raise Fault(fault.what, hint=fault.hint, location=(key,), at_key=True) from None
        try:
            fraction = parse(share, FRACTION, example="80 %")
        except Fault as fault:
            raise fault.within((key,)) from None
        if fraction == 0:
            raise Fault("a stratum with 0 % has no devices", hint="remove it", location=(key,))
        return Share(format_quantity(value, self.kind), float(value), fraction)

    def described(self) -> dict[str, Any]:
        """Return the JSON Schema of the mapping."""
        return {
            "type": "object",
            "minProperties": 1,
            "maxProperties": MAXIMUM_STRATA,
            "propertyNames": quantity_schema(self.kind, self.example),
            "additionalProperties": quantity_schema(FRACTION, "80 %"),
            "description": f"{self.kind.noun} and its share of the devices, together 100 %",
        }


COUPLING_LOSSES = SharesOf(DECIBEL, "144 dB")
