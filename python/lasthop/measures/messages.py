"""Measures of delivery and latency."""

from functools import partial

from lasthop.measures.entries import count, share, text
from lasthop.measures.measure import Direction, FleetRule, Kind, Measure, Ratio, Trials

_latency = partial(
    Measure,
    kind=Kind.POSITIVE,
    unit="ms",
    direction=Direction.LESS,
    missing="not reached",
    is_waiting=True,
)

MESSAGES = (
    count(name="messages_offered", meaning="Measured messages that were due."),
    count(
        name="messages_delivered",
        direction=Direction.MORE,
        meaning="Of these, how many arrived at least once.",
    ),
    count(
        name="messages_duplicated",
        direction=Direction.LESS,
        meaning="Further deliveries of messages that had arrived before.",
    ),
    count(
        name="messages_failed",
        direction=Direction.LESS,
        meaning="Of those offered, how many can no longer arrive.",
    ),
    count(
        name="messages_unfinished",
        direction=Direction.LESS,
        meaning="Of those offered, how many were still in flight when the run ended.",
    ),
    count(
        name="messages_unsent",
        direction=Direction.LESS,
        meaning="Of those unfinished, how many had not left their sender.",
    ),
    text(
        name="failure_reasons",
        kind=Kind.RECORD,
        meaning="Why messages failed, and how many for each reason.",
    ),
    share(
        name="delivery_ratio",
        called="share of messages delivered",
        heading="Delivered",
        direction=Direction.MORE,
        missing="nothing offered",
        trials=Trials(
            of="messages_offered",
            successes="messages_delivered",
            effective="effective_messages",
        ),
        is_watched=True,
        fleet=FleetRule.RATIO,
        ratio=Ratio("`messages_delivered`", "`messages_offered`"),
        meaning="`messages_delivered` divided by `messages_offered`.",
    ),
)

LATENCIES = (
    _latency(
        name="latency_mean_ms",
        fleet=FleetRule.MEAN,
        ratio=Ratio("sum of the latencies of delivered messages", "`messages_delivered`"),
        called="mean latency of delivered messages",
        missing="nothing delivered",
        meaning="Mean latency of the delivered messages.",
    ),
    _latency(
        name="latency_p50_ms",
        fleet=FleetRule.QUANTILE,
        called="median latency",
        is_watched=True,
        meaning="Median latency of the offered messages; empty where fewer arrived.",
    ),
    _latency(
        name="latency_p95_ms",
        fleet=FleetRule.QUANTILE,
        called="95th percentile of latency",
        heading="95th percentile",
        is_watched=True,
        meaning="95th percentile over the offered messages; empty where fewer arrived.",
    ),
    _latency(
        name="latency_p99_ms",
        fleet=FleetRule.QUANTILE,
        called="99th percentile of latency",
        heading="99th percentile",
        is_watched=True,
        meaning="99th percentile over the offered messages; empty where fewer arrived.",
    ),
    _latency(
        name="latency_p99_9_ms",
        fleet=FleetRule.QUANTILE,
        called="99.9th percentile of latency",
        heading="99.9th percentile",
        is_watched=True,
        meaning="99.9th percentile over the offered messages, the longest of fewer than 1000; "
        "empty where fewer arrived.",
    ),
    _latency(
        name="latency_max_ms",
        fleet=FleetRule.LARGEST,
        called="longest latency of delivered messages",
        missing="nothing delivered",
        is_watched=True,
        meaning="Longest latency of a delivered message.",
    ),
    _latency(
        name="response_mean_ms",
        fleet=FleetRule.MEAN,
        ratio=Ratio(
            "sum of the response times", "messages whose sender knew that they had arrived"
        ),
        called="mean response time",
        missing="nothing acknowledged",
        meaning="Mean time from when a message was due until its sender knew that it had "
        "arrived, by PUBACK, ACK, an answer of HTTP; empty where nothing is acknowledged.",
    ),
    _latency(
        name="response_max_ms",
        fleet=FleetRule.LARGEST,
        called="longest response time",
        missing="nothing acknowledged",
        meaning="The longest of these times.",
    ),
)
