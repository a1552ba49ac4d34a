"""Names of messages in a run, and the events of one message when the run is simulated again."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait)

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lasthop.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lasthop.study.run_spec import RunSpecReader

Event = dict[str, Any]
"""An event of a message: time, place, text and cause."""

_FIRST_ATTEMPT = "attempt 1"


@dataclass(frozen=True, slots=True)
class MessageName:
    """Name of a message: its device (from 0 in the group) and its number (from 1).

    Without a flow it is of the device's first; without a group that of the flow, or the only one.
    """

    device: int
    message: int
    flow: str | None = None
    group: str | None = None

    @classmethod
    def parse(cls, text: str) -> MessageName:
        """Parse `N`, `DEVICE:N` or `DEVICE:FLOW:N`, with an optional `GROUP/` prefix.

        Examples
        --------
        >>> MessageName.parse("3:17")
        MessageName(device=3, message=17, flow=None, group=None)
        >>> MessageName.parse("alarms/3:ring:1")
        MessageName(device=3, message=1, flow='ring', group='alarms')
        """
        group, slash, name = text.rpartition("/")
        device, *flows, message = name.split(":") if ":" in name else ("0", name)
        is_one = flows == [flow for flow in flows[:1] if flow] and bool(group) == bool(slash)
        if not (is_one and _is_count(device) and _is_count(message)) or int(message) < 1:
            todo = (
                "write 17, 3:17 for device 3, 3:valve:17 for its flow valve, or meters/3:17 for "
                "device 3 of the group meters"
            )
            raise UsageError(f'MESSAGE: "{text}" is not a message; {todo}')
        return cls(int(device), int(message), flows[0] if flows else None, group or None)

    def number_in_run(self, run: RunSpecReader) -> int:
        """Return the device's number in the whole run.

        Raises
        ------
        UsageError
            The run has no such group, flow or device, or has several that may be meant.
        """
        flows = run.flows_of_groups
        fitting = [
            group
            for group, names in flows.items()
            if self.group in (None, group) and (self.flow is None or self.flow in names)
        ]
        if len(fitting) != 1:
            known = ", ".join(f"{', '.join(names)} of {group}" for group, names in flows.items())
            if fitting:
                example = f"{fitting[0]}/{self.device}:{self.message}"
                what = f"device {self.device} exists in {' and '.join(fitting)}"
                raise UsageError(f'MESSAGE: {what}; write for example "{example}"')
            raise UsageError(f"MESSAGE: the run has no {self}; its flows are {known}")
        numbers = run.numbers_of(fitting[0])
        if self.device >= len(numbers):
            there = f"{fitting[0]} has {len(numbers)}, the first of which is 0"
            raise UsageError(f"MESSAGE: there is no device {self.device}: {there}")
        return numbers[self.device]

    def __str__(self) -> str:
        """Return the name for people to read."""
        of_group = f" of {self.group}" if self.group else ""
        flow = f"{self.flow} " if self.flow else ""
        return f"device {self.device}{of_group}, {flow}message {self.message}"


def explain_message(run_spec: str, name: MessageName) -> dict[str, Any]:
    """Simulate a run again and return the events, and the radio states, of one message.

    Raises
    ------
    UsageError
        The run has no such message.
    """
    from lasthop.extensions import Natives
    from lasthop.study.run_spec import RunSpecReader

    device = name.number_in_run(RunSpecReader.of(run_spec))
    native = Natives().of(run_spec)
    try:
        told = native.explain(run_spec, device, name.message, name.flow)
    except ValueError as error:
        raise UsageError(str(error)) from error
    explained: dict[str, Any] = json.loads(str(told))
    if not explained["events"]:
        raise UsageError(f"the run has no {name}; choose a lower number or another device")
    if _is_download(run_spec, name):
        explained["events"] = number_parts(explained["events"])
    return explained


def number_parts(events: Sequence[Event]) -> list[Event]:
    """Assign numbers to the parts of a download where a request has several responses.

    Examples
    --------
    >>> asked = {"where": "device", "what": "attempt 1 leaves the application"}
    >>> part = {**asked, "where": "server"}
    >>> [event["what"] for event in number_parts([asked, part, part])]  # doctest: +ELLIPSIS
    ['attempt 1 leaves the application', 'attempt 1 of part 1 of 2 leaves ...', ...]
    """
    answers: list[list[int]] = [[]]
    for place, event in enumerate(events):
        if not event["what"].startswith(_FIRST_ATTEMPT):
            continue
        if event["where"] == "server":
            answers[-1].append(place)
        else:
            answers.append([])
    numbered = list(events)
    for parts in answers:
        for number, place in enumerate(parts if len(parts) > 1 else (), start=1):
            part = f"{_FIRST_ATTEMPT} of part {number} of {len(parts)} "
            what = events[place]["what"].replace(f"{_FIRST_ATTEMPT} ", part, 1)
            numbered[place] = {**events[place], "what": what}
    return numbered


def _is_download(run_spec: str, name: MessageName) -> bool:
    from lasthop.study.run_spec import RunSpecReader

    for flow in RunSpecReader.of(run_spec).spec["flows"]:
        if name.flow in (None, flow["name"]) and name.group in (None, flow["from"], flow["to"]):
            return bool(flow["kind"] == "download")
    return False


def _is_count(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,9}", text) is not None
