"""Measures of timeliness: messages in time, age of information, recovery from events."""

from functools import partial

from lasthop.measures.entries import count, share
from lasthop.measures.measure import Direction, FleetRule, Kind, Measure, Ratio, Trials

_age = partial(
    Measure,
    kind=Kind.POSITIVE,
    unit="s",
    direction=Direction.LESS,
    missing="no flow has two messages",
    is_waiting=True,
)
_recovery = partial(
    Measure,
    kind=Kind.POSITIVE,
    unit="ms",
    direction=Direction.LESS,
    missing="not recovered",
    is_waiting=True,
)

TIMELINESS = (
    count(
        name="messages_with_deadline",
        called="messages with a deadline",
        meaning="Measured messages of flows for which the study sets a time for delivery "
        "(`within`).",
    ),
    count(
        name="messages_in_time",
        called="messages delivered in time",
        direction=Direction.MORE,
        meaning="Of these, how many were delivered within that time after they were due.",
    ),
    share(
        name="in_time_ratio",
        called="share of messages delivered in time",
        heading="In time",
        direction=Direction.MORE,
        missing="no flow has a deadline",
        trials=Trials(
            of="messages_with_deadline",
            successes="messages_in_time",
            effective="effective_messages_with_deadline",
        ),
        fleet=FleetRule.RATIO,
        ratio=Ratio("`messages_in_time`", "`messages_with_deadline`"),
        meaning="`messages_in_time` divided by `messages_with_deadline`; a lost message is not in "
        "time. Empty where no flow has a deadline.",
    ),
    _age(
        name="age_of_information_mean_s",
        called="mean age of information",
        heading="Mean age",
        fleet=FleetRule.RATIO,
        ratio=Ratio("ages, integrated over time", "time, added over devices and flows"),
        meaning="Time average of the age of information at the receivers (Kaul, Yates, Gruteser "
        "2012): the time since the newest message that has arrived was due. For each device and "
        "flow it is watched from when its first measured message was due until its last one was "
        "due. Before the first arrival it counts from the first message of the flow.",
    ),
    _age(
        name="age_of_information_max_s",
        called="greatest age of information",
        heading="Greatest age",
        fleet=FleetRule.LARGEST,
        meaning="The greatest age of information at any receiver.",
    ),
)

RECOVERIES = (
    count(
        name="recoveries_due",
        called="recoveries from events",
        missing="no events",
        meaning="How often a device had to recover from an event of the study: once for each "
        "event that ended after the warm-up, and each device that it affected and that had a "
        "message due since the event began. Empty without events, and with devices that are real "
        "software.",
    ),
    count(
        name="recoveries_completed",
        called="completed recoveries",
        direction=Direction.MORE,
        missing="no events",
        meaning="Of these, how many ended with a message that was delivered before the run ended.",
    ),
    share(
        name="recovery_ratio",
        called="share of recoveries that were completed",
        heading="Recovered",
        direction=Direction.MORE,
        missing="no events",
        trials=Trials(of="recoveries_due", successes="recoveries_completed"),
        fleet=FleetRule.RATIO,
        ratio=Ratio("`recoveries_completed`", "`recoveries_due`"),
        meaning="`recoveries_completed` divided by `recoveries_due`.",
    ),
    _recovery(
        name="recovery_p50_ms",
        called="median recovery time",
        heading="Recovery p50",
        fleet=FleetRule.QUANTILE,
        meaning="Median, to 0.4 %, of the time from the end of an event to the first delivery of a "
        "message of the device that was due since the event began; of the recoveries due, empty "
        "where fewer were completed.",
    ),
    _recovery(
        name="recovery_p95_ms",
        called="95th percentile of recovery time",
        heading="Recovery p95",
        fleet=FleetRule.QUANTILE,
        meaning="95th percentile of that time.",
    ),
    _recovery(
        name="recovery_max_ms",
        called="longest recovery time",
        heading="Longest recovery",
        fleet=FleetRule.LARGEST,
        meaning="The longest of these times, where all recoveries were completed.",
    ),
)
