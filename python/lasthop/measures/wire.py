"""Measures of traffic on the path: bytes, packets, retransmissions, load."""

from collections.abc import Iterator

from lasthop.measures.entries import count, share
from lasthop.measures.measure import Direction, FleetNeed, FleetRule, Kind, Measure, Ratio

_WAYS = {"up": "up, away from the device", "down": "down, towards the device"}
_FATES = {"offered": "entered", "delivered": "left"}
_SENT = "`wire_bytes_up_offered` + `wire_bytes_down_offered`"
_FRAMED = f"{_SENT} + 14 B (`packets_up_offered` + `packets_down_offered`)"


def _bytes_on_the_wire() -> Iterator[Measure]:
    for way, where in _WAYS.items():
        for fate, what in _FATES.items():
            sent = fate == "offered"
            yield Measure(
                name=f"wire_bytes_{way}_{fate}",
                kind=Kind.POSITIVE,
                arrow_type="int64",
                unit="B",
                called=f"bytes sent {way}" if sent else "",
                direction=Direction.LESS if sent else Direction.NEITHER,
                is_watched=sent,
                fleet=FleetRule.SUM,
                meaning=f"IP bytes that {what} the path on the way {where}; in the whole run, "
                "its warm-up included.",
            )


def _packets_on_the_wire() -> Iterator[Measure]:
    for way, where in _WAYS.items():
        for fate, what in _FATES.items():
            yield count(
                name=f"packets_{way}_{fate}",
                direction=Direction.LESS if fate == "offered" else Direction.NEITHER,
                meaning=f"Packets that {what} the path on the way {where}; in the whole run.",
            )


def _background_packets() -> Iterator[Measure]:
    for way, where in _WAYS.items():
        yield count(
            name=f"background_packets_{way}_offered",
            meaning=f"Packets of other traffic that came to the links of the path on the way "
            f"{where}, as `background` states; in the whole run.",
        )
        yield count(
            name=f"background_packets_{way}_dropped",
            meaning="Of these, those that found no room to wait.",
        )


WIRE = (
    *_bytes_on_the_wire(),
    *_packets_on_the_wire(),
    Measure(
        name="wire_rate_bit_s",
        fleet=FleetRule.SUM,
        ratio=Ratio(f"8 ({_SENT})", "`simulated_s`"),
        kind=Kind.POSITIVE,
        unit="bit/s",
        called="mean rate on the wire",
        direction=Direction.LESS,
        missing="no time passed",
        meaning="IP bits that entered the path, both ways, for each second of the run.",
    ),
    *_background_packets(),
    Measure(
        name="payload_bytes_first_sent",
        fleet=FleetRule.SUM,
        kind=Kind.POSITIVE,
        arrow_type="int64",
        unit="B",
        meaning="Bytes of the first copy of each payload, on every leg, in the whole run.",
    ),
    Measure(
        name="wire_bytes_per_message",
        fleet=FleetRule.RATIO,
        fleet_needs=FleetNeed.WIRE_BYTES,
        ratio=Ratio(_SENT, "`messages_delivered`"),
        kind=Kind.POSITIVE,
        unit="B",
        called="bytes sent for a delivered message",
        direction=Direction.LESS,
        missing="no value",
        meaning="IP bytes that entered the path, both ways and in the whole run, divided by "
        "`messages_delivered`: what is lost, sent again or kept alive is paid by what arrives.",
    ),
    Measure(
        name="wire_bytes_per_message_ethernet",
        fleet=FleetRule.RATIO,
        fleet_needs=FleetNeed.WIRE_BYTES,
        ratio=Ratio(_FRAMED, "`messages_delivered`"),
        kind=Kind.POSITIVE,
        unit="B",
        called="bytes sent for a delivered message, with Ethernet",
        direction=Direction.LESS,
        missing="no value",
        meaning="The same with 14 B of Ethernet for each packet, as Wireshark counts them.",
    ),
    Measure(
        name="control_bytes_per_100",
        ratio=Ratio(f"100 ({_SENT} - `payload_bytes_first_sent`)", "`payload_bytes_first_sent`"),
        kind=Kind.POSITIVE,
        unit="B",
        per="100 B",
        called="control bytes per 100 B of payload",
        heading="Control bytes per 100 B",
        direction=Direction.LESS,
        missing="nothing sent",
        is_watched=True,
        meaning="Offered bytes beside these first copies, for 100 B of them.",
    ),
    Measure(
        name="control_bytes_per_100_ethernet",
        ratio=Ratio(f"100 ({_FRAMED} - `payload_bytes_first_sent`)", "`payload_bytes_first_sent`"),
        kind=Kind.POSITIVE,
        unit="B",
        per="100 B",
        called="control bytes per 100 B of payload, with Ethernet",
        direction=Direction.LESS,
        missing="nothing sent",
        meaning="The same with 14 B of Ethernet for each packet.",
    ),
    count(
        name="retransmissions_application",
        called="retransmissions by the application",
        heading="Retransmissions",
        direction=Direction.LESS,
        meaning="Attempts beyond the first that applications made.",
    ),
    count(
        name="retransmissions_transport",
        called="retransmissions by the transport",
        direction=Direction.LESS,
        meaning="Packets in which the transport sent bytes again.",
    ),
    share(
        name="uncarried_ratio",
        ratio=Ratio("load that the path did not carry", "load offered before the first event"),
        called="share of the load not carried",
        direction=Direction.LESS,
        missing="too short to tell",
        meaning="Share of the offered load that the path did not carry, before the first of the "
        "events; empty where no device has 20 messages.",
    ),
)
