"""Measures of the data bill of a SIM."""

from functools import partial

from lasthop.measures.measure import Direction, FleetRule, Kind, Measure, Ratio

_bill = partial(
    Measure,
    kind=Kind.POSITIVE,
    direction=Direction.LESS,
    missing="no tariff",
    fleet=FleetRule.RATIO,
)

BILLS = (
    _bill(
        name="bytes_per_month",
        unit="B",
        called="bytes of a SIM in a month",
        ratio=Ratio("IP bytes of a month, both ways", "devices with a tariff"),
        meaning="IP bytes that a device sends and receives in a month of 30.4375 days, at the rate "
        "after its set-up; the mean of the devices that have a tariff.",
    ),
    _bill(
        name="billed_bytes_per_month",
        unit="B",
        called="billed bytes of a SIM in a month",
        ratio=Ratio("billed bytes of a month", "devices with a tariff"),
        meaning="Bytes that the tariff bills for a month: those that it counts, with what it adds "
        "to packets and by rounding; the mean of the devices that have a tariff.",
    ),
    _bill(
        name="billed_bytes_set_up",
        unit="B",
        called="billed bytes of the set-up of a SIM",
        ratio=Ratio("billed bytes of the set-up", "devices with a tariff"),
        meaning="Bytes that the tariff counts until the first session of a device, once and before "
        "sessions and days are rounded; they are not in the bytes of a month.",
    ),
    _bill(
        name="cost_per_year",
        unit="money",
        called="cost of a SIM in a year",
        ratio=Ratio("cost of the first year", "devices with a tariff"),
        is_watched=True,
        meaning="Cost of a SIM in its first year, in the currency of the tariff: fees, twelve "
        "months of billed bytes, the set-up once, and the cloud; the mean of the devices that have "
        "a tariff.",
    ),
)
