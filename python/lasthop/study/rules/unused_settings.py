"""Finds settings that have no effect, and reports them before the first run.

Each rule is exact: without the setting, or with more time in a timer, runs are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lasthop.study.fields.quantity import SIZE, TIME, format_quantity, parse
from lasthop.study.traffic.session import session_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lasthop.study.fleet.assembly import Assembly, Flow
    from lasthop.study.forms.timing import Timing
    from lasthop.study.stacks.arm import StudyArm
    from lasthop.study.stacks.notation import ResolvedStack

_WITHOUT_SESSION = ("coap", "raw_udp", "json_udp", "dds")
"""Applications that only have sessions if a lower layer has them."""

_SESSION_LAYERS = ("dtls", "tls", "tcp", "quic")
_TO_DEVICES = ("command", "round_trip", "pull", "download")
_READ = ("pull", "download")


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A stack with its flows and the longest possible run."""

    stack: ResolvedStack
    flows: Sequence[Flow]
    longest_ns: int

    def has(self, kinds: Sequence[str]) -> bool:
        """Return whether a flow has one of these kinds or is relayed between devices."""
        return any(flow.is_relayed or flow.traffic.kind in kinds for flow in self.flows)

    def after(self, option: str) -> str | None:
        """Return why a timer for silent peers does not expire within a run, or None."""
        limit_ns = int(parse(self.stack.options[option], TIME))
        if limit_ns < self.longest_ns:
            return None
        return f"a run takes {format_quantity(self.longest_ns, TIME)} at most"


def _keep_alive(it: _Spoken) -> str | None:
    return it.after("keep_alive")


def _idle_timeout(it: _Spoken) -> str | None:
    return it.after("idle_timeout")


def _session_lifetime(it: _Spoken) -> str | None:
    return it.after("dtls.session_lifetime")


def _push(it: _Spoken) -> str | None:
    return None if it.has(_TO_DEVICES) else "no message goes to devices"


def _fresh(it: _Spoken) -> str | None:
    return None if it.has(_TO_DEVICES) else "devices read nothing"


def _block_size(it: _Spoken) -> str | None:
    if it.has(_READ):
        return None
    largest = 0
    for flow in it.flows:
        payload = flow.traffic.payload
        if not isinstance(payload, int):
            return None
        largest = max(largest, payload * flow.traffic.batch)
    if largest > int(it.stack.options["block_size"]):
        return None
    return f"a message has {format_quantity(largest, SIZE)} at most"


def _nodelay(it: _Spoken) -> str | None:
    both = ("tcp.nodelay_client", "tcp.nodelay_server")
    written = [word.partition("=")[0] for word in it.stack.written.split()]
    return "both ends have their own" if all(one in written for one in both) else None


def _index_authorization(it: _Spoken) -> str | None:
    return None if it.stack.options["auth"] == "jwt" else "no token is shown without auth=jwt"


def _session_expiry(it: _Spoken) -> str | None:
    return it.after("session_expiry")


def _clean_start(it: _Spoken) -> str | None:
    """Return why no session is left to come back to: connections end after their messages."""
    are_short = all(
        flow.traffic.session == "per_message" or isinstance(flow.traffic.session, int)
        for flow in it.flows
    )
    if are_short and not it.has(("command", "pull", "download")):
        return "a connection for each message begins a new session anyway"
    return None


def _tcp_keep_alive(it: _Spoken) -> str | None:
    return it.after("tcp.keep_alive")


def _tcp_keep_alive_interval(it: _Spoken) -> str | None:
    idle = it.stack.options.get("tcp.keep_alive", "0s")
    return "nothing is probed without tcp.keep_alive" if parse(idle, TIME) == 0 else None


_RULES: Mapping[str, Callable[[_Spoken], str | None]] = {
    "keep_alive": _keep_alive,
    "idle_timeout": _idle_timeout,
    "session_expiry": _session_expiry,
    "clean_start": _clean_start,
    "dtls.session_lifetime": _session_lifetime,
    "push": _push,
    "hold": _push,
    "max_age": _fresh,
    "changes": _fresh,
    "block_size": _block_size,
    "tcp.keep_alive": _tcp_keep_alive,
    "tcp.keep_alive_interval": _tcp_keep_alive_interval,
    "tcp.nodelay": _nodelay,
    "index_authorization": _index_authorization,
}
"""Functions by option that return why the option has no effect, or None."""

_TIMERS = (
    "keep_alive",
    "idle_timeout",
    "session_expiry",
    "tcp.keep_alive",
    "dtls.session_lifetime",
)
"""Options that set a timer."""

_UNREAD = ("has no effect", "remove it")
_LATE = ("never comes due", "write less, or a longer duration")
"""Text of the note on a timer, and its remedy."""

RULES = tuple(_RULES)


def moot_sessions(assembly: Assembly, arms: Sequence[StudyArm]) -> Iterator[tuple[str, str]]:
    """Yield session policies of flows whose stacks have no sessions."""
    for flow in assembly.flows:
        policy = flow.traffic.session
        if policy in ("keep", "established") or flow.is_relayed:
            continue
        client = assembly.group_of(flow).client(flow.server)
        stacks = [arm.stacks[client] for arm in arms if arm.supported]
        if stacks and not any(map(_has_session, stacks)):
            names = ", ".join(dict.fromkeys(stack.name for stack in stacks))
            place = ".".join(map(str, flow.location))
            what = f'"{session_words(policy)}" has no effect, since {names} has no session'
            remedy = 'write "session: keep", or a stack with one: coap/dtls, mqtt'
            yield place, f"{place}.session: {what}; {remedy}"


def moot_options(
    assembly: Assembly, spans: Timing, arms: Sequence[StudyArm]
) -> Iterator[tuple[str, str]]:
    """Yield options without effect in this study, with the reason."""
    longest_ns = spans.set_up_ns + spans.duration_ns + spans.drain_ns
    if any(server.forwards for server in assembly.servers):
        return
    for arm in arms:
        spoken: dict[str, tuple[ResolvedStack, list[Flow]]] = {}
        for flow in assembly.flows if arm.supported else ():
            stack = arm.stacks[assembly.group_of(flow).client(flow.server)]
            spoken.setdefault(stack.resolved, (stack, []))[1].append(flow)
        for stack, flows in spoken.values():
            yield from _of_stack(_Spoken(stack, flows, longest_ns))


def _of_stack(it: _Spoken) -> Iterator[tuple[str, str]]:
    for word in it.stack.written.split()[1:]:
        name = word.partition("=")[0]
        rule = _RULES.get(name)
        why = rule(it) if rule is not None and name in it.stack.options else None
        if why is not None:
            what, remedy = _LATE if name in _TIMERS else _UNREAD
            note = f"stacks: {it.stack.name}: {word} {what}, since {why}; {remedy}"
            yield f"{it.stack.resolved} {word}", note


def _has_session(stack: ResolvedStack) -> bool:
    below = stack.layers[1:]
    return stack.layers[0] not in _WITHOUT_SESSION or any(
        layer in below for layer in _SESSION_LAYERS
    )
