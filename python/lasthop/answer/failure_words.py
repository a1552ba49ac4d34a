"""Reasons of failed messages and dropped packets, in words."""

from collections.abc import Mapping, Sequence

WHY_MESSAGES_FAIL: Mapping[str, str] = {
    "no_acknowledgement": "no acknowledgement came before the last wait ran out",
    "not_connected": "there was no connection for them",
    "connection_lost": "their connection ended and no other carried them",
    "too_large": "larger than the protocol allows",
    "rejected": "the peer refused them",
    "incomplete": "the peer lacked parts of them",
    "queue_full": "a queue was full",
    "gave_up": "the radio of their device was not reachable in time",
    "host_down": "their host was off, or was restarted and forgot them",
    "not_sent": "not sent before the run ended: no session, or the queue was full",
    "under_way": "still in flight when the run ended",
    "not_understood": "discarded by the receiver",
    "malformed": "they arrived with an invalid field",
    "bad_checksum": "their bytes were corrupted on the path",
    "wrong_address": "they arrived at the wrong address",
    "port_unreachable": "no program listened at their port",
    "unknown_protocol": "their peer does not support their protocol",
    "no_connection": "their peer did not know their connection",
    "out_of_window": "they lay outside the window of their connection",
    "old_timestamp": "their time stamp was older than the last one",
    "old_acknowledgement": "their acknowledgement was outdated",
    "unsent_acknowledged": "they acknowledged data that was never sent",
    "unexpected_flags": "their TCP flags were invalid",
    "backlog_full": "their peer had no room for another connection",
    "mailbox_full": "the mailbox of the receiving task was full",
    "no_memory": "their peer was out of memory",
    "no_session": "they were encrypted for a session that their peer did not have",
    "unknown_connection_id": "no session of their peer had their connection ID",
    "replayed": "their peer had received their records before",
    "bad_record": "their peer could not decrypt their records",
}
"""Why messages failed, by the reason in the tables, beside those for which packets are dropped."""

WHY_PACKETS_ARE_DROPPED: Mapping[str, str] = {
    "loss": "lost on the path",
    "outage": "the path was down",
    "queue_full": "the queue before the bottleneck was full",
    "too_big": "larger than the MTU of the path",
    "nat_no_mapping": "the NAT had no mapping for them",
    "nat_no_port": "the NAT had no port left",
    "nat_not_translatable": "the NAT cannot translate their protocol",
    "not_attached": "no device was attached at their destination",
    "detached": "their device had left",
    "access_failed": "their device got no access to the radio network",
    "radio_link_failure": "the radio link of their device failed",
    "gave_up": "the radio of their device was not reachable in time",
    "fault": "dropped by a fault of the study",
    "blocked": "a firewall on the path blocks their protocol",
    "retry_limit": "the WLAN reached its retry limit",
}
"""Why packets were dropped, by the reason in the tables."""

REMEDIES: Mapping[str, str] = {
    "gave_up": (
        "write psm: off under nbiot, or let the device send more often, so that it can be reached"
    ),
}
"""Settings that avoid drops of packets to devices, by reason."""


def in_words(counted: Sequence[tuple[str, int]], words: Mapping[str, str]) -> str:
    """Describe the reasons, with counts if there are several.

    Examples
    --------
    >>> in_words([("outage", 12), ("too_big", 3)], WHY_PACKETS_ARE_DROPPED)
    'the path was down (12), larger than the MTU of the path (3)'
    >>> in_words([("outage", 12)], WHY_PACKETS_ARE_DROPPED)
    'the path was down'
    """
    if len(counted) == 1:
        return words.get(counted[0][0], counted[0][0])
    return ", ".join(f"{words.get(reason, reason)} ({count})" for reason, count in counted)
