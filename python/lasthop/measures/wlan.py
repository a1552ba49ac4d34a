"""What a WLAN cell does, and whose frames take its time."""

from functools import partial

from lasthop.measures.entries import share
from lasthop.measures.measure import Direction, Kind, Measure

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
        called="airtime of a station",
        meaning="How long data frames of a station and to it took with their acknowledgements, "
        "the mean over the stations.",
    ),
    _time(
        name="wlan_station_airtime_max_s",
        called="airtime of the greediest station",
        meaning="The same of the station that took the most.",
    ),
    _part(
        name="wlan_collision_ratio",
        called="WLAN frames that met",
        meaning="Share of the data frames on the air that met another.",
    ),
    _part(
        name="wlan_retransmission_ratio",
        called="WLAN frames sent again",
        meaning="Share of the data frames on the air that were sent before.",
    ),
)
