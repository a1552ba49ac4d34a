"""Reasons of failed messages and dropped packets, in words."""

from collections.abc import Mapping, Sequence

WHY_MESSAGES_FAIL: Mapping[str, str] = {
    "no_acknowledgement": "no acknowledgement came before the last wait ran out",
    "not_connected": "there was no connection to send them on",
    "connection_lost": "their connection ended and no other carried them",
    "too_large": "larger than the protocol carries",
    "rejected": "the peer refused them",
    "incomplete": "the peer lacked parts of them",
    "queue_full": "a queue was full",
    "gave_up": "they waited for the radio of their device in vain",
    "host_down": "their host was off, or was restarted and forgot them",
    "not_sent": "not sent before the run ended, for want of a session or of room",
    "under_way": "still under way when the run ended",
    "not_understood": "they arrived and were not understood",
    "malformed": "they arrived with a field that cannot be",
    "bad_checksum": "their bytes changed on the way",
    "wrong_address": "they arrived at another address than that of their peer",
    "port_unreachable": "nobody listened at their port",
    "unknown_protocol": "their peer does not speak their protocol",
    "no_connection": "they belonged to no connection that their peer knew",
    "out_of_window": "they lay outside the window of their connection",
    "old_timestamp": "their time stamp was older than the last one",
    "old_acknowledgement": "they acknowledged what was acknowledged long ago",
    "unsent_acknowledged": "they acknowledged what was never sent",
    "unexpected_flags": "their control bits made no sense",
    "backlog_full": "their peer had no room for another connection",
    "mailbox_full": "the task that they were for had not read what came before",
    "no_memory": "their peer had no memory for them",
    "no_session": "they were sealed for a session that their peer did not have",
    "unknown_connection_id": "no session of their peer had their connection ID",
    "replayed": "their peer had received their records before",
    "bad_record": "their peer could not open their records",
}
"""Why messages failed, by the reason in the tables, beside those for which packets are dropped."""

WHY_PACKETS_ARE_DROPPED: Mapping[str, str] = {
    "loss": "lost on the path",
    "outage": "the path was down",
    "queue_full": "the queue before the bottleneck was full",
    "too_big": "larger than the MTU of the path",
    "nat_no_mapping": "the NAT had forgotten or never knew whom they were for",
    "nat_no_port": "the NAT had no port left",
    "nat_not_translatable": "the NAT could not read them",
    "not_attached": "nobody was attached where they were to leave",
    "detached": "their device was taken away",
    "access_failed": "their device got no access to the radio network",
    "radio_link_failure": "the radio link of their device failed",
    "gave_up": "they waited for the radio of their device in vain",
    "fault": "a fault was aimed at a message in them",
    "blocked": "a firewall on the path lets nobody speak their protocol",
    "retry_limit": "the WLAN had sent them as often as it sends a frame, in vain",
}
"""Why packets were dropped, by the reason in the tables."""

REMEDIES: Mapping[str, str] = {
    "gave_up": (
        "a device that sleeps is reached with psm: off under nbiot, or if it sends often itself"
    ),
}
"""Settings that avoid drops of packets to devices, by reason."""


def in_words(counted: Sequence[tuple[str, int]], words: Mapping[str, str]) -> str:
    """Describe the reasons, with their counts if there are several.

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
