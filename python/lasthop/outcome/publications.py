"""Finds duplicate deliveries of a message by a broker in the device's capture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lasthop._native import CaptureSearch


@dataclass(frozen=True, slots=True)
class Publication:
    """An MQTT PUBLISH packet in a capture.

    Attributes
    ----------
    sender
        Source address and port.
    identifier
        Its packet identifier, None with QoS 0.
    is_again
        Whether the DUP flag is set, for a possible retransmission.
    """

    sender: str
    identifier: int | None
    is_again: bool


def publications(search: CaptureSearch) -> list[Publication]:
    """Return each PUBLISH of the searched message, without TCP retransmissions."""
    return [Publication(*found) for found in search.publications()]


def repetition_in_words(found: Sequence[Publication]) -> str:
    """Describe by which packets a broker delivered a message twice."""
    if not found:
        return ""
    back = [one for one in found[1:] if one.sender != found[0].sender]
    for place, one in enumerate(back):
        if any(one.identifier == other.identifier for other in back[:place]):
            again = "with DUP" if one.is_again else "without DUP"
            return f"the broker sent it twice under packet identifier {one.identifier}, {again}"
    if len(back) > 1:
        names = " and ".join(str(one.identifier) for one in back[:2])
        return f"the broker sent it under packet identifiers {names}"
    return ""
