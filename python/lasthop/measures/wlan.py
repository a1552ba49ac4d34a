"""Measures of a WLAN cell and of the airtime of its stations."""

from functools import partial

from lasthop.measures.entries import share
from lasthop.measures.measure import Direction, FleetRule, Kind, Measure, Ratio

_part = partial(share, direction=Direction.LESS, missing="no WLAN")
_time = partial(Measure, kind=Kind.POSITIVE, unit="s", direction=Direction.LESS, missing="no WLAN")

WLAN = (
    _time(
        name="wlan_busy_s",
        called="time that the WLAN was busy",
        meaning="How long the medium of a WLAN was taken by frames and their acknowledgements, "
        "the mean over its cells.",
    ),
    _time(
        name="wlan_station_airtime_mean_s",
        ratio=Ratio("airtime of all stations", "stations"),
        called="airtime of a station",
        meaning="How long data frames of a station and to it took with their acknowledgements, "
        "the mean over the stations.",
    ),
    _time(
        name="wlan_station_airtime_max_s",
        fleet=FleetRule.LARGEST,
        called="airtime of the greediest station",
        meaning="The same of the station that took the most.",
    ),
    _part(
        name="wlan_collision_ratio",
        ratio=Ratio("data frames that met another", "data frames on the air"),
        called="WLAN frames that met",
        meaning="Share of the data frames on the air that met another.",
    ),
    _part(
        name="wlan_retransmission_ratio",
        ratio=Ratio("data frames that were sent before", "data frames on the air"),
        called="WLAN frames sent again",
        meaning="Share of the data frames on the air that were sent before.",
    ),
)
