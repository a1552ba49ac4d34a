"""Annotations of radio-network keys: their notation and their field in the resolved network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from lasthop.study.fields.form import Number, OnOff, Quantity, WordOr
from lasthop.study.fields.quantity import (
    ANGLE,
    DECIBEL,
    FRACTION,
    FREQUENCY,
    LENGTH,
    POWER_LEVEL,
    TIME,
)
from lasthop.study.fields.written import Written
from lasthop.study.text.faults import Fault, show

FRAME_NS = 10_000_000
SUBFRAME_NS = 1_000_000
SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Into:
    """Marks a key that has another name in the resolved network.

    Parameters
    ----------
    field
        Dotted path, relative to the field of the surrounding mapping.
    unit_ns
        Unit of a time field in ns.
    """

    field: str
    unit_ns: int = SUBFRAME_NS


@dataclass(frozen=True, slots=True)
class ReleaseAssistance(Written):
    """Marks the release assistance hint: whether packets follow the device's own."""

    def read(self, value: object) -> str:
        """Parse ``on``, ``off``, ``after_reply`` or ``after_last_uplink``."""
        if value in ("after_reply", "after_last_uplink"):
            return str(value)
        try:
            return "on" if OnOff().read(value) else "off"
        except Fault:
            raise Fault(
                f"unknown value {show(value)}",
                hint='write "off", "on" (the same as "after_reply"), or "after_last_uplink"',
            ) from None

    def described(self) -> dict[str, Any]:
        """Return the JSON Schema of the words."""
        return {"enum": ["off", "on", "after_reply", "after_last_uplink", True, False]}


Off = Literal["off"]
IndoorLoss = Annotated[float | str, WordOr(DECIBEL, "20 dB", minimum=-400, words=("tr_45_820",))]
CutOff = Annotated[float | str, WordOr(DECIBEL, "10 dB", minimum=-400, words=("off",))]
Duration = Annotated[int, Quantity(TIME, "40 s")]
EstimationWindow = Annotated[int | str, WordOr(TIME, "16 ms", words=("ts_36_104",))]
LevelsWindow = Annotated[int | str, WordOr(TIME, "4 ms", words=("fitted_by_level",))]
SilenceShare = Annotated[float | str, WordOr(FRACTION, "1 %", words=("off",))]
Decibels = Annotated[float, Quantity(DECIBEL, "10 dB", minimum=-400)]
CouplingLoss = Annotated[float, Quantity(DECIBEL, "154 dB", minimum=-400)]
PowerLevel = Annotated[float, Quantity(POWER_LEVEL, "-104 dBm", minimum=-200)]
Length = Annotated[float, Quantity(LENGTH, "1732 m")]
Frequency = Annotated[float, Quantity(FREQUENCY, "1 Hz")]
Angle = Annotated[float, Quantity(ANGLE, "65 deg")]
Share = Annotated[float, Quantity(FRACTION, "10 %")]
Factor = Annotated[float, Number(above=-1e6)]
"""A number whose bounds the simulator checks."""
Switch = Annotated[bool, OnOff()]
Assistance = Annotated[str, ReleaseAssistance()]
Count = Annotated[int, Field(ge=0, le=100_000)]
"""An integer that a 3GPP table restricts further."""
