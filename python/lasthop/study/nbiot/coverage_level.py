"""Forms of coverage enhancement levels: random access and data transmission of each."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, Tag, model_validator

from lasthop.study.fields.form import SCALAR_OR_MAPPING, Form, Number
from lasthop.study.nbiot.amounts import Count, Duration, Into, Off, Share
from lasthop.study.text.faults import Fault, show

Counts = Annotated[list[Count], Field(max_length=32)]
PeriodFactor = Annotated[float, Number(above=0.0)]


class Nprach(Form):
    """The NPRACH resources of a coverage level."""

    period: Duration | None = Field(default=None, examples=["640 ms"])
    """Interval between two preamble opportunities."""
    start: Duration | None = Field(default=None, examples=["64 ms"])
    """Start of the opportunity in its period."""
    tones: Count | None = Field(default=None, examples=["12"])
    """Number of tones (3.75 kHz) for preambles."""
    tone_offset: Count | None = Field(default=None, examples=["24"])
    """Number of the first tone."""
    repetitions: Count | None = Field(default=None, examples=["8"])
    """Repetitions of a preamble."""
    attempts: Count | None = Field(default=None, examples=["10"])
    """Attempts before a device goes to the next level."""
    multi_tone_msg3_thirds: Count | None = Field(default=None, examples=["0"])
    """Thirds of the tones that announce a device with multi-tone Msg3."""


class SearchSpace(Form):
    """An NPDCCH search space."""

    rmax: Count | None = Field(default=None, examples=["64"])
    """Maximum number of repetitions of a DCI (Rmax)."""
    g: PeriodFactor | None = Field(default=None, examples=["1.5"])
    """Length of the period in subframes, divided by Rmax."""
    offset_eighths: Count | None = Field(default=None, examples=["0"])
    """Start of the search space in eighths of the period."""


class RandomAccessFormats(Form):
    """Formats of random access responses, Msg3 and Msg4."""

    dci_repetitions: Count | None = Field(default=None, examples=["2"])
    """Repetitions of the DCI."""
    npdsch_i_tbs: Count | None = Field(default=None, examples=["4"])
    """Transport block size index of the NPDSCH."""
    npdsch_repetitions: Count | None = Field(default=None, examples=["2"])
    """Repetitions of the NPDSCH."""
    msg3_mcs: Count | None = Field(default=None, examples=["1"])
    """MCS field of the Msg3 grant: 0, 1, 2 give 88 bit in 4, 3, 1 resource units."""
    msg3_tones: Count | None = Field(default=None, examples=["1"])
    """Number of tones of a Msg3 whose preamble announced multi-tone."""
    msg3_repetitions: Count | None = Field(default=None, examples=["4"])
    """Repetitions of Msg3."""
    ack_repetitions: Count | None = Field(default=None, examples=["4"])
    """Repetitions of the acknowledgement of Msg4."""


class FixedFormats(Form):
    """One format for all connected devices of the level."""

    dci_repetitions: Count = Field(examples=["2"])
    """Repetitions of the DCI."""
    npdsch_i_tbs: Count = Field(examples=["4"])
    """Transport block size index of the NPDSCH."""
    npdsch_repetitions: Count = Field(examples=["2"])
    """Repetitions of the NPDSCH."""
    npusch_tones: Count = Field(examples=["1"])
    """Tones of the NPUSCH."""
    npusch_i_tbs: Count = Field(examples=["3"])
    """Transport block size index of the NPUSCH."""
    npusch_repetitions: Count = Field(examples=["4"])
    """Repetitions of the NPUSCH."""
    ack_repetitions: Count = Field(examples=["4"])
    """Repetitions of an acknowledgement."""


class AdaptiveSets(Form):
    """Formats from which the scheduler chooses the cheapest that meets the target."""

    target_block_error: Share | None = Field(default=None, examples=["10 %"])
    """Target block error rate of a first transmission."""
    dci_repetitions: Counts | None = Field(default=None, examples=["[2, 4, 8, 16]"])
    """Repetitions of the DCI. Default: all that the search space allows."""
    npdsch_i_tbs: Counts | None = Field(default=None, examples=["[0, 4, 8, 12]"])
    """Transport block size indices of the NPDSCH."""
    npdsch_repetitions: Counts | None = Field(default=None, examples=["[1, 2, 4, 8]"])
    """Repetitions of the NPDSCH."""
    npusch_i_tbs: Counts | None = Field(default=None, examples=["[0, 3, 6, 10]"])
    """Transport block size indices of the NPUSCH."""
    npusch_repetitions: Counts | None = Field(default=None, examples=["[1, 2, 4, 8, 16]"])
    """Repetitions of the NPUSCH."""
    ack_repetitions: Counts | None = Field(default=None, examples=["[1, 2, 4]"])
    """Repetitions of an acknowledgement."""


class LinkAdaptation(Form):
    """The link adaptation of connected devices."""

    fixed: FixedFormats | None = Field(default=None, examples=["{dci_repetitions: 2, ...}"])
    """The same format for all devices of the level."""
    adaptive: AdaptiveSets | None = Field(default=None, examples=["{target_block_error: 10 %}"])
    """The cheapest format for each device that meets the error target."""

    @model_validator(mode="after")
    def _one_way(self) -> LinkAdaptation:
        if len(self.model_fields_set) != 1:
            raise Fault(
                "both fixed and adaptive are given"
                if self.model_fields_set
                else ("the key has no value"),
                hint='write one of them, for example "adaptive: {target_block_error: 10 %}"',
            )
        return self


class ConnectedDrx(Form):
    """DRX in connected mode. pp are periods of the user search space."""

    on_duration: Annotated[Count, Into("on_duration_pp")] = Field(examples=["1"])
    """Time that the device listens in each cycle, in pp."""
    inactivity: Annotated[Count, Into("inactivity_pp")] = Field(examples=["8"])
    """Time that the device listens after it was addressed, in pp."""
    cycle: Annotated[Duration, Into("cycle_subframes")] = Field(examples=["2048 ms"])
    """Length of a DRX cycle."""


class EarlyData(Form):
    """Early data of release 15 in a coverage level, where early_data_bits is set."""

    bits: Count | None = Field(default=None, examples=["328"])
    """Transport block of Msg3 in this level. Default: that of all levels."""
    nprach: Nprach | None = Field(default=None, examples=["{start: 256 ms}"])
    """The preambles that announce early data."""
    contention_resolution: Annotated[Count | None, Into("contention_resolution_pp")] = Field(
        default=None, examples=["32"]
    )
    """Time that a device waits for Msg4, in periods of the random access search space."""


class CoverageLevel(Form):
    """A coverage enhancement level."""

    nprach: Nprach | None = Field(default=None, examples=["{period: 640 ms, repetitions: 8}"])
    """The preambles of the level."""
    random_access_search_space: SearchSpace | None = Field(
        default=None, examples=["{rmax: 16, g: 2}"]
    )
    """Search space for responses and Msg4."""
    response_window: Annotated[Count | None, Into("response_window_pp")] = Field(
        default=None, examples=["10"]
    )
    """Time that a device waits for a random access response, in periods of that search space."""
    contention_resolution: Annotated[Count | None, Into("contention_resolution_pp")] = Field(
        default=None, examples=["32"]
    )
    """Time that a device waits for Msg4, in the same periods."""
    synchronisation: Duration | None = Field(default=None, examples=["1125 ms"])
    """Time that a device needs to find NPSS and NSSS when it does not know the frame timing."""
    random_access_formats: RandomAccessFormats | None = Field(
        default=None, examples=["{dci_repetitions: 2, msg3_repetitions: 4}"]
    )
    """Formats of random access responses, Msg3 and Msg4."""
    user_search_space: SearchSpace | None = Field(default=None, examples=["{rmax: 16, g: 2}"])
    """Search space of a connected device."""
    link_adaptation: LinkAdaptation | None = Field(
        default=None, examples=["{adaptive: {npusch_repetitions: [1, 2, 4, 8]}}"]
    )
    """Formats of transmissions to and from a connected device."""
    connected_drx: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[ConnectedDrx, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
        ]
        | None
    ) = Field(default=None, examples=["off"])
    """DRX in connected mode."""
    early_data: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[EarlyData, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
        ]
        | None
    ) = Field(default=None, examples=["{bits: 328}", "off"])
    """Early data in Msg3. Default: none in this level."""


class CoverageLevels(Form):
    """The coverage levels, ce0 for devices in good coverage."""

    ce0: Annotated[CoverageLevel | None, Into("[0]")] = Field(
        default=None, examples=["{nprach: {period: 160 ms}}"]
    )
    """The first level."""
    ce1: Annotated[CoverageLevel | None, Into("[1]")] = Field(
        default=None, examples=["{nprach: {repetitions: 8}}"]
    )
    """The second level."""
    ce2: Annotated[CoverageLevel | None, Into("[2]")] = Field(
        default=None, examples=["{nprach: {repetitions: 32}}"]
    )
    """The third level."""

    @classmethod
    def _unknown_key(cls, key: str, known: list[str]) -> Fault:
        return Fault(
            f"unknown CE level {show(key)}",
            hint=f"write {', '.join(known)} (TS 36.331 nprach-ParametersList)",
            location=(key,),
            at_key=True,
        )
