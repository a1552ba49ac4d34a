"""Composes the study of a fleet from its network, NAT, battery, tariff and commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lasthop.errors import UsageError
from lasthop.study.fields.quantity import ENERGY, SIZE, TIME, Kind, format_quantity, parse
from lasthop.study.fleet.tariff import TariffForm
from lasthop.study.fleet.tariff_presets import filled_in, tariff_presets
from lasthop.study.paths.link_profiles import link_profiles
from lasthop.study.stacks.arms import read_arms
from lasthop.study.text.faults import Fault, nearest, show

if TYPE_CHECKING:
    from collections.abc import Sequence

NB_IOT = "nb_iot"
NONE = "none"
SCHEMA = "study.schema.json"
"""The file beside a study by which editors complete its keys."""

_LEAST_PERIODS = 24
_LEAST_FOR_STRATA = 3
_OF_BOTH = ("99 % where flow == 'report'", "95 % where flow == 'command'")
_STRATA = "{144 dB: 80 %, 154 dB: 15 %, 164 dB: 5 %}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetAnswers:
    """The answers about a fleet, as a user writes them.

    Parameters
    ----------
    network
        ``nb_iot``, which is simulated as a radio network, or the name of a link profile.
    devices
        How many there are. At most 30 of them are simulated, 10 of each coverage at least.
    payload, every
        Size of a report and the time between two of a device.
    nat
        After how long a silent UDP mapping is forgotten, ``none`` without a NAT, or nothing for
        that of the network.
    battery
        Energy of a new battery, ``none`` for devices on mains.
    tariff
        The name of a preset, ``none`` if the bill is not asked for.
    command
        Mean time between two commands to a device, ``none`` without commands.
    stacks
        In their notation, each with a name: ``ours: mqtt qos=1``.
    """

    name: str
    network: str = NB_IOT
    devices: str = "1000"
    payload: str = "60 B"
    every: str = "1 h"
    nat: str | None = None
    battery: str = NONE
    tariff: str = NONE
    command: str = NONE
    stacks: Sequence[str] = ()


def networks() -> list[str]:
    """Name the networks that a fleet can be on."""
    return [NB_IOT, *link_profiles()]


def compose_fleet(answers: FleetAnswers) -> str:
    """Write the study of a fleet, with a comment on each choice.

    Raises
    ------
    UsageError
        If an answer is not what a study may contain; it names the option.
    """
    known = networks()
    if answers.network not in known:
        meant = nearest(answers.network, known)
        hint = f'did you mean "{meant}"?' if meant else f"write one of {', '.join(known)}"
        raise UsageError(f"--network: there is no network {show(answers.network)}; {hint}")
    count = _count(answers.devices)
    every = _amount("--every", answers.every, TIME, "1 h")
    _amount("--payload", answers.payload, SIZE, "60 B", least=8)
    on_radio = answers.network == NB_IOT
    battery = _battery(answers, on_radio=on_radio)
    tariff = _tariff(answers.tariff)
    command = None if answers.command == NONE else answers.command
    if command is not None:
        _amount("--command", command, TIME, "6 h")
    stacks = _stacks(answers.stacks, on_radio=on_radio)
    duration = format_quantity(max(int(parse("1 d", TIME)), every * _LEAST_PERIODS), TIME)
    simulate = f"count: {count}" + (f", simulate: 30, {_minimum(on_radio)}" if count > 30 else "")  # noqa: PLR2004
    group = [simulate, "path: network", "server: head_end"]
    group += [f"battery: {battery}"] if battery else []
    group += [f"tariff: {tariff}"] if tariff else []
    lines = [
        f"# yaml-language-server: $schema={SCHEMA}",
        f"# Run it: lasthop run {answers.name}.yaml",
        f"study: {answers.name}",
        f"title: Which stack for {count:,} devices?",
        "",
        f"duration: {duration}",
        "measure: {set_up: 1 h, drain: 10 min}  # the set-up is reported apart",
        "",
        'stacks:  # "lasthop stacks" lists what there is',
        *(f"  {name}: {text}" for name, text in stacks.items()),
        "",
        "paths:",
        "  network:",
        *_path(answers, count=count, sleeps=command is None),
        "servers: {head_end: {}}",
        "fleet:  # a few devices are simulated and stand for all",
        f"  devices: {{{', '.join(group)}}}",
        "traffic:",
        "  # not all at once: operators forbid that",
        f"  report: {{from: devices, report: {answers.payload}, every: {answers.every}, "  # noqa: ISC004
        f"spread: {answers.every}}}",
    ]
    if command is not None:
        lines.append(
            f"  command: {{from: head_end, to: devices, command: 40 B, every: {command}, "
            "arrivals: poisson}"
        )
    lines += [
        f"compare: {{fleet.devices.stack: [{', '.join(stacks)}]}}",
        "repeat: 3  # each with its own seed",
        "",
        "decide:  # excludes stacks, then ranks the others",
        *_decision(
            on_radio=on_radio,
            battery=bool(battery),
            tariff=bool(tariff),
            command=command is not None,
        ),
    ]
    return "\n".join(lines) + "\n"


def _path(answers: FleetAnswers, *, count: int, sleeps: bool) -> list[str]:
    nat = None if answers.nat in (None, NONE) else answers.nat
    if nat is not None:
        _amount("--nat", nat, TIME, "2 min", least=1)
    if answers.network != NB_IOT:
        changed = "" if answers.nat is None else f", nat: {'off' if nat is None else _mapping(nat)}"
        return [f"    {{profile: {answers.network}{changed}}}"]
    asleep = "{t3324: 10 s, t3412: 5 d}" if sleeps else "off"
    loss = _STRATA if count >= _LEAST_FOR_STRATA else "144 dB"
    why = "" if sleeps else "  # devices that sleep miss commands"
    mapping = "{udp: 2 min, tcp: 1 h}" if answers.nat is None else _mapping(nat or "2 min")
    return [
        f"    - nbiot: {{coupling_loss: {loss}, inactivity: 20 s, psm: {asleep}}}{why}",
        *([] if answers.nat == NONE else [f"    - nat: {mapping}  # forgets silent mappings"]),
    ]


def _mapping(udp: str) -> str:
    return f"{{udp: {udp}, tcp: 1 h}}"


def _minimum(on_radio: bool) -> str:  # noqa: FBT001
    return "minimum: 10" if on_radio else "minimum: 30"


def _decision(*, on_radio: bool, battery: bool, tariff: bool, command: bool) -> list[str]:
    asked = [
        "delivery_ratio >= 99 % where flow == 'report'" if command else "delivery_ratio >= 99 %"
    ]
    if command:
        asked.append("delivery_ratio >= 95 % where flow == 'command'")
    # Bytes are counted by path, so they cannot be weighed by coverage.
    aim = "minimise: latency_p95" if on_radio else "minimise: wire_bytes_per_message"
    aim = "minimise: cost_per_year" if tariff else aim
    aim = "maximise: battery_years" if battery else aim
    return [
        "  require:",
        *(f'    - "{one}"' for one in asked),
        f"  {aim}",
        "  smallest_effect: 5 %  # a smaller difference is too close to call",
    ]


def _stacks(written: Sequence[str], *, on_radio: bool) -> dict[str, str]:
    if not written:
        patient = " ack_timeout=15s" if on_radio else ""
        return {"coap": f"coap{patient}", "mqtt": "mqtt qos=1"}
    divided = [stack.partition(": ") for stack in written]
    named = {name: text for name, colon, text in divided if colon}
    if len(named) < len(written):
        raise UsageError('--stack: a stack of a fleet has a name; write "ours: mqtt qos=1"')
    try:
        read_arms(named)
    except Fault as fault:
        raise UsageError(f"--stack: {fault.what}; {fault.hint}") from None
    return named


def _battery(answers: FleetAnswers, *, on_radio: bool) -> str | None:
    if answers.battery == NONE:
        return None
    if not on_radio:
        raise UsageError(
            f"--battery: the energy of {answers.network} is not simulated; "
            "write --network nb_iot, or leave --battery out"
        )
    _amount("--battery", answers.battery, ENERGY, "10 Wh")
    return answers.battery


def _tariff(name: str) -> str | None:
    if name == NONE:
        return None
    known = [one for one in tariff_presets() if _has_price(one)]
    if name in tariff_presets() and name not in known:
        raise UsageError(
            f"--tariff: the prices of {name} are not public; leave --tariff out, and write the "
            'prices of your contract into the study, for example "tariff: {like: '
            f'{name}, fee: 1.00 EUR/month, price: 0.50 EUR/MB}}"'
        )
    if name not in known:
        meant = nearest(name, known)
        hint = f'did you mean "{meant}"?' if meant else f"write one of {', '.join(known)}"
        raise UsageError(f"--tariff: there is no tariff {show(name)}; {hint}")
    return name


def _has_price(name: str) -> bool:
    try:
        TariffForm.model_validate(filled_in(name, kind="tariffs"))
    except ValueError:
        return False
    return True


def _count(written: str) -> int:
    digits = written.replace(",", "").replace("_", "").replace(" ", "")
    if not digits.isascii() or not digits.isdecimal() or not 1 <= int(digits) <= 10**7:
        raise UsageError(
            f"--devices: {show(written)} is not a number of devices; write for example 1000"
        )
    return int(digits)


def _amount(option: str, written: str, kind: Kind, example: str, *, least: int = 1) -> int:
    try:
        amount = parse(written, kind, example=example)
    except Fault as fault:
        raise UsageError(f"{option}: {fault.what}; {fault.hint}") from None
    if amount < least:
        raise UsageError(f'{option}: {show(written)} is too small; write for example "{example}"')
    return int(amount)
