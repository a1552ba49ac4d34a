"""The coverage enhancement levels of a cell: how devices get in, and how they are served."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, Tag, model_validator

from lasthop.study.fields.form import SCALAR_OR_MAPPING, Form, Number
from lasthop.study.nbiot.amounts import Count, Duration, Into, Off, Share
from lasthop.study.text.faults import Fault, show

Counts = Annotated[list[Count], Field(max_length=32)]
PeriodFactor = Annotated[float, Number(above=0.0)]


class Nprach(Form):
    """The preambles of a coverage level."""

    period: Duration | None = Field(default=None, examples=["640 ms"])
    """How often devices may send one."""
    start: Duration | None = Field(default=None, examples=["64 ms"])
    """After the start of the period."""
    tones: Count | None = Field(default=None, examples=["12"])
    """Tones of 3.75 kHz."""
    tone_offset: Count | None = Field(default=None, examples=["24"])
    """The first of them."""
    repetitions: Count | None = Field(default=None, examples=["8"])
    """Repetitions of a preamble."""
    attempts: Count | None = Field(default=None, examples=["10"])
    """Attempts before a device goes to the next level."""
    multi_tone_msg3_thirds: Count | None = Field(default=None, examples=["0"])
    """How many thirds of the tones announce a device that can send Msg3 on several tones."""


class SearchSpace(Form):
    """An NPDCCH search space."""

    rmax: Count | None = Field(default=None, examples=["64"])
    """The most repetitions of a DCI."""
    g: PeriodFactor | None = Field(default=None, examples=["1.5"])
    """The period is Rmax times this, in subframes."""
    offset_eighths: Count | None = Field(default=None, examples=["0"])
    """How late it starts, in eighths of the period."""


class RandomAccessFormats(Form):
    """Formats of responses, Msg3 and Msg4."""

    dci_repetitions: Count | None = Field(default=None, examples=["2"])
    """Repetitions of the DCI."""
    npdsch_i_tbs: Count | None = Field(default=None, examples=["4"])
    """Transport block size index of the NPDSCH."""
    npdsch_repetitions: Count | None = Field(default=None, examples=["2"])
    """Repetitions of the NPDSCH."""
    msg3_mcs: Count | None = Field(default=None, examples=["1"])
    """The MCS field of the grant: 0, 1, 2 give 88 bit in 4, 3, 1 resource units."""
    msg3_tones: Count | None = Field(default=None, examples=["1"])
    """Tones of a Msg3 whose preamble announced several."""
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
    """The block error rate of a first transmission that it aims at."""
    dci_repetitions: Counts | None = Field(default=None, examples=["[2, 4, 8, 16]"])
    """Repetitions of the DCI; without them all that the search space allows."""
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
    """All devices of the level in one way."""
    adaptive: AdaptiveSets | None = Field(default=None, examples=["{target_block_error: 10 %}"])
    """Each device in the cheapest of these ways that meets the target."""

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
    """How long the device listens in each cycle, in pp."""
    inactivity: Annotated[Count, Into("inactivity_pp")] = Field(examples=["8"])
    """How long it listens after it was addressed, in pp."""
    cycle: Annotated[Duration, Into("cycle_subframes")] = Field(examples=["2048 ms"])
    """How often it listens."""


class EarlyData(Form):
    """Early data of release 15 in a coverage level, where early_data_bits is set."""

    bits: Count | None = Field(default=None, examples=["328"])
    """The transport block of Msg3 in this level, if it is not that of all levels."""
    nprach: Nprach | None = Field(default=None, examples=["{start: 256 ms}"])
    """The preambles that announce early data."""
    contention_resolution: Annotated[Count | None, Into("contention_resolution_pp")] = Field(
        default=None, examples=["32"]
    )
    """How long a device waits for Msg4, in periods of the search space of random access."""


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
    """How long a device waits for a response, in periods of that search space."""
    contention_resolution: Annotated[Count | None, Into("contention_resolution_pp")] = Field(
        default=None, examples=["32"]
    )
    """How long a device waits for Msg4, in the same periods."""
    synchronisation: Duration | None = Field(default=None, examples=["1125 ms"])
    """How long a device that does not know the frame listens until it has NPSS and NSSS."""
    random_access_formats: RandomAccessFormats | None = Field(
        default=None, examples=["{dci_repetitions: 2, msg3_repetitions: 4}"]
    )
    """How responses, Msg3 and Msg4 are sent."""
    user_search_space: SearchSpace | None = Field(default=None, examples=["{rmax: 16, g: 2}"])
    """Search space of a connected device."""
    link_adaptation: LinkAdaptation | None = Field(
        default=None, examples=["{adaptive: {npusch_repetitions: [1, 2, 4, 8]}}"]
    )
    """How a connected device is served."""
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
    """Early data in Msg3, or none in this level."""


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
