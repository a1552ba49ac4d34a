"""Measures of sessions: set-up, and state that servers hold for lost clients."""

from functools import partial

from lasthop.measures.entries import count
from lasthop.measures.measure import Direction, FleetRule, Kind, Measure

_set_up = partial(
    Measure,
    kind=Kind.POSITIVE,
    unit="ms",
    direction=Direction.LESS,
    missing="no session, or not reached",
    is_waiting=True,
)

SESSIONS = (
    count(
        name="sessions_begun",
        meaning="Sessions of MQTT that clients began to set up after the warm-up; empty in other "
        "protocols, as all columns of sessions.",
    ),
    count(
        name="sessions_set_up",
        direction=Direction.MORE,
        meaning="Of these, how many came about: the client could send, and heard what it "
        "subscribes to.",
    ),
    count(
        name="sessions_resumed",
        meaning="Of these, how many went by a connection that resumed an earlier one.",
    ),
    count(
        name="sessions_early",
        meaning="Of these, how many had early data that the server took.",
    ),
    count(
        name="half_open_peak",
        fleet=FleetRule.NOT_AT_ALL,
        called="half-open connections at most",
        direction=Direction.LESS,
        meaning="The most connections at a time that servers held and whose clients had none.",
    ),
    _set_up(
        name="session_set_up_p50_ms",
        called="median time to set a session up",
        meaning="Median, to 0.4 %, of the time from the first try to the session; of those begun, "
        "empty where fewer came about.",
    ),
    _set_up(
        name="session_set_up_p95_ms",
        called="95th percentile of the time to set a session up",
        heading="Set-up p95",
        meaning="95th percentile of that time.",
    ),
    _set_up(
        name="session_set_up_p99_ms",
        called="99th percentile of the time to set a session up",
        meaning="99th percentile of that time.",
    ),
    _set_up(
        name="session_set_up_max_ms",
        fleet=FleetRule.LARGEST,
        called="longest time to set a session up",
        meaning="The longest that a session took, where all came about.",
    ),
    Measure(
        name="half_open_s",
        fleet=FleetRule.SUM,
        kind=Kind.POSITIVE,
        unit="s",
        called="time of half-open connections",
        direction=Direction.LESS,
        missing="no session",
        meaning="For how long such connections were held in the whole run, all together.",
    ),
    count(
        name="peers_evicted",
        called="peers that servers evicted",
        direction=Direction.LESS,
        missing="real servers",
        meaning="Peers at rest that servers of CoAP over UDP, with DTLS or without, and of DDS "
        "evicted to make room for others; in the whole run.",
    ),
)
