"""The radio network of a study: what differs from a preset."""

# ruff: noqa: TC001  (pydantic reads what is imported)

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, Tag, model_validator

from lasthop.study.fields.form import SCALAR_OR_MAPPING, Form
from lasthop.study.fields.shares import COUPLING_LOSSES, Shares
from lasthop.study.nbiot.amounts import (
    FRAME_NS,
    SECOND_NS,
    Assistance,
    Count,
    CouplingLoss,
    Decibels,
    Duration,
    Factor,
    Frequency,
    Into,
    Off,
    PowerLevel,
    Switch,
)
from lasthop.study.nbiot.carrier import Carrier, Channel, DevicePower, Subframes, Switches
from lasthop.study.nbiot.cell_settings import CellSettings, NonAnchorCarriers, check_thresholds
from lasthop.study.nbiot.coverage_level import Counts, CoverageLevels
from lasthop.study.nbiot.deployment import Deployment
from lasthop.study.nbiot.network_time import NetworkTime, NetworkTimeName
from lasthop.study.text.faults import Fault

CELLS = 21
"""Of a deployment that says nothing else."""


class ConnectionReject(Form):
    """When the base station turns requests for a connection away."""

    above_waiting: Count = Field(examples=["50"])
    """While more devices than these wait for resources of the cell."""
    wait: Annotated[Duration, Into("wait_s", SECOND_NS)] = Field(examples=["60 s"])
    """How long whoever was turned away keeps away."""


class AccessBarring(Form):
    """Which devices may not begin a connection."""

    classes: Annotated[Count, Into("barred_classes")] = Field(examples=["5"])
    """So many of the ten access classes at a time."""
    moves_on: Duration = Field(examples=["30 s"])
    """After so long it is the turn of the next class."""


class Reestablishment(Form):
    """What a device does whose radio link has failed."""

    t311: Duration = Field(examples=["10 s"])
    """For how long it looks for a cell."""
    t301: Duration = Field(examples=["25 s"])
    """For how long it asks the cell for its connection."""


class RandomAccess(Form):
    """What is common to the random access of all coverage levels."""

    nprach_format: Literal["format0", "format1"] | None = Field(default=None, examples=["format0"])
    """The preamble format: for cells of 10 km, or of 40 km."""
    preamble_attempts: Count | None = Field(default=None, examples=["20"])
    """Attempts in all levels together."""
    back_off: Duration | None = Field(default=None, examples=["512 ms"])
    """A device waits a uniform part of it before its next attempt."""
    msg3_capture: Decibels | None = Field(default=None, examples=["6 dB"])
    """A Msg3 survives a collision if it arrives this much stronger than the others together."""
    reject: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[ConnectionReject, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
        ]
        | None
    ) = Field(default=None, examples=["{above_waiting: 50, wait: 60 s}"])
    """When the base station turns requests for a connection away."""
    access_barring: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[AccessBarring, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
        ]
        | None
    ) = Field(default=None, examples=["{classes: 5, moves_on: 30 s}"])
    """Which devices may not begin a connection."""


class Uplink(Form):
    """The uplink grid."""

    subcarrier_spacing: Annotated[Frequency | None, Into("subcarrier_spacing")] = Field(
        default=None, examples=["15 kHz"]
    )
    """Of the NPUSCH: 15 kHz, or 3.75 kHz."""
    tones: Counts | None = Field(default=None, examples=["[1, 3, 6, 12]"])
    """Numbers of tones that the scheduler may grant."""


class Rlc(Form):
    """RLC acknowledged mode."""

    t_poll_retransmit: Duration | None = Field(default=None, examples=["6000 ms"])
    """A poll without a status report is repeated after this time."""
    maximum_retransmissions: Count | None = Field(default=None, examples=["4"])
    """The bearer has failed with so many retransmissions of a data unit."""
    status_on_gap: Switch | None = Field(default=None, examples=["on"])
    """A receiver that misses a data unit says so unasked."""


class ExtendedDrx(Form):
    """Extended idle-mode DRX."""

    cycle: Duration = Field(examples=["81920 ms"])
    """How often the device can be paged."""
    paging_time_window: Duration = Field(examples=["2560 ms"])
    """For how long, each time; no shorter than `drx_cycle`."""


class WakeUpSignal(Form):
    """What tells a device that it will be paged."""

    duration_divisor: Count = Field(examples=["64"])
    """It takes paging_rmax over this, in subframes, one at least."""
    time_offset: Duration = Field(examples=["80 ms"])
    """From its end to the paging occasion."""


class PowerSavingMode(Form):
    """Power saving mode."""

    t3324: Duration = Field(examples=["10 s"])
    """How long the device can still be paged after a connection."""
    t3412: Duration = Field(examples=["5 d"])
    """How often it updates its tracking area."""


class Nbiot(Form):
    """An NB-IoT network, or one cell with devices behind a stated coupling loss."""

    base: Literal["larmo_2019", "single_device"] | None = Field(
        default=None, examples=["larmo_2019"]
    )
    """The preset that holds for every key that is left out."""
    coupling_loss: Annotated[
        Annotated[
            Annotated[CouplingLoss, Tag("<value>")]
            | Annotated[Shares, COUPLING_LOSSES, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
        ]
        | None,
        Into("placement.stated_coupling_loss.coupling_loss_db"),
    ] = Field(default=None, examples=["154 dB", "{144 dB: 80 %, 154 dB: 15 %, 164 dB: 5 %}"])
    """One cell without neighbours, in which every device has this coupling loss, or each stratum of
    a group its own; with the cells of a deployment so many, filled evenly, that hear nothing of
    each other."""
    deployment: Annotated[Deployment | None, Into("placement.deployment")] = Field(
        default=None, examples=["{cells: 21, inter_site_distance: 1732 m}"]
    )
    """Sites with sectors, and devices dropped at random between them."""
    carrier: Carrier | None = Field(default=None, examples=["{mode: in_band, power: 35 dBm}"])
    """The carrier of each cell."""
    non_anchor_carriers: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[NonAnchorCarriers, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
        ]
        | None
    ) = Field(default=None, examples=["{count: 3, anchor_sixteenths: 4}"])
    """Carriers of each cell beside the anchor, for all that an anchor carries or for data alone."""
    device_power: DevicePower | None = Field(default=None, examples=["{maximum: 20 dBm}"])
    """How strongly a device sends."""
    channel: Channel | None = Field(default=None, examples=["{fading: typical_urban}"])
    """Fading, channel estimation, interference."""
    subframes: Subframes | None = Field(default=None, examples=["{sib1_repetitions: 8}"])
    """Which downlink subframes carry data."""
    random_access: RandomAccess | None = Field(default=None, examples=["{back_off: 512 ms}"])
    """What is common to the random access of all coverage levels."""
    coupling_loss_thresholds: list[CouplingLoss] | None = Field(
        default=None, examples=["[144 dB, 154 dB]"]
    )
    """The coupling losses at which the coverage levels meet, the first level first."""
    rsrp_thresholds: Annotated[list[PowerLevel] | None, Into("rsrp_thresholds_dbm")] = Field(
        default=None, examples=["[-108.8 dBm, -118.8 dBm]"]
    )
    """The same as received power of the reference signal."""
    coverage_levels: Annotated[CoverageLevels | None, Into("levels")] = Field(
        default=None, examples=["{ce2: {nprach: {repetitions: 64}}}"]
    )
    """How devices of each coverage level get in, and how they are served."""
    cell_settings: Annotated[list[CellSettings] | None, Field(max_length=84)] = Field(
        default=None,
        examples=["[{cells: [0, 1, 2], coupling_loss_thresholds: [140 dB, 150 dB]}]"],
    )
    """What some cells have in place of these thresholds, levels and carriers."""
    uplink: Uplink | None = Field(default=None, examples=["{subcarrier_spacing: 15 kHz}"])
    """The uplink grid."""
    procedure: Annotated[
        Literal["service_request", "resume", "control_plane"] | None, Into("connection.procedure")
    ] = Field(default=None, examples=["resume"])
    """How data get across: a new bearer, a resumed one (user plane), or inside NAS messages."""
    early_data_bits: Annotated[Count | None, Into("connection.early_data_bits")] = Field(
        default=None, examples=["1000"]
    )
    """Rel-15 early data in Msg3, up to this transport block."""
    security: Annotated[Switch | None, Into("connection.security")] = Field(
        default=None, examples=["on"]
    )
    """Whether a service request activates security."""
    rohc: Annotated[Switch | None, Into("connection.rohc")] = Field(default=None, examples=["off"])
    """Whether PDCP compresses headers."""
    category: Annotated[Literal["nb1", "nb2"] | None, Into("connection.category")] = Field(
        default=None, examples=["nb1"]
    )
    """What the devices can do: release 13, or 14."""
    harq_processes: Annotated[Count | None, Into("connection.harq_processes")] = Field(
        default=None, examples=["1"]
    )
    """HARQ processes of each direction."""
    harq_transmissions: Annotated[Count | None, Into("connection.harq_transmissions")] = Field(
        default=None, examples=["4"]
    )
    """How often a transport block is sent before RLC has to help."""
    grant_after_downlink: Annotated[Switch | None, Into("connection.grant_after_downlink")] = Field(
        default=None, examples=["on"]
    )
    """Whether an answer to downlink data needs no random access."""
    rlc: Annotated[Rlc | None, Into("connection.rlc")] = Field(
        default=None, examples=["{t_poll_retransmit: 6000 ms}"]
    )
    """RLC acknowledged mode."""
    t300: Annotated[Duration | None, Into("connection.t300_ms")] = Field(
        default=None, examples=["40 s"]
    )
    """A connection request that is not answered by then has failed."""
    inactivity: Annotated[Duration | None, Into("connection.inactivity_ms")] = Field(
        default=None, examples=["20 s"]
    )
    """The base station releases a connection that was quiet for so long."""
    release_assistance: Annotated[Assistance | None, Into("connection.release_assistance")] = Field(
        default=None, examples=["on"]
    )
    """What a device tells with its last data, so that the network releases it before `inactivity`
    is over. `after_reply`, as `on`: that one answer follows, or nothing where none does.
    `after_last_uplink`: that nothing follows; an answer pages the device. `off`: nothing."""
    reestablishment: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[Reestablishment, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
            Into("connection.reestablishment"),
        ]
        | None
    ) = Field(default=None, examples=["{t311: 10 s, t301: 25 s}"])
    """How a device whose radio link has failed gets its connection back."""
    system_information_known: Annotated[Switch | None, Into("idle.system_information_known")] = (
        Field(default=None, examples=["on"])
    )
    """Whether a device that appears has read the system information before."""
    clock_ppm: Annotated[Factor | None, Into("idle.clock_ppm")] = Field(
        default=None, examples=["20"]
    )
    """By how much the clock of a device may be wrong in a deep sleep; 0: it wakes up in step."""
    cell_search: Annotated[Duration | None, Into("idle.cell_search_ms")] = Field(
        default=None, examples=["2 min"]
    )
    """How long a device that registers searches for its cell."""
    drx_cycle: Annotated[Duration | None, Into("idle.drx_cycle_frames", FRAME_NS)] = Field(
        default=None, examples=["2560 ms"]
    )
    """The paging cycle of an idle device."""
    paging_rmax: Annotated[Count | None, Into("idle.paging_rmax")] = Field(
        default=None, examples=["64"]
    )
    """The most repetitions of a paging DCI."""
    wake_up_signal: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[WakeUpSignal, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
            Into("idle.wake_up_signal"),
        ]
        | None
    ) = Field(default=None, examples=["{duration_divisor: 64, time_offset: 80 ms}"])
    """What tells an idle device that it will be paged, so that it need not listen for pages."""
    edrx: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[ExtendedDrx, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
            Into("idle.extended_drx"),
        ]
        | None
    ) = Field(default=None, examples=["{cycle: 81920 ms, paging_time_window: 2560 ms}"])
    """Extended idle-mode DRX."""
    psm: (
        Annotated[
            Annotated[Off, Tag("<value>")] | Annotated[PowerSavingMode, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
            Into("idle.power_saving_mode"),
        ]
        | None
    ) = Field(default=None, examples=["{t3324: 10 s, t3412: 5 d}"])
    """Power saving mode."""
    network: (
        Annotated[
            Annotated[NetworkTimeName, Tag("<value>")] | Annotated[NetworkTime, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
        ]
        | None
    ) = Field(default=None, examples=["operator_norway_2019", "{mme: 100 ms}"])
    """How long base station, core and module take: a preset, or what differs from the one that
    holds where nothing is said. That is ``operator_norway_2019``, and ``ideal`` with
    ``base: larmo_2019``."""
    core_delay: Duration | None = Field(default=None, examples=["4 ms"])
    """How long a packet takes from the packet gateway to the far end of the bearer, each way."""
    packet_give_up: Annotated[Duration | None, Into("give_up_ms")] = Field(
        default=None, examples=["60 s"]
    )
    """A device gives a packet up that it could not deliver in this time."""
    switches: Switches | None = Field(default=None, examples=["{block_errors: off}"])
    """What may be left out, so that a calculation that leaves it out can be met exactly."""

    @model_validator(mode="after")
    def _somewhere(self) -> Nbiot:
        if self.coupling_loss is not None and self.deployment is not None:
            for key in sorted(self.deployment.model_fields_set - {"cells"}):
                raise Fault(
                    f'"{key}" has no effect, because coupling_loss is given',
                    hint="remove it, or remove coupling_loss",
                    location=("deployment", key),
                    at_key=True,
                )
        if self.coupling_loss is None and self.deployment is None and self.base != "larmo_2019":
            raise Fault(
                "the coupling loss of the devices is missing",
                hint='write "coupling_loss: 154 dB", "deployment: {cells: 21}" or '
                '"base: larmo_2019"',
            )
        return self

    @model_validator(mode="after")
    def _thresholds_once(self) -> Nbiot:
        check_thresholds(self.coupling_loss_thresholds, self.rsrp_thresholds)
        return self

    @property
    def cells(self) -> int:
        """How many cells there are."""
        stated = None if self.deployment is None else self.deployment.cells
        if stated is not None:
            return stated
        return CELLS if self.coupling_loss is None else 1

    @property
    def preset(self) -> str:
        """The preset that holds for every key that is left out."""
        if self.base is not None:
            return self.base
        return "larmo_2019" if self.coupling_loss is None else "single_device"
