"""What the servers on sockets bound, what clients are told, and which test holds it."""

from __future__ import annotations

from docs.generator.markdown import code, table
from lasthop.live.limits import all_limits

_LIMITS = "tests/python/serve/test_limits.py"
_CHECKS = "tests/python/serve/test_password_checks.py"
_GATEWAY = "tests/python/serve/test_gateway.py"
_HTTP = "crates/lasthop_http/tests/behaviour/not_reading.rs"
_HTTP_2 = "crates/lasthop_http/tests/behaviour/two.rs"
_MQTT = "crates/lasthop_mqtt/tests/behaviour"
_JSON = "crates/lasthop_traffic/src/json_udp/broker.rs"
_TLS = "tests/python/serve/test_tls_peers.py"
_CUT_OFF = "test_a_device_that_says_too_much_is_cut_off_and_others_are_not"
_LAPSES = "test_subscriptions_of_a_json_client_that_says_nothing_lapse"
_HTTP_SERVER = "`http` of `gateway`"

TESTS = {
    "connections": f"{_LIMITS}::test_one_connection_too_many_is_closed",
    "connections_per_address": f"{_LIMITS}::test_one_connection_too_many_is_closed",
    "handshakes_per_address": f"{_TLS}::test_one_handshake_too_many_of_an_address_is_closed",
    "connect_time": f"{_LIMITS}::test_who_says_nothing_is_closed",
    "message_time": f"{_LIMITS}::test_who_keeps_a_coap_server_waiting_is_closed",
    "packet_size": f"{_LIMITS}::test_a_packet_that_is_too_large_ends_its_connection",
    "in_flight": f"{_LIMITS}::test_no_more_is_in_flight_than_may_be",
    "queued_messages": f"{_LIMITS}::test_what_waits_for_a_session_is_bounded",
    "queued_bytes": f"{_LIMITS}::test_what_waits_for_a_session_is_bounded",
    "kept_bytes": f"{_LIMITS}::test_what_is_kept_of_one_client_is_bounded",
    "kept_bytes_per_user": f"{_LIMITS}::test_what_is_kept_of_one_client_is_bounded",
    "pending_bytes": (
        f"{_MQTT}/kept_bytes.rs"
        "::unfinished_packets_of_too_many_bytes_end_the_connection_that_waited_longest"
    ),
    "subscriptions": f"{_LIMITS}::test_one_subscription_too_many_is_refused",
    "subscription_bytes": f"{_LIMITS}::test_filters_that_are_too_long_together_are_refused",
    "sessions": f"{_LIMITS}::test_parked_sessions_of_a_squatter_make_room_for_others",
    "retained_messages": f"{_LIMITS}::test_retained_messages_are_bounded",
    "retained_bytes": f"{_LIMITS}::test_bytes_of_retained_messages_are_bounded",
    "device_messages": f"{_GATEWAY}::{_CUT_OFF}",
    "device_bytes": f"{_GATEWAY}::{_CUT_OFF}",
    "device_silence": f"{_GATEWAY}::test_a_device_may_be_silent_for_twenty_minutes",
    "topic_aliases": f"{_LIMITS}::test_a_topic_alias_beyond_the_limit_ends_the_connection",
    "peers": f"{_LIMITS}::test_a_stranger_finds_no_place_among_as_many_peers_as_there_may_be",
    "body_size": f"{_LIMITS}::test_a_body_that_is_too_large_is_refused",
    "waiting": f"{_LIMITS}::test_notifications_that_wait_for_a_client_are_bounded",
    "observations": f"{_LIMITS}::test_one_client_observes_no_more_than_it_may",
    "topics": f"{_LIMITS}::test_subscriptions_of_the_json_broker_are_bounded",
    "topic_bytes": f"{_LIMITS}::test_bytes_of_the_topics_of_the_json_broker_are_bounded",
    "subscription_time": (f"{_LIMITS}::{_LAPSES}"),
}
"""The test that holds each limit."""

FIXED = [
    (
        "unsent bytes of MQTT",
        "`mqtt`",
        "256 KiB",
        "answers that a client does not read; nothing more is read from it until it does",
        f"{_MQTT}/backpressure.rs::who_does_not_read_answers_is_not_read_from",
    ),
    (
        "unsent bytes of HTTP",
        _HTTP_SERVER,
        "256 KiB",
        (
            "the same for answers of HTTP/1.1 and HTTP/2; a client that reads nothing is closed "
            "after 75 seconds"
        ),
        f"{_HTTP}::requests_of_a_client_that_does_not_read_are_left_unread",
    ),
    (
        "unread acknowledgements of HTTP/2",
        _HTTP_SERVER,
        "1,000 frames",
        (
            "acknowledgements of PING and SETTINGS that a client does not read; the connection "
            "ends with GOAWAY (ENHANCE_YOUR_CALM)"
        ),
        f"{_HTTP}::a_client_that_sends_pings_and_reads_nothing_is_told_to_calm_down",
    ),
    (
        "a body of HTTP",
        _HTTP_SERVER,
        "1 MiB",
        "the body of a request; a larger one is refused (413)",
        f"{_HTTP_2}::a_body_that_is_too_large_is_refused_and_the_connection_goes_on",
    ),
    (
        "bodies of HTTP at the same time",
        _HTTP_SERVER,
        "4 MiB",
        (
            "bodies that have come in part on one connection of HTTP/2 or HTTP/3; the request that "
            "has no room is refused (503)"
        ),
        f"{_HTTP_2}::bodies_that_come_at_the_same_time_have_the_room_of_four",
    ),
    (
        "work in one turn",
        "`mqtt`",
        "10,000 units",
        (
            "retained topics that are looked at, subscriptions that publications match, and each "
            "16 bytes that are read: one unit each; the rest is done in later turns, between "
            "those of other clients, and nothing more is read from the client before"
        ),
        f"{_MQTT}/turns.rs::a_burst_of_subscriptions_is_served_in_turns_and_others_between_them",
    ),
    (
        "retained messages for one subscription",
        "`json_udp`",
        "1,000 messages of 10,000 topics",
        "what a new subscription gets at once; the rest is not sent",
        f"{_JSON}::a_bounded_broker_gives_one_subscription_so_many_retained_messages",
    ),
    (
        "checks of passwords",
        "`mqtt`, `coap`, `coap_tcp`",
        "16 of an address",
        (
            "passwords of one IP address (IPv6: /64) that wait to be checked; the next client is "
            "told to come again (MQTT 5: 0x88, 3.1.1: 3, CoAP: 5.03). Addresses take turns, and "
            "of one name from one address one password is checked at a time"
        ),
        f"{_CHECKS}::test_what_an_address_has_checked_is_bounded_and_another_address_has_its_turn",
    ),
]
"""Bounds that no option replaces: name, server, value, meaning, test."""


def limits() -> str:
    """Write a row for each limit."""
    rows = [
        [
            code(limit.name),
            ", ".join(code(server) for server in limit.servers),
            f"{limit.default:,} {limit.unit}",
            limit.meaning,
            _named(TESTS[limit.name]),
        ]
        for limit in all_limits()
    ]
    fixed = [[name, of, value, meaning, _named(test)] for name, of, value, meaning, test in FIXED]
    headings = ["limit", "server", "default", "what it bounds, and what a client is told", "test"]
    return table(headings, rows + fixed)


def _named(test: str) -> str:
    """Give the name of a test alone: its file is in the repository."""
    return code(test.rpartition("::")[2])
