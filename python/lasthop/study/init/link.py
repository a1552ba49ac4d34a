"""Composes a commented study file from a few answers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from lasthop.errors import UsageError
from lasthop.study.expressions import measured_column
from lasthop.study.fields.quantity import FRACTION, RATE, SIZE, TIME, Kind, format_quantity, parse
from lasthop.study.forms.model import check_name
from lasthop.study.stacks.arms import read_arms
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TRAFFIC_KINDS = {
    "round_trip": "the device sends and gets the same message back",
    "report": "the device sends to the server",
    "command": "the server sends to the device",
}


LEAST_PERIODS = 30
"""Fewer messages of a device have no 95th percentile to speak of."""
USUAL_DURATION = "10 min"

# The answers that `lasthop init` has an option for.
_OPTIONS = frozenset({"kind", "payload", "every", "loss", "delay", "rate"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The answers for a first study, as a user writes them.

    Parameters
    ----------
    kind
        ``round_trip``, ``report`` or ``command``.
    payload
        Size of a message, say ``409 B``.
    every
        Interval of the messages, say ``250 ms``.
    duration
        How long messages are sent; if None 10 min, or 30 intervals if they are longer.
    loss
        Loss of packets each way, say ``10 %``.
    delay, spread
        Delay each way and how far it varies, say ``100 ms`` and ``20 %``.
    stacks
        In their notation, or each with a name: ``ours: mqtt qos=1``.
    rate, queue
        Rate of the link and what waits in front of it; no limit if ``rate`` is None.
    """

    name: str = "my-study"
    kind: str = "round_trip"
    payload: str = "409 B"
    every: str = "250 ms"
    duration: str | None = None
    loss: str = "10 %"
    delay: str = "100 ms"
    spread: str = "20 %"
    rate: str | None = None
    queue: str = "64 kB"
    stacks: Sequence[str] = ("raw_udp", "json_udp", "raw_udp ack=on")
    minimise: str = "latency_p95"


def compose_study(answers: Answers) -> str:
    """Write a study with a comment on each key.

    Examples
    --------
    >>> compose_study(Answers(payload="100 B")).splitlines()[9]
    'traffic: {round_trip: 100 B, every: 250 ms}  # the device sends and gets the same message back'

    Raises
    ------
    UsageError
        If an answer is not what a study may contain; it names the answer.
    """
    checked = {field.name: _checked(answers, field.name) for field in fields(answers)}
    stacks = "".join(f"  {stack}\n" for stack in _stacks(answers.stacks))
    rate = (
        f"  rate: {checked['rate']}  # of IP bytes, through a token bucket\n"
        f"  queue: {checked['queue']}  # what waits in front of the rate\n"
        if answers.rate is not None
        else "  # rate: 50 kbit/s     # without a rate the link is infinitely fast\n"
    )
    return (
        f"# Run it: lasthop run {checked['name']}.yaml\n"
        f"study: {checked['name']}\n"
        "title: Which stack is the best over this link?\n"
        "\n"
        f"duration: {checked['duration'] or _usual_duration(answers.every)}\n"
        "measure:\n"
        "  warm_up: 0 s\n"
        "  drain: 2 min  # how long answers are waited for\n"
        "  overload: allow  # a stack that cannot keep up is a result, too\n"
        f"traffic: {{{checked['kind']}: {checked['payload']}, every: {checked['every']}}}"
        f"  # {TRAFFIC_KINDS[answers.kind]}\n"
        "\n"
        "path:                   # both ways; or under up: and down:\n"
        f"  loss: {checked['loss']}\n"
        f"  delay: {{around: {checked['delay']}, spread: {checked['spread']}}}\n"
        f"{rate}"
        "\n"
        'stacks:                 # "lasthop stacks" lists all; with a name: {ours: raw_udp}\n'
        f"{stacks}"
        "\n"
        "sweep:                  # each item is a grid over the base above\n"
        "  - name: base\n"
        "  - {name: loss, path.loss: [0 %, 5 %, 10 %, 20 %]}\n"
        "\n"
        "repeat: 5               # repetitions of each case, each with its own seed\n"
        "\n"
        "decide:                 # excludes stacks, then ranks the others\n"
        '  require: ["delivery_ratio >= 50 %"]\n'
        f"  minimise: {checked['minimise']}\n"
        "  smallest_effect: 5 %  # a smaller difference is too close to call\n"
    )


def _usual_duration(every: str) -> str:
    least = LEAST_PERIODS * parse(every, TIME)
    return format_quantity(max(parse(USUAL_DURATION, TIME), least), TIME)


def _checked(answers: Answers, name: str) -> str:
    value = getattr(answers, name)
    check = _CHECKS.get(name)
    if check is None or value is None:
        return ""
    try:
        check(value)
    except Fault as fault:
        place = f"--{name}" if name in _OPTIONS else name
        raise UsageError(f"{place}: {fault.what}; {fault.hint}") from None
    return str(value).strip()


def _stacks(written: Sequence[str]) -> list[str]:
    """Return the lines of the stacks: items of a list, or each behind its name."""
    if not written:
        raise UsageError("--stack: no stack is given; write for example --stack raw_udp")
    divided = [stack.partition(": ") for stack in written]
    named = {name: text for name, colon, text in divided if colon}
    if named and len(named) < len(written):
        raise UsageError(
            "--stack: some stacks have a name and some do not; write "
            '"NAME: STACK" for all of them, or for none'
        )
    try:
        arms = read_arms(named or list(written))
    except Fault as fault:
        raise UsageError(f"--stack: {fault.what}; {fault.hint}") from None
    lines = [f"{name}: {text}" for name, text in named.items()]
    return lines or [f"- {arm.name}" for arm in arms]


def _quantity(kind: Kind, example: str, *, least: int = 0) -> Callable[[str], None]:
    def check(value: str) -> None:
        if parse(value, kind, example=example) < least:
            raise Fault(f"{show(value)} is too small", hint=f'write for example "{example}"')

    return check


def _every(value: str) -> None:
    _quantity(TIME, "250 ms", least=1)(value)
    longest = TIME.maximum / LEAST_PERIODS
    if parse(value, TIME) > longest:
        days = int(longest / TIME.units["d"])
        what = f"{LEAST_PERIODS} intervals of {show(value)} are longer than the longest run"
        raise Fault(what, hint=f'write "{days} d" or less')


def _kind(value: str) -> None:
    if value not in TRAFFIC_KINDS:
        raise Fault(f"unknown value {show(value)}", hint=f"write {', '.join(TRAFFIC_KINDS)}")


_CHECKS: dict[str, Callable[[str], object]] = {
    "name": check_name,
    "kind": _kind,
    "payload": _quantity(SIZE, "409 B", least=8),
    "every": _every,
    "duration": _quantity(TIME, "10 min", least=1),
    "loss": _quantity(FRACTION, "10 %"),
    "delay": _quantity(TIME, "100 ms"),
    "spread": _quantity(FRACTION, "20 %"),
    "rate": _quantity(RATE, "50 kbit/s", least=1),
    "queue": _quantity(SIZE, "64 kB", least=1),
    "minimise": measured_column,
}
