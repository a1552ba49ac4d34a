"""Measures of radio networks and of energy."""

from collections.abc import Mapping
from functools import partial

from lasthop.measures.entries import count, share
from lasthop.measures.measure import Direction, FleetNeed, FleetRule, Kind, Measure, Ratio, Trials

ENERGY_CAUSES: Mapping[str, str] = {
    "random_access": "random access, up to the resolution of contention",
    "signalling": "RRC and NAS messages",
    "payload": "IP packets with the headers of the radio",
    "acknowledgement": "HARQ feedback and RLC status",
    "waiting": "being connected with nothing under way",
    "synchronisation": "getting in step again, system information, and searches without `attach`",
    "cell_search": "searches for a cell by devices that register",
    "attach": "registration without its cell search: system information, random access, "
    "messages, and waits after failed attempts",
    "paging": "listening to paging occasions while idle",
    "module": "the firmware of their modules",
    "sleep": "sleep while idle or in power saving mode",
}
"""Causes of the radio's energy use, as text. Each has a column."""

RADIO_STATES: Mapping[str, str] = {
    "deep_sleep": "slept deeply: in power saving mode, or between windows of eDRX",
    "light_sleep": "were idle and did not listen",
    "connected_sleep": "were connected and neither sent nor listened",
    "receive": "listened",
    "transmit": "sent",
}
"""States of the radio, as text. Each has a column."""

_NO_RADIO = "no radio"
_HARQ = {"up": "the transport blocks on NPUSCH that HARQ repeated", "down": "those on NPDSCH"}
_CHANNELS = {
    "npdcch": "the usable downlink subframes",
    "npdsch": "the usable downlink subframes",
    "npusch": "the uplink, in tones and time,",
    "nprach": "the uplink, in tones and time,",
}

_event = partial(count, direction=Direction.LESS, missing=_NO_RADIO)
_part = partial(share, direction=Direction.LESS, missing=_NO_RADIO)
_throughput = partial(
    Measure, kind=Kind.POSITIVE, unit="bit/s", direction=Direction.MORE, is_watched=True
)
_energy = partial(
    Measure,
    kind=Kind.POSITIVE,
    unit="J",
    direction=Direction.LESS,
    missing=_NO_RADIO,
    fleet=FleetRule.SUM,
)

NETWORK = (
    _throughput(
        name="device_throughput_bit_s",
        ratio=Ratio(
            "sum over delivered messages of payload bits / latency", "`messages_delivered`"
        ),
        called="mean throughput of a device",
        is_waiting=True,
        meaning="Mean, over the delivered messages of a network, of payload bits for each second "
        "from `intended_ns` to `delivered_ns`.",
    ),
    share(
        name="availability_20s",
        fleet=FleetRule.RATIO,
        fleet_needs=FleetNeed.MESSAGES,
        ratio=Ratio("messages delivered within 20 s", "`messages_offered`"),
        called="share delivered within 20 s",
        direction=Direction.MORE,
        trials=Trials(of="messages_offered", effective="effective_messages_20s"),
        is_watched=True,
        meaning="Share of the offered messages of a network that arrived within 20 s.",
    ),
    _throughput(
        name="cell_throughput_bit_s",
        ratio=Ratio("payload bits delivered in the measured time", "measured seconds x cells"),
        called="mean throughput of a cell",
        meaning="Payload bits that arrived, for each measured second and cell.",
    ),
    Measure(
        name="lowest_path_gain_served_db",
        fleet=FleetRule.SMALLEST,
        kind=Kind.DECIBEL,
        unit="dB",
        called="lowest path gain served",
        direction=Direction.LESS,
        missing="nobody served",
        meaning="Path gain of the farthest device whose message arrived within 20 s.",
    ),
    _event(
        name="random_access_preambles", meaning="Preambles that devices sent, in the whole run."
    ),
    _event(
        name="random_access_collisions",
        meaning="Of these, those whose tone another device chose as well.",
    ),
    _event(name="random_access_failures", meaning="Random accesses that ended without success."),
    _event(
        name="early_data",
        direction=Direction.MORE,
        meaning="Random accesses that data in the third message and the answer to it completed.",
    ),
    _event(
        name="early_data_fallbacks",
        meaning="Announcements of early data that ended in a usual random access.",
    ),
    _event(
        name="radio_link_failures",
        meaning="Connections that the failure of the radio link ended.",
    ),
    _event(name="rlc_retransmissions", meaning="RLC PDUs that were sent again, both ways."),
    *(
        _part(
            name=f"harq_retransmission_{way}_ratio",
            ratio=Ratio("transport blocks that HARQ repeated", "transport blocks"),
            meaning=f"Share of {what}.",
        )
        for way, what in _HARQ.items()
    ),
    *(
        _part(
            name=f"occupancy_{channel}_ratio",
            called=f"{channel.upper()} occupied",
            ratio=Ratio(f"what {channel.upper()} took", what.removesuffix(",")),
            meaning=f"Share of {what} in which {channel.upper()} was sent.",
        )
        for channel, what in _CHANNELS.items()
    ),
)

ENERGY = (
    *(
        _energy(
            name=f"energy_{cause}_j",
            meaning=f"What the radios of all devices drew for {what}.",
        )
        for cause, what in ENERGY_CAUSES.items()
    ),
    _energy(
        name="energy_j",
        called="energy of all devices",
        meaning="All of these together; empty where no link has a radio.",
    ),
    _energy(
        name="energy_set_up_j",
        called="energy of the set-up of all devices",
        meaning="What the radios drew until their devices were set up, once: to the first idle "
        "moment after the first session, or to that session where a message is due before. What "
        "lies before the measured time is in it.",
    ),
    _energy(
        name="energy_steady_j",
        called="energy of all devices after their set-up",
        meaning="`energy_j` without what it has of `energy_set_up_j`.",
    ),
    _energy(
        name="energy_load_j",
        called="energy of all devices beside their radios",
        meaning="What all devices drew beside their radios in the measured time, by `load` of the "
        "study; empty where nothing is written. `energy_j` does not contain it.",
    ),
    _energy(
        name="energy_per_message_j",
        fleet=FleetRule.RATIO,
        fleet_needs=FleetNeed.ENERGY,
        ratio=Ratio("`energy_j`", "`messages_delivered`"),
        called="energy of a delivered message",
        missing="no value",
        is_watched=True,
        meaning="`energy_j` divided by `messages_delivered`.",
    ),
    *(
        Measure(
            name=f"radio_{state}_s",
            kind=Kind.POSITIVE,
            unit="s",
            missing=_NO_RADIO,
            fleet=FleetRule.SUM,
            meaning=f"How long the radios of all devices {what}.",
        )
        for state, what in RADIO_STATES.items()
    ),
    Measure(
        name="battery_years",
        fleet=FleetRule.HARMONIC_MEAN,
        ratio=Ratio(
            "energy of a battery after the set-up of its device",
            "mean power of the devices that have it, after their set-up",
        ),
        kind=Kind.POSITIVE,
        unit="years",
        called="battery life",
        missing="no radio, or devices that come and go",
        direction=Direction.MORE,
        is_watched=True,
        meaning="How long a battery lasts that feeds the set-up of its device once, and then the "
        "mean power of `energy_steady_j` and `energy_load_j`; of several batteries the life at "
        "which as many are taken a year; empty where devices come and go.",
    ),
    share(
        name="lifetime_ratio",
        fleet=FleetRule.RATIO,
        ratio=Ratio("devices whose battery lasts for the asked lifetime", "devices"),
        called="share of devices that reach the lifetime",
        direction=Direction.MORE,
        missing="no lifetime is asked for",
        meaning="Share of the devices whose battery lasts for `lifetime` of the study, each by its "
        "own energy in the run; empty where no lifetime is asked for. In a short run, devices "
        "differ by chance, and so do their lives.",
    ),
)
