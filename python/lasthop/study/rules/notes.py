"""Notes on settings that are probably mistakes, printed before the first run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.study.fields.quantity import TIME, format_quantity
from lasthop.study.nbiot.form import Nbiot
from lasthop.study.rules.feasibility import late_outages
from lasthop.study.rules.unused_settings import moot_options, moot_sessions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lasthop.study.fleet.assembly import Assembly, Flow
    from lasthop.study.forms.timing import Timing
    from lasthop.study.stacks.arm import StudyArm
    from lasthop.study.stacks.notation import ResolvedStack


class Notes:
    """Collects notes over all points of a study.

    Each says where, what, and what to write instead.
    """

    def __init__(self) -> None:
        self._paths: dict[str, bool] = {}
        self._servers: dict[str, bool] = {}
        self._found: dict[str, None] = {}
        self._moot: dict[str, str] | None = None

    def see(self, assembly: Assembly, spans: Timing, arms: Sequence[StudyArm]) -> None:
        """Check a point and its stacks."""
        forwards = [server.forwards for server in assembly.servers if server.forwards]
        paths = {
            *(group.path for group in assembly.groups),
            *(forward.path for forward in forwards),
            *(event.form.to for event in assembly.events),
        }
        servers = {
            *(server for group in assembly.groups for server in group.servers),
            *(forward.to for forward in forwards),
            *(flow.server for flow in assembly.flows),
        }
        for name in assembly.paths:
            self._paths[name] = self._paths.get(name, False) or name in paths
        for server in assembly.servers:
            used = self._servers.get(server.name, False) or server.name in servers
            self._servers[server.name] = used
        found = (
            *_spreads(assembly, spans),
            *_ends(assembly, spans),
            *_outages(assembly, spans),
            *_assistance(assembly, arms),
            *_notices(assembly, arms),
            *_batteries(assembly),
            *_deadlines(assembly, spans),
        )
        self._found |= dict.fromkeys(found)
        moot = dict((*moot_sessions(assembly, arms), *moot_options(assembly, spans, arms)))
        # What has an effect at one point of a sweep is meant.
        before = moot if self._moot is None else self._moot
        self._moot = {key: note for key, note in before.items() if key in moot}

    def of(self, arms: Sequence[StudyArm]) -> tuple[str, ...]:
        """Return all notes, including those on stacks."""
        moot = (self._moot or {}).values()
        return (*self._unused(), *self._found, *moot, *_credentials(arms))

    def _unused(self) -> Iterator[str]:
        for name, used in self._paths.items():
            if not used:
                yield (
                    f"paths.{name}: no group uses this path; remove it, or add "
                    f'"path: {name}" to a group'
                )
        for name, used in self._servers.items():
            if not used:
                yield (
                    f"servers.{name}: no group uses this server; remove it, or "
                    f'add "server: {name}" to a group'
                )


def _spreads(assembly: Assembly, spans: Timing) -> Iterator[str]:
    """Yield notes on flows whose devices start later than others send again."""
    for flow in assembly.flows:
        traffic = flow.traffic
        if traffic.every is None or traffic.spread is None:
            continue
        period_ns = traffic.every * traffic.batch
        if traffic.spread <= period_ns or spans.warm_up_ns >= traffic.start + traffic.spread:
            continue
        spread, period = (format_quantity(it, TIME) for it in (traffic.spread, period_ns))
        yield (
            f"{_place(flow)}.spread: devices start within {spread}, which is longer "
            f"than their interval of {period}, so fewer devices send at first; "
            f'write "spread: {period}", or a longer warm_up'
        )


def _deadlines(assembly: Assembly, spans: Timing) -> Iterator[str]:
    """Yield notes on deadlines that are longer than the last messages are waited for."""
    for flow in assembly.flows:
        within = flow.traffic.within
        if within is None or within <= spans.drain_ns:
            continue
        longest, drain = (format_quantity(it, TIME) for it in (within, spans.drain_ns))
        yield (
            f"{_place(flow)}.within: messages have {longest}, but the run ends {drain} after the "
            "last one is due, so a message that is still on its way then counts as late; "
            f'write "measure: {{drain: {longest}}}"'
        )


def _outages(assembly: Assembly, spans: Timing) -> Iterator[str]:
    """Yield notes on profile outages that lie after the end of the run."""
    for hop in assembly.hops():
        for _, start_ns, end_ns in late_outages(hop, assembly, spans):
            start, end = (format_quantity(it, TIME) for it in (start_ns, end_ns))
            where = ".".join(map(str, hop.location))
            yield (
                f"{where}.profile: its outage begins at {start}, but the run ends "
                f"at {end}; write a longer duration, or your own outages"
            )


def _ends(assembly: Assembly, spans: Timing) -> Iterator[str]:
    """Yield notes on devices that are off until the end of the run."""
    end_ns = spans.duration_ns + spans.drain_ns
    for place, event in enumerate(assembly.events):
        form = event.form
        if form.kind == "power_cut" and form.lasts and form.first + form.lasts >= end_ns:
            yield (
                f"events.{place}.power_cut: {form.target} are off until the end of "
                'the run; to let them come back, write a shorter "for" or a longer '
                "duration"
            )


def _assistance(assembly: Assembly, arms: Sequence[StudyArm]) -> Iterator[str]:
    """Yield notes on stacks that send no release assistance although it is on."""
    for group in assembly.groups:
        hop = assembly.paths[group.path][0]
        if not isinstance(hop.settings, Nbiot) or hop.settings.release_assistance in {None, "off"}:
            continue
        at = ".".join((*map(str, hop.location), "release_assistance"))
        clients = [arm.stacks[group.client(server)] for arm in arms for server in group.servers]
        silent = sorted({it.name for it in clients if not _signals(it)})
        if silent:
            yield (
                f"{at}: it has no effect with {', '.join(silent)}, because DDS and "
                "QUIC do not tell whether a packet will be answered; use a stack "
                'over TCP, UDP or DTLS, or write "release_assistance: off"'
            )


def _notices(assembly: Assembly, arms: Sequence[StudyArm]) -> Iterator[str]:
    """Yield notes on events whose notification no application reacts to."""
    supported = [arm for arm in arms if arm.supported]
    for place, event in enumerate(assembly.events):
        group = assembly.group(event.form.target)
        if event.form.notify != "application" or group is None or not supported:
            continue
        flows = [*assembly.flows_of(group), *assembly.heard_by(group)]
        hears = any(flow.traffic.kind in ("command", "pull") for flow in flows)
        hears = hears or bool(assembly.heard_by(group))
        clients = [arm.stacks[group.client(at)] for arm in supported for at in group.servers]
        if not any(_acts_on_notice(it, hears=hears) for it in clients):
            names = ", ".join(sorted({it.name for it in clients}))
            yield (
                f"events.{place}.notify: it has no effect with {names}, which keeps "
                'no connection to an address; write "notify: none", or add another '
                "stack"
            )


def _batteries(assembly: Assembly) -> Iterator[str]:
    """Name limits of a battery that the module would exceed."""
    for group in assembly.groups:
        at = ".".join((*map(str, group.location), "energy.battery"))
        for warning in () if group.energy is None else group.energy.warnings():
            yield f"{at}: {warning}"


def _acts_on_notice(stack: ResolvedStack, *, hears: bool) -> bool:
    """Return whether a client reacts to a notification of its new address.

    A connection is closed or moved, a session of DTLS is made again unless it has a connection ID,
    and who hears of its server says where it is now.
    """
    if "dtls" in stack.layers:
        return stack.options.get("dtls.cid", "0B") == "0B"
    return hears or stack.layers[0] == "dds" or not {"tcp", "quic"}.isdisjoint(stack.layers)


def _signals(stack: ResolvedStack) -> bool:
    """Return whether a client can indicate that no packets follow (release assistance)."""
    return stack.layers[0] != "dds" and "quic" not in stack.layers


def _credentials(arms: Sequence[StudyArm]) -> Iterator[str]:
    shown = (", ".join(arm.credentials) for arm in arms if arm.supported and arm.credentials)
    kinds = dict.fromkeys(shown)
    if len(kinds) > 1:
        yield (
            f"stacks: they authenticate differently ({'; '.join(kinds)}), which costs bytes of its "
            "own; write the same credentials for all to compare protocols alone"
        )


def _place(flow: Flow) -> str:
    return ".".join(map(str, flow.location))
