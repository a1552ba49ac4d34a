"""Forms of the NB-IoT carrier, device power, radio channel and subframes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, Tag

from lasthop.study.fields.form import SCALAR_OR_MAPPING, Form
from lasthop.study.nbiot.amounts import (
    FRAME_NS,
    Count,
    CutOff,
    Decibels,
    Duration,
    EstimationWindow,
    Factor,
    Frequency,
    Into,
    LevelsWindow,
    Off,
    PowerLevel,
    SilenceShare,
    Switch,
)


class Carrier(Form):
    """The 180 kHz carrier of a cell."""

    mode: Literal["standalone", "guard_band", "in_band"] | None = Field(
        default=None, examples=["in_band"]
    )
    """Deployment mode: standalone, in the guard band of LTE, or in one of its resource blocks."""
    control_symbols: Annotated[Count | None, Into("mode.in_band.control_symbols")] = Field(
        default=None, examples=["3"]
    )
    """Symbols of each subframe that the LTE control region takes. In-band only."""
    power: Annotated[PowerLevel | None, Into("downlink_power_dbm")] = Field(
        default=None, examples=["35 dBm"]
    )
    """Transmit power of the whole carrier, all antennas together."""
    noise_figure: Annotated[Decibels | None, Into("base_station_noise_figure_db")] = Field(
        default=None, examples=["3 dB"]
    )
    """Noise figure of the base station's receiver."""
    device_noise_figure: Decibels | None = Field(default=None, examples=["5 dB"])
    """Noise figure of the device's receiver."""
    receive_antennas: Annotated[Count | None, Into("base_station_receive_antennas")] = Field(
        default=None, examples=["2"]
    )
    """Number of receive antennas of the base station."""
    nrs_ports: Count | None = Field(default=None, examples=["2"])
    """Number of antenna ports of the narrowband reference signal, which all transmit."""
    device_receive_antennas: Count | None = Field(default=None, examples=["1"])
    """Number of receive antennas of the device."""


class DevicePower(Form):
    """The transmit power of devices."""

    maximum: PowerLevel | None = Field(default=None, examples=["23 dBm"])
    """Maximum transmit power of a device."""
    p0_nominal_npusch: PowerLevel | None = Field(default=None, examples=["-103 dBm"])
    """Target received power on a 15 kHz tone of the NPUSCH."""
    alpha: Factor | None = Field(default=None, examples=["1.0"])
    """Fraction of the path loss that power control compensates."""
    preamble_target: PowerLevel | None = Field(default=None, examples=["-104 dBm"])
    """Target received power of a preamble at the lowest repetition level."""
    ramping_step: Decibels | None = Field(default=None, examples=["4 dB"])
    """Increase of the preamble power with each attempt."""


class Channel(Form):
    """Settings of fading, channel estimation and interference."""

    fading: Literal["none", "rayleigh", "typical_urban"] | None = Field(
        default=None, examples=["typical_urban"]
    )
    """Fading model: flat Rayleigh with the Jakes spectrum, or the six taps of TS 05.05 annex
    C.3."""
    doppler: Annotated[Frequency | None, Into("fading.doppler_hz")] = Field(
        default=None, examples=["1 Hz"]
    )
    """Maximum Doppler shift."""
    estimation_window: Annotated[EstimationWindow | None, Into("estimation_window_ms")] = Field(
        default=None, examples=["16 ms", "ts_36_104"]
    )
    """Time over which a receiver averages reference symbols. `ts_36_104`: the base station 16 ms at
    3.75 kHz and 4 ms at 15 kHz, the device 16 ms."""
    estimation_window_15_khz: Annotated[
        LevelsWindow | None, Into("estimation_window_15_khz_ms")
    ] = Field(default=None, examples=["4 ms", "fitted_by_level"])
    """Estimation window of the base station on tones of 15 kHz. `fitted_by_level`: 4 ms at coverage
    levels 0 and 1, as in TS 36.104, and 1 ms at level 2, fitted to a published link simulation."""
    combining: Literal["reliability", "estimates"] | None = Field(
        default=None, examples=["estimates"]
    )
    """Weights with which a receiver combines repetitions and antennas: by the reliability of each
    channel estimate, or by the estimates themselves, so that noise in fades adds up."""
    downlink_estimation: Literal["window", "symbol"] | None = Field(
        default=None, examples=["symbol"]
    )
    """How a device estimates the channel of the downlink: over the estimation window, by the mean
    loss, or from the two reference symbols of a port in one symbol, with their errors as noise."""
    acknowledgement_estimation: Literal["window", "slot"] | None = Field(
        default=None, examples=["slot"]
    )
    """How the base station estimates the channel of an acknowledgement: over the estimation window,
    by the mean loss, or in each slot from its three reference symbols, as the requirement of
    TS 36.104 section 8.5.2 needs."""
    frequency_offset: Annotated[Frequency | None, Into("frequency_offset_hz")] = Field(
        default=None, examples=["20 Hz"]
    )
    """Residual frequency offset of a receiver after all corrections."""
    silence_as_acknowledgement: SilenceShare | None = Field(default=None, examples=["1 %", "off"])
    """Probability that the base station takes silence for an acknowledgement. off: never."""
    interference_cut_off: Annotated[CutOff | None, Into("interference_cut_off_below_noise_db")] = (
        Field(default=None, examples=["10 dB"])
    )
    """Interference this far below the noise is ignored. With off nothing is ignored."""
    nprach_detection_margin: Decibels | None = Field(default=None, examples=["2 dB"])
    """Loss of a real preamble detector relative to an ideal one."""
    measurement_error: Decibels | None = Field(default=None, examples=["4 dB"])
    """Standard deviation of the measured NRSRP of a device. The measurement decides its coverage
    level, its power and the formats that it starts with."""


class SystemInformation(Form):
    """A system information message."""

    bits: Annotated[Count, Into("transport_block_bits")] = Field(examples=["440"])
    """Size of the transport block."""
    periodicity: Annotated[Duration, Into("periodicity_frames", FRAME_NS)] = Field(
        examples=["5120 ms"]
    )
    """Interval between two windows of the message."""
    every: Annotated[Duration, Into("every_frames", FRAME_NS)] = Field(examples=["40 ms"])
    """Interval between two transmissions in a window."""


class DownlinkGap(Form):
    """Gaps in long downlink transmissions."""

    threshold_rmax: Count = Field(examples=["256"])
    """Gaps apply to search spaces with this Rmax or more."""
    period: Annotated[Duration, Into("period_subframes")] = Field(examples=["256 ms"])
    """Interval between two gaps."""
    duration_eighths: Count = Field(examples=["4"])
    """Length of a gap in eighths of the period."""


class Subframes(Form):
    """Downlink subframes that carry data."""

    sib1_repetitions: Count | None = Field(default=None, examples=["8"])
    """Repetitions of SIB1-NB in its period of 2560 ms."""
    system_information: list[SystemInformation] | None = Field(
        default=None, max_length=8, examples=["[{bits: 440, periodicity: 5120 ms, every: 40 ms}]"]
    )
    """The other system information messages, in the order of their windows."""
    si_window: Duration | None = Field(default=None, examples=["160 ms"])
    """Window of a system information message."""
    si_radio_frame_offset: Count | None = Field(default=None, examples=["0"])
    """Offset of all windows in radio frames."""
    downlink_gap: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[DownlinkGap, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
        ]
        | None
    ) = Field(default=None, examples=["off"])
    """Gaps in long downlink transmissions, which let devices in good coverage in."""


class Switches(Form):
    """Effects that can be turned off, to compare with a calculation that ignores them."""

    rlc_status: Switch | None = Field(default=None, examples=["on"])
    """RLC status reports are sent."""
    other_system_information: Switch | None = Field(default=None, examples=["on"])
    """System information other than SIB1-NB takes subframes."""
    downlink_gap: Switch | None = Field(default=None, examples=["on"])
    """Downlink gaps apply."""
    nprach_postponement: Switch | None = Field(default=None, examples=["on"])
    """An NPUSCH that overlaps NPRACH resources waits for their end."""
    first_candidate_only: Switch | None = Field(default=None, examples=["off"])
    """A DCI is only sent in the first candidate of a search space."""
    minimum_k0_only: Switch | None = Field(default=None, examples=["off"])
    """The smallest scheduling delay is always used."""
    hand_counted_blocks: Switch | None = Field(default=None, examples=["off"])
    """Transport blocks are divided as a hand calculation does."""
    block_errors: Switch | None = Field(default=None, examples=["on"])
    """Transport blocks, control information and preambles may fail."""
