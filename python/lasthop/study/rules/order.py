"""All rules of a study in the order of their checks. The first violation is reported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lasthop.study.fleet.gateway import check_reports
from lasthop.study.rules.caches import check_caches
from lasthop.study.rules.datagrams import check_carried
from lasthop.study.rules.established import check_established
from lasthop.study.rules.external_devices import check_devices
from lasthop.study.rules.fault_targets import check_fault_targets
from lasthop.study.rules.feasibility import check_feasible, check_services
from lasthop.study.rules.ip_versions import check_ip_versions
from lasthop.study.rules.mtu import check_mtu
from lasthop.study.rules.not_built import check_built
from lasthop.study.rules.pauses import check_pauses
from lasthop.study.rules.processing_time import check_processing_time
from lasthop.study.rules.relays import check_relays, check_topics
from lasthop.study.rules.software import check_software
from lasthop.study.rules.under_load import check_load
from lasthop.study.text.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from lasthop.study.fleet.assembly import Assembly
    from lasthop.study.forms.timing import Timing
    from lasthop.study.rules.credentials import Credentials
    from lasthop.study.rules.under_load import Targets
    from lasthop.study.stacks.arm import StudyArm


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A study at one point, as the input of rules.

    Parameters
    ----------
    spans
        Time spans of the study. A quick run has the same rules.
    allows_overload
        Whether an overloaded run is a valid result.
    targets
        Addresses of external servers.
    """

    assembly: Assembly
    arms: tuple[StudyArm, ...]
    spans: Timing
    engine: str
    allows_overload: bool
    targets: Targets | None
    credentials: Credentials | None


@dataclass(frozen=True, slots=True)
class Rule:
    """A check of a point, and why it has its position in the order.

    Parameters
    ----------
    check
        Function that raises a ``Fault`` if the rule is violated.
    """

    check: Callable[[Subject], None]
    reason: str


@dataclass(frozen=True, slots=True)
class StackRule:
    """A check of a stack at a point, and why it has its position in the order."""

    check: Callable[[Subject, StudyArm], None]
    reason: str


def _load(subject: Subject) -> None:
    if subject.targets is not None:
        check_load(subject.assembly, subject.arms, subject.targets)


def _processing_time(subject: Subject) -> None:
    if not subject.allows_overload:
        check_processing_time(subject.assembly)


def _credentials(subject: Subject, arm: StudyArm) -> None:
    if subject.credentials is None:
        return
    try:
        subject.credentials.check_devices(subject.assembly, arm)
    except Fault as fault:
        raise fault.within(("credentials",)) from None


RULES = (
    Rule(_load, "what no load can do is refused before anything else is asked of the study"),
    Rule(
        lambda it: check_feasible(it.assembly, it.spans),
        "times and amounts by themselves: every later rule counts with them",
    ),
    Rule(_processing_time, "it adds up the messages, whose times are right by now"),
    Rule(lambda it: check_relays(it.assembly), "who hears whom, before what servers do with it"),
    Rule(lambda it: check_reports(it.assembly), "gateways, whose flows are known to be relayed"),
    Rule(
        lambda it: check_established(it.assembly, it.engine),
        "sessions, once it is clear who opens them",
    ),
    Rule(
        lambda it: check_built(it.assembly, it.arms),
        "a study with a mistake in it is told of the mistake, and not that a part is missing",
    ),
    Rule(
        lambda it: check_fault_targets(it.assembly, it.arms),
        "faults are aimed at messages that the study is known to have",
    ),
)
"""Rules of a point. They are checked before its run spec reads files and radio networks."""

STACK_RULES = (
    StackRule(
        lambda it, arm: check_services(it.assembly, arm),
        "whether the stack is spoken at all, before how",
    ),
    StackRule(lambda it, arm: check_topics(it.assembly, arm), "who hears it in this stack"),
    StackRule(lambda it, arm: check_caches(it.assembly, arm), "what a cache of it can answer"),
    StackRule(
        lambda it, arm: check_software(it.assembly, arm),
        "whether the server's software speaks it",
    ),
    StackRule(
        lambda it, arm: check_devices(it.assembly, arm),
        "whether the devices' software speaks it, which the server's decides",
    ),
    StackRule(
        lambda it, arm: check_pauses(it.assembly, arm),
        "what a closed loop waits for, once it is clear whose clients send",
    ),
    StackRule(
        lambda it, arm: check_ip_versions(it.assembly, arm),
        "addresses, before the sizes of packets that hang on them",
    ),
    StackRule(
        lambda it, arm: check_carried(it.assembly, arm),
        "whether a message fits one datagram, before whether that fits the path",
    ),
    StackRule(lambda it, arm: check_mtu(it.assembly, arm), "whether its packets fit the path"),
    StackRule(_credentials, "files come last: all else can be mended in the study itself"),
)
"""Rules of each stack. They are checked after the run spec of the point is written."""


def check_point(subject: Subject) -> None:
    """Check every rule of a point.

    Raises
    ------
    Fault
        Of the first that is broken.
    """
    for rule in RULES:
        rule.check(subject)


def check_stacks(subject: Subject) -> None:
    """Check every rule of each stack.

    Raises
    ------
    Fault
        Of the first that is broken.
    """
    for arm in subject.arms:
        for rule in STACK_RULES:
            rule.check(subject, arm)
